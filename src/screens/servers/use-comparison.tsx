import { contract } from '../../api/contract/contract.ts'
import type { ProjectServer } from '../../api/contract/servers.ts'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import {
  parseSnapshot,
  snapshotChanges,
  SnapshotError,
  snapshotOf,
  type Snapshot,
  type SnapshotChange,
} from '../../domain/servers/snapshots.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import { namedPath } from '../../lib/files/named-path.ts'
import { readRegularFile } from '../../lib/files/read-regular.ts'
import { clean } from '../../tui/theme/text.ts'
import type { Symbols } from '../../tui/theme/theme.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { useAskText } from '../../components/ask-text.tsx'
import { heading } from '../../components/lines.ts'
import { useTextOverlay } from '../../components/text-overlay.tsx'
import type { Line } from '../../components/viewer.tsx'
import { useNotify } from '../../hooks/notify.tsx'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { shorten } from './json-text.ts'

const MOST_LINES = 1_000
const GROUPS = [
  { impact: 'breaking', title: 'Breaks callers', symbol: 'error', tone: 'error' },
  { impact: 'unknown', title: 'May break callers', symbol: 'warn', tone: 'warn' },
  { impact: 'safe', title: 'Breaks nobody', symbol: 'bullet', tone: 'plain' },
] as const

/** Returns the changes of a server, breaking ones first. */
export function changeLines(changes: readonly SnapshotChange[], symbols: Symbols): Line[] {
  if (changes.length === 0) return [{ text: `${symbols.ok} The server offers what is in the file.`, tone: 'ok' }]
  const more = changes.length - MOST_LINES
  const shown = changes.slice(0, MOST_LINES)
  return [
    ...GROUPS.flatMap(({ impact, title, symbol, tone }): Line[] => {
      const own = shown.filter(change => change.impact === impact)
      if (own.length === 0) return []
      const lines = own.map(({ of, name, says }): Line => {
        const text = clean(shorten(`${of} ${name}: ${says}`, 2_000))
        return { text: `${symbols[symbol]} ${text}`, tone, indent: 2 }
      })
      return [heading(title), ...lines, '']
    }),
    ...(more > 0 ? [{ text: `${more} more changes.`, tone: 'muted' } satisfies Line] : []),
  ]
}

/** Compares what a server currently offers with a snapshot in a file that the person names. */
export function useComparison(projectId: string): (server: ProjectServer) => Promise<void> {
  const { client } = useWorkspace()
  const { symbols } = useTheme()
  const ask = useAskText()
  const runTask = useRunTask()
  const notify = useNotify()
  const open = useTextOverlay()
  return async server => {
    const path = await ask({
      title: `Compare ${server.name} with a snapshot`,
      lines: ['File with the earlier snapshot, as mcpdeck snapshot prints it:'],
    })
    if (path === undefined || path.trim() === '') return
    const before = readSnapshot(path)
    if (typeof before === 'string') return notify('error', before)
    await runTask({
      start: `Comparing ${server.name} with ${path.trim()}…`,
      stopped: 'The comparison was stopped.',
      async work({ signal }) {
        const input = { projectId, serverId: server.id, body: {} }
        const { value } = await client.exchange(contract.servers.export, input, { signal })
        return await snapshotChanges(before, snapshotOf(value))
      },
      done(changes) {
        open(`${server.name} since ${path.trim()}`, changeLines(changes, symbols))
        return undefined
      },
    })
  }
}

/** Returns the snapshot in a file, or a sentence that says why there is none. */
function readSnapshot(path: string): Snapshot | string {
  const file = namedPath(path)
  try {
    return parseSnapshot(readRegularFile(file, BOUNDS.answer.most))
  } catch (error) {
    if (error instanceof SnapshotError) return `${file} ${error.message}. mcpdeck snapshot prints one.`
    return `${file} cannot be read: ${systemErrorReason(error)}.`
  }
}
