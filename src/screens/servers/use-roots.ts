import { homedir } from 'node:os'
import { basename, isAbsolute, join, normalize } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { contract } from '../../api/contract/contract.ts'
import { MOST_ROOTS, type Root } from '../../api/contract/server-requests.ts'
import type { ProjectServer } from '../../api/contract/servers.ts'
import { useFormDialog } from '../../components/form/form-dialog.tsx'
import { useOpening } from '../../components/opening.tsx'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { useWrite } from '../../hooks/use-write.tsx'

const FIELD = 'folders'

/** Edits the folders that a server receives as its roots; a connected server is notified. */
export function useRoots(projectId: string): (server: ProjectServer) => Promise<void> {
  const { client } = useWorkspace()
  const opening = useOpening(useRunTask())
  const ask = useFormDialog()
  const write = useWrite(contract.roots.set)
  return async ({ id: serverId, name }) => {
    const input = { projectId, serverId }
    const read = await opening({
      start: `Reading the roots of ${name}…`,
      work: signal => client.roots.get(input, { signal }),
    })
    if (!read) return
    const values = await ask({
      title: `Roots of ${name}`,
      about: [{ text: 'Folders that it may ask for while you use it here. Runs give servers none.', tone: 'muted' }],
      fields: [
        {
          id: FIELD,
          label: 'Folders',
          kind: 'one per line',
          initial: read.roots.map(({ uri }) => shownRoot(uri)).join('\n'),
          input: { kind: 'lines' },
          note: 'An absolute path, one that begins with ~/, or a file:// address. The server gets no contents.',
          check: text => {
            const found = rootsIn(text)
            return typeof found === 'string' ? found : undefined
          },
        },
      ],
      act: `Set the roots of ${name}`,
    })
    const roots = values && rootsIn(values[FIELD] ?? '')
    if (roots === undefined || typeof roots === 'string') return
    const named = new Map(read.roots.map(root => [root.uri, root]))
    await write({
      start: `Setting the roots of ${name}…`,
      input: { ...input, body: { roots: roots.map(root => named.get(root.uri) ?? root) } },
      done: set => ({ tone: 'ok', text: `${name} has ${set.roots.length} roots.` }),
    })
  }
}

/** Returns the path of a root if it is on this machine, else its address. */
function shownRoot(uri: string): string {
  try {
    const path = fileURLToPath(uri)
    return pathToFileURL(path).href === uri && !path.includes('\n') ? path : uri
  } catch {
    return uri
  }
}

export function rootsIn(text: string): Root[] | string {
  const lines = text.split('\n').flatMap(line => (line.trim() === '' ? [] : [line.trim()]))
  const roots = new Map<string, Root>()
  for (const line of lines) {
    const path = line === '~' || line.startsWith('~/') ? join(homedir(), line.slice(1)) : line
    if (URL.parse(path)?.protocol === 'file:') roots.set(path, { uri: path })
    else if (!isAbsolute(path)) return `“${line}” is not an absolute path.`
    else {
      const { href } = pathToFileURL(normalize(path))
      roots.set(href, { uri: href, name: basename(path) || path })
    }
  }
  return roots.size > MOST_ROOTS ? `There are more than ${MOST_ROOTS} roots.` : [...roots.values()]
}
