import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { exportIncident, writeForOwner } from '../../api/notebook-export.ts'
import type { Incident, Pinned } from '../../api/notebook.ts'
import { formatLocator } from '../../app/router/place.ts'
import { useAskText } from '../../components/ask-text.tsx'
import { useConfirm } from '../../components/confirm.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { findingsRoute } from '../findings/route.ts'
import { nowRoute } from '../now/route.ts'
import { projectsRoute } from '../projects/route.ts'
import { runsRoute } from '../runs/route.ts'
import { scenariosRoute } from '../scenarios/route.ts'
import { serversRoute } from '../servers/route.ts'
import { notebookRoute } from './route.ts'

const routes = [
  nowRoute,
  projectsRoute,
  serversRoute,
  runsRoute,
  findingsRoute,
  scenariosRoute,
  notebookRoute,
]

/** Asks for a path and writes the incident there, redacted; what is there already is replaced only after a question. */
export function useExport(): (incident: Incident) => Promise<void> {
  const ask = useAskText()
  const confirm = useConfirm()
  const toasts = useToasts()
  const { profile } = useWorkspace()
  return async incident => {
    const path = await ask({
      title: 'Export the incident',
      lines: [
        'Markdown without secrets, addresses and home directories, readable for you alone. Write it to:',
      ],
      initial: `incident-${incident.title
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '-')
        .replaceAll(/^-|-$/g, '')}.md`,
    })
    if (path === undefined || path.trim() === '') return
    const file = resolve(path.trim().replace(/^~(?=\/)/, homedir()))
    const locator = (place: Pinned['place']) => formatLocator(routes, profile.name, place)
    const known = [process.env['MCPDECK_API_KEY'] ?? '', process.env['MCPDECK_MODEL_API_KEY'] ?? '']
    const text = exportIncident(incident, { locator, now: Date.now(), known, homes: [homedir()] })
    let refusal = writeForOwner(file, text, false)
    if (refusal === 'exists') {
      const agreed = await confirm({
        title: 'There is such a file',
        lines: [`${file} is there already; replacing it takes away what it holds.`],
        action: 'Replace the file',
      })
      if (!agreed) return
      refusal = writeForOwner(file, text, true)
    }
    if (refusal === undefined) toasts.show('ok', `Wrote ${file}.`)
    else
      toasts.show(
        'error',
        `${file} was not written: ${refusal === 'exists' ? 'it is there' : refusal.reason}.`,
      )
  }
}
