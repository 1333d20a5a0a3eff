import { exportIncident } from '../../domain/notebook/notebook-export.ts'
import type { Incident, Notebook, Pinned } from '../../domain/notebook/notebook.ts'
import { redacted } from '../../lib/redaction/redaction.ts'
import { formatLocator } from '../../tui/router/place.ts'
import { useWriteFile } from '../../components/write-file.ts'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useOwn } from '../../hooks/use-own.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { useRoutes } from '../../tui/router/router-context.tsx'

/** Asks for a path and writes the redacted incident there; replaces an existing file only after a question. */
export function useExport(notebook: Notebook): (incident: Incident) => Promise<void> {
  const writeFile = useWriteFile()
  const runTask = useRunTask()
  const { profile } = useWorkspace()
  const routes = useRoutes()
  const ownOf = useOwn()
  return async incident => {
    const own = ownOf()
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

/** Returns the incident as currently stored, also by other programs; as shown if that cannot be read. */
function latest(notebook: Notebook, shown: Incident): Incident {
  try {
    notebook.look()
    return notebook.incidents().find(({ id }) => id === shown.id) ?? shown
  } catch {
    return shown
  }
}
