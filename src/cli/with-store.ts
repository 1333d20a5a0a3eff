import { openWorkspace } from '../service/sandbox.ts'
import type { Store } from '../service/store/store.ts'
import { resolveSettings, type CommonOptions } from './settings.ts'

/** The workspace's store with the organization that it belongs to, open for one piece of work. */
export type OpenedStore = { store: Store; dataDir: string; organizationId: string }

/** Opens the workspace's store, beside processes that use it, and closes it again. */
export function withStore<T>(common: CommonOptions, work: (opened: OpenedStore) => T): T {
  const { dataDir } = resolveSettings({ ...common, local: true }, process.env)
  const { store } = openWorkspace({ dataDir })
  try {
    return work({ store, dataDir, organizationId: store.settings.get('localOrganizationId') ?? '' })
  } finally {
    store.close()
  }
}

/** Prints records as `{"items": […]}` or as aligned columns, the last of which runs free. */
export function printItems<T>(
  items: readonly T[],
  json: boolean | undefined,
  cells: (item: T) => string[],
): void {
  if (json) {
    process.stdout.write(`${JSON.stringify({ items })}\n`)
    return
  }
  const rows = items.map(cells)
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  for (const row of rows)
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    )
}
