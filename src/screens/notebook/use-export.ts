import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { homedir } from 'node:os'
import { secretsOf } from '../../domain/scenarios/session-secrets.ts'
import { cachedItems } from '../../api/client/cache/cached.ts'
import type { Client } from '../../api/client/client.ts'
import { contract } from '../../api/contract/contract.ts'
import { scenarioUrl } from '../../api/contract/scenario-shapes.ts'
import { exportIncident } from '../../domain/notebook/notebook-export.ts'
import type { Incident, Notebook, Pinned } from '../../domain/notebook/notebook.ts'
import { redacted } from '../../lib/redaction/redaction.ts'
import { formatLocator } from '../../tui/router/place.ts'
import { useWriteFile } from '../../components/write-file.ts'
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
  const writeFile = useWriteFile()
  const runTask = useRunTask()
  const queryClient = useQueryClient()
  const { profile, client } = useWorkspace()
  return async incident => {
    const own = { known: knownSecrets(client, queryClient), homes: [homedir()] }
    const locator = (place: Pinned['place']) => formatLocator(routes, profile.name, place)
    const compose = (): Promise<string | undefined> =>
      runTask({
        start: `Redacting “${incident.title}”…`,
        work: ({ signal, progress }) =>
          exportIncident(latest(notebook, incident), { locator, now: Date.now(), ...own, signal, progress }),
        stopped: 'Nothing was written.',
      })
    const question = {
      title: 'Export the incident',
      lines: [
        'Markdown without what looks like a secret, an e-mail address or a home directory, readable for you ' +
          'alone. Write it to:',
      ],
      initial: fileName(redacted(incident.title, own)),
    }
    await writeFile(question, compose)
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
