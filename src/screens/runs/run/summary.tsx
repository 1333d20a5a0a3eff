import { useMemo } from 'react'
import { isTerminalRunStatus } from '../../../api/contract/runs.ts'
import type { Cause } from '../../../domain/runs/causes.ts'
import { estimateRemaining } from '../../../domain/runs/estimate.ts'
import { runProgress } from '../../../domain/runs/furthest.ts'
import { useWorkspace } from '../../../hooks/workspace.tsx'
import { serviceNow } from '../../../api/client/transport/service-time.ts'
import { useKeyName } from '../../../tui/keymap/use-bindings.ts'
import { plainText } from '../../../components/viewer/source.ts'
import { useTheme } from '../../../tui/theme/theme-context.tsx'
import { PaneState } from '../../../components/pane-state.tsx'
import { useSize } from '../../../components/size.tsx'
import { outline, AS_GIVEN, type OutlineNode } from '../../../components/viewer/outline-tree.ts'
import { useOutline } from '../../../components/outline.tsx'
import { ScrolledRows } from '../../../components/viewer/scrolled-rows.tsx'
import { runsKeys } from '../bindings.ts'
import { useToolFindings } from '../tools/use-tool-evidence.ts'
import { useKnownRuns, type RunData } from '../use-runs-data.ts'
import { factsOf, plannedTrials } from './facts.ts'
import { causeOfNode, summaryNodes } from './summary-nodes.ts'
import { useOpens, type OpenRef } from './open-ref.ts'

/** Shows the summary of a run. `open` shows the trials, or only those of the selected cause. */
export function RunSummary(props: {
  projectId: string
  data: RunData
  focused: boolean
  open: OpenRef
  onOpenTrials: (cause: Cause | undefined) => void
}) {
  const { data } = props
  return (
    <PaneState data={data.run} loading="Reading the run…">
      <Summary {...props} />
    </PaneState>
  )
}

function Summary(props: Parameters<typeof RunSummary>[0]) {
  const { focused, open, onOpenTrials } = props
  const roots = useSummary(props.projectId, props.data)
  const view = useOutline({ roots, focused, isFlat: true, copyAll: () => textOf(roots), whole: 'the summary' })
  const chosen = view.here && causeOfNode(view.here.node.id)
  useOpens(open, () => onOpenTrials(chosen))
  return <ScrolledRows {...view.picture} />
}

/** Returns parts of the summary. They are rebuilt when their data changes, not on key presses. */
function useSummary(projectId: string, { run, trials, trialsQuery, flaky }: RunData): readonly OutlineNode[] {
  const { symbols } = useTheme()
  const { width } = useSize()
  const { client } = useWorkspace()
  const key = useKeyName()
  const [openKey, doctorKey] = [key(runsKeys, 'open'), key(runsKeys, 'doctor')]
  const record = run.data
  const runs = useKnownRuns(projectId, record?.suiteId)
  const facts = useMemo(() => factsOf(trials, record), [trials, record])
  const { base, findings } = useToolFindings({ projectId, run: record, trials })
  const isPartial = trialsQuery.hasMore || !trialsQuery.hasData
  return useMemo(() => {
    if (!record) return []
    const total = Math.max(facts.counts.total, plannedTrials(record) ?? 0)
    const isCounted = !isPartial || plannedTrials(record) !== undefined
    const remaining =
      isTerminalRunStatus(record.status) || !isCounted
        ? undefined
        : estimateRemaining(trials, total - facts.counts.ended, serviceNow())
    const { ended } = facts.counts
    // Nothing is remembered while only part of the trials is read: trials read later would reduce the share.
    const share = isCounted ? runProgress(client)(record.id, { ended, total }) : ended / Math.max(1, total)
    const input = { run: record, facts, isPartial, runs, share, remaining, findings, base, flaky }
    return summaryNodes(input, { symbols, width, openKey, doctorKey })
  }, [client, record, trials, facts, isPartial, runs, findings, base, flaky, symbols, width, openKey, doctorKey])
}

function textOf(roots: readonly OutlineNode[]): string {
  const shown = outline(roots, AS_GIVEN)
  return shown.entries
    .flatMap(({ lines }) => Array.from({ length: lines.count }, (_, index) => plainText(lines.at(index))))
    .join('\n')
}
