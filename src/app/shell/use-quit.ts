import type { Client } from '../../api/client/client.ts'
import { contract } from '../../api/contract/contract.ts'
import { useConfirm } from '../../components/confirm.tsx'
import type { UnsavedServers } from '../../domain/servers/unsaved.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { clean } from '../../tui/theme/text.ts'

/** Records that the question names; the others are counted. */
const MOST_NAMED = 8

/** Quits at once, but for a workspace that ends with the program and holds what a person made: that is named first. */
export function useQuit(quit: () => void): () => Promise<void> {
  const { client, unsaved } = useWorkspace()
  const confirm = useConfirm()
  return async () => {
    const lost = unsaved ? await madeIn(client, unsaved) : []
    const more = lost.length - MOST_NAMED
    const question = {
      title: 'Quit and lose what was made here?',
      lines: [
        ...lost.slice(0, MOST_NAMED),
        ...(more > 0 ? [`And ${more} more.`] : []),
        'It is not saved and will be lost.',
      ],
      action: 'Quit',
      decline: 'Stay',
    }
    if (lost.length === 0 || (await confirm(question))) quit()
  }
}

/** A line for each record beside the server that is tried; where they cannot be read, a line that says so. */
async function madeIn(client: Client, { savedSuites }: UnsavedServers): Promise<string[]> {
  try {
    const [{ documentStore }, { DOCUMENT_NOUNS }, { readSuite }] = await Promise.all([
      import('../../domain/documents/store.ts'),
      import('../../domain/documents/nouns.ts'),
      import('../../domain/suites/suite-store.ts'),
    ])
    const projects = await client.items(contract.projects.list, {})
    const lists = projects.flatMap(({ id: projectId }) => {
      const store = documentStore(client, projectId)
      return DOCUMENT_NOUNS.map(async noun => {
        const rows = (await store.list(noun)).toSorted((a, b) => (a.id < b.id ? -1 : 1))
        // Ids grow: the first server is the one that is tried.
        const made = noun === 'server' ? rows.slice(1) : rows
        const isSaved = await Promise.all(
          made.map(async ({ id }) => {
            const saved = savedSuites.get(id)
            return saved !== undefined && saved === JSON.stringify(await readSuite(client, projectId, id))
          }),
        )
        return made.filter((_, index) => !isSaved[index]).map(({ id, name }) => `The ${noun} ${clean(name ?? id)}.`)
      })
    })
    return (await Promise.all(lists)).flat()
  } catch {
    return ['What was made could not be read.']
  }
}
