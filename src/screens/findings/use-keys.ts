import { nextFilter } from '../../domain/findings/filters.ts'
import { planDismissals } from '../../domain/findings/dismissal.ts'
import { FINDING_SOURCES, type FindingSource } from '../../domain/findings/finding.ts'
import { gateHelp } from '../../domain/findings/gate.ts'
import { unavailable, type KeyHandler, type Unavailable } from '../../tui/keymap/binding.ts'
import { UnavailableAction } from '../../tui/keymap/dispatcher.ts'
import { useBindings, useKeyName } from '../../tui/keymap/use-bindings.ts'
import { usePlace, useRouter } from '../../tui/router/router-context.tsx'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { useTextOverlay } from '../../components/text-overlay.tsx'
import { noRow } from '../../components/list/use-list.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { findingsKeys } from './bindings.ts'
import type { FindingRow } from './columns.ts'
import { sourceLines } from './sources-labels.ts'
import { isOfFinding } from './use-behind-place.ts'
import { useDismissals } from './use-dismissals.ts'
import type { FindingsList } from './use-findings.ts'
import type { Insights } from './use-insights.ts'

/**
 * Handles the screen's keys for the current focus. `openBehind` opens the selected item in the finding's pane, if
 * possible.
 */
export function useKeys(options: {
  projectId: string
  findings: FindingsList
  insights: Insights
  openBehind: () => (() => void) | undefined
}): void {
  const { findings, insights } = options
  const { list, sources, filters, collection } = findings
  const router = useRouter()
  const { params } = usePlace()
  const { symbols } = useTheme()
  const key = useKeyName()
  const showText = useTextOverlay()
  const { profile } = useWorkspace()
  const dismissals = useDismissals(options.projectId, findings)
  const row = list.current()
  const closed = (kinds: readonly FindingSource[]): Unavailable =>
    unavailable(`Switched off. ${gateHelp(profile.local, kinds)}`)
  const change = (dismissed: boolean): KeyHandler | Unavailable => {
    if (!row && list.marks.keys().size === 0) return noRow(list, 'finding')
    if (sources.isClosed || (list.marks.keys().size === 0 && row && sources.gate[row.source]))
      return closed(row ? [row.source] : FINDING_SOURCES)
    return async () => {
      const wanted = wantedRows(findings)
      const obstacle = whyNothing(wanted, dismissed)
      if (obstacle !== undefined) throw new UnavailableAction(obstacle)
      await dismissals.change(wanted, dismissed, key(findingsKeys, 'undo'))
    }
  }
  const openInside = (): void => {
    const open = options.openBehind()
    if (params.tab !== 'behind') router.replace({ tab: 'behind' })
    else if (open) open()
    else throw new UnavailableAction('There is nothing further to open here.')
  }
  useBindings(findingsKeys, {
    open: row && collection.inDetail ? openInside : collection.open,
    back: () => goBack(router, params, collection),
    dismiss: change(true),
    show: change(false),
    undo: sources.isClosed ? closed(FINDING_SOURCES) : dismissals.undo,
    status: () => router.replace({ status: nextFilter(filters, 'status') }),
    dismissed: () => router.replace({ dismissed: nextFilter(filters, 'dismissed') }),
    source: () =>
      router.replace({ source: filters.waveId ? filters.source : nextFilter(filters, 'source'), waveId: undefined }),
    sources: () => showText('Sources of the findings', sourceLines(sources.states, symbols, profile.local)),
    insights: insights.isClosed && row ? closed([row.source]) : insightsKey(insights),
    stopInsights: cancelKey(insights),
  })
}

type Params = Readonly<Record<string, string>>

/** Leaves the session, the run, then the finding. The row that was left stays selected. */
function goBack(router: ReturnType<typeof useRouter>, params: Params, collection: FindingsList['collection']): void {
  const isBehind = collection.inDetail && params['tab'] === 'behind' && isOfFinding(params, collection.row)
  if (isBehind && params['sessionId'] !== undefined) router.replace({ sessionId: undefined })
  else if (isBehind && params['runId'] !== undefined) router.replace({ runId: undefined, lastRunId: params['runId'] })
  else collection.back()
}

/** Returns the marked findings, even if a filter hides them, else the selected one. */
function wantedRows({ list }: FindingsList): readonly FindingRow[] {
  const marked = list.marked()
  const chosen = list.choose()
  return marked.length > 0 ? marked : chosen ? [chosen] : []
}

function whyNothing(rows: readonly FindingRow[], dismissed: boolean): string | undefined {
  const { send, nameless } = planDismissals(rows, dismissed)
  if (send.length > 0) return undefined
  if (nameless.length > 0) return 'The service returns no id for it, so it cannot be changed.'
  const state = dismissed ? 'dismissed already' : 'not dismissed'
  return rows.length === 1 ? `This finding is ${state}.` : `All of the marked findings are ${state}.`
}

function insightsKey({ target, query, request }: Insights): KeyHandler | Unavailable {
  if (!target) return unavailable('The finding names no wave or window to request insights for.')
  if (query.data && query.data.status === 'pending') return unavailable('Its insights are already being generated.')
  return request
}

function cancelKey({ target, query, cancel }: Insights): KeyHandler | Unavailable {
  if (!target || query.data?.status !== 'pending') return unavailable('No insights are being generated for it.')
  return cancel
}
