import { resolve } from 'node:path'
import { exportIncident } from '../../domain/notebook/notebook-export.ts'
import { writeUnlessThere } from '../../lib/files/write-unless-there.ts'
import type { Incident } from '../../domain/notebook/notebook.ts'
import { screens } from '../../app/registry.ts'
import { formatLocator } from '../../tui/router/place.ts'
import { say } from '../output/prose.ts'
import { ownTexts } from '../output/redaction.ts'
import { resolveSettings, UsageError, type CommonOptions, type Settings } from '../config/settings.ts'
import { notebookOfSettings } from '../workspace/workspace.ts'

export type NotebookExportOptions = { output?: string; force?: boolean }

/** Exports the notebook to stdout or a file; resolves to the exit code. */
export async function exportNotebook(
  named: string | undefined,
  common: CommonOptions,
  own: NotebookExportOptions,
): Promise<number> {
  const settings = await resolveSettings(common, process.env)
  const incident = chosenOf(incidentsOf(settings), named)
  const routes = screens.map(({ route }) => route)
  const { profile } = settings
  const text = await exportIncident(incident, {
    locator: place => formatLocator(routes, profile.name, place),
    now: Date.now(),
    ...ownTexts(settings),
  })
  if (own.output === undefined) {
    process.stdout.write(text)
    return 0
  }
  writeNamed(own.output, text, own.force ?? false)
  return 0
}

/** Writes a file that a person named, and says so. @throws UsageError if it exists, or cannot be written */
export function writeNamed(named: string, text: string, force: boolean): void {
  const file = resolve(named)
  const refusal = writeUnlessThere(file, text, force)
  if (refusal === 'exists') throw new UsageError(`${file} already exists; --force replaces it.`)
  if (refusal) throw new UsageError(`${file} was not written: ${refusal.reason}.`)
  say(`Wrote ${file}.`)
}

function incidentsOf(settings: Settings): readonly Incident[] {
  try {
    return notebookOfSettings(settings).incidents()
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function chosenOf(incidents: readonly Incident[], named: string | undefined): Incident {
  const [latest] = incidents
  if (!latest) throw new UsageError('This profile has no incident; the dashboard makes one when you pin something.')
  if (named === undefined) return incidents.find(({ closedAt }) => closedAt === undefined) ?? latest
  const found = incidents.find(({ id }) => id === named) ?? incidents.find(({ title }) => title === named)
  if (found) return found
  const titles = incidents.slice(0, 10).map(({ id, title }) => `${title} (${id})`)
  throw new UsageError(`There is no incident “${named}”; there are ${titles.join(', ')}.`)
}
