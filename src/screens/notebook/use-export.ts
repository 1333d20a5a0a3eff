import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { homedir } from 'node:os'
import { secretsOf } from '../../domain/scenarios/session-secrets.ts'
import { cachedItems } from '../../api/client/cache/cached.ts'
import type { Client } from '../../api/client/client.ts'
import { contract } from '../../api/contract/contract.ts'
import { scenarioUrl } from '../../api/contract/scenario-shapes.ts'
import { exportIncident, writeForOwner } from '../../domain/notebook/notebook-export.ts'
import type { Incident, Notebook, Pinned } from '../../domain/notebook/notebook.ts'
import { namedPath } from '../../lib/files/named-path.ts'
import { redacted } from '../../lib/redaction/redaction.ts'
import { formatLocator } from '../../tui/router/place.ts'
import { useConfirmDiscard } from '../../components/ask-text.tsx'
import { useAttempt } from '../../components/attempt.tsx'
import { useConfirm } from '../../components/confirm.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { findingsRoute } from '../findings/route.ts'
import { nowRoute } from '../now/route.ts'
import { projectsRoute } from '../projects/route.ts'
import { runsRoute } from '../runs/route.ts'
import { scenariosRoute } from '../scenarios/route.ts'
import { serversRoute } from '../servers/route.ts'
import { notebookRoute } from './route.ts'

/** A shorter part of a link says nothing. */
const SHORTEST = 8

const routes = [nowRoute, projectsRoute, serversRoute, runsRoute, findingsRoute, scenariosRoute, notebookRoute]

/** Asks for a path and writes the incident there, redacted; what is there already is replaced only after a question. */
export function useExport(notebook: Notebook): (incident: Incident) => Promise<void> {
  const askToKeep = useConfirmDiscard()
  const attempt = useAttempt()
  const confirm = useConfirm()
  const toasts = useToasts()
  const runTask = useRunTask()
  const queryClient = useQueryClient()
  const { profile, client } = useWorkspace()
  return async incident => {
    const own = { known: knownSecrets(client, queryClient), homes: [homedir()] }
    const locator = (place: Pinned['place']) => formatLocator(routes, profile.name, place)
    let file = ''
    const compose = (): Promise<string | undefined> =>
      runTask({
        start: `Redacting “${incident.title}”…`,
        work: ({ signal, progress }) =>
          exportIncident(latest(notebook, incident), { locator, now: Date.now(), ...own, signal, progress }),
        stopped: 'Nothing was written.',
      })
    let text: string | undefined
    const write = (replace: boolean): boolean => {
      if (text === undefined) return false
      const refusal = writeForOwner(file, text, replace)
      if (refusal === undefined || refusal === 'exists') return refusal === undefined
      throw new Error(`${file} was not written: ${refusal.reason}.`)
    }
    let written = false
    const question = {
      title: 'Export the incident',
      lines: [
        'Markdown without what looks like a secret, an e-mail address or a home directory, readable for you ' +
          'alone. Write it to:',
      ],
      initial: fileName(redacted(incident.title, own)),
    }
    const isGiven = await askToKeep(question, async path => {
      file = path.trim() === '' ? '' : namedPath(path)
      if (file === '') return
      text ??= await compose()
      written = write(false)
    })
    if (!isGiven || text === undefined) return
    if (!written) {
      const agreed = await confirm({
        title: 'There is such a file',
        lines: [`${file} is there already; replacing it takes away what it holds.`],
        action: 'Replace the file',
      })
      if (!agreed) return
      if (!attempt('Nothing was written', () => write(true))) return
    }
    toasts.show('ok', `Wrote ${file}.`)
  }
}

export function fileName(title: string): string {
  const words = title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  return `${words.startsWith('incident') ? '' : 'incident-'}${words}.md`
}

/** The incident as it is kept now, also by other programs; as it shows where that cannot be read. */
function latest(notebook: Notebook, shown: Incident): Incident {
  try {
    notebook.look()
    return notebook.incidents().find(({ id }) => id === shown.id) ?? shown
  } catch {
    return shown
  }
}

/**
 * What lets somebody in as far as this session knows it, whatever it looks like; of a link also its last part alone.
 */
function knownSecrets(client: Client, queryClient: QueryClient): string[] {
  const read = cachedItems(queryClient, contract.scenarios.list).map(({ item }) => scenarioUrl(item.link))
  const links = [...secretsOf(client).ever(), ...read].filter(link => link !== undefined)
  // A link is often passed on without its scheme.
  const bare = links.map(link => link.replace(/^[a-z]+:\/\//i, ''))
  const parts = links.flatMap(link => URL.parse(link)?.pathname.split('/').at(-1) ?? [])
  const env = [process.env['MCPDECK_API_KEY'] ?? '', process.env['MCPDECK_MODEL_API_KEY'] ?? '']
  return [...env, ...links, ...bare, ...parts.filter(part => part.length >= SHORTEST)]
}
