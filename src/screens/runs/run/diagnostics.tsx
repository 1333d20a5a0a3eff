import { jsonText } from '../../../lib/printable.ts'
import { useEffect, useMemo } from 'react'
import type { EvalIteration } from '../../../api/contract/iterations.ts'
import { isTerminalRunStatus, type EvalRun } from '../../../api/contract/runs.ts'
import { causeOf, type Cause } from '../../../domain/runs/causes.ts'
import { useKeyName } from '../../../tui/keymap/use-bindings.ts'
import { useTheme } from '../../../tui/theme/theme-context.tsx'
import { PaneState } from '../../../components/pane-state.tsx'
import { useOutline } from '../../../components/outline.tsx'
import { ScrolledRows } from '../../../components/viewer/scrolled-rows.tsx'
import { runsKeys } from '../bindings.ts'
import type { RunData } from '../use-runs-data.ts'
import { diagnosticsNodes, failureOfNode, iterationOf, MORE } from './diagnostics-nodes.ts'
import { useOpens, type OpenRef } from './open-ref.ts'
import { useDiagnostics } from './use-diagnostics.ts'

type Props = {
  projectId: string
  data: RunData
  focused: boolean
  open: OpenRef
  onOpenTrial: (iterationId: string) => void
}

/** Shows what went wrong in the run according to the service, page by page. */
export function RunDiagnostics(props: Props) {
  const run = props.data.run.data
  return (
    <PaneState data={props.data.run} loading="Reading the run…" empty={run && emptyWords(run)}>
      {run && <Failures {...props} run={run} />}
    </PaneState>
  )
}

const SEE_TRIALS = 'See the trials for what each of them did.'

export function emptyWords({ decisionSummary, status }: EvalRun): { why: string; next: string } | undefined {
  const diagnostics = decisionSummary?.diagnostics
  if (!diagnostics) return { why: 'The service returns no diagnostics for this run.', next: SEE_TRIALS }
  if (diagnostics.failures?.length || diagnostics.nextCursor) return undefined
  return diagnostics.complete
    ? { why: 'Nothing went wrong in this run.', next: SEE_TRIALS }
    : isTerminalRunStatus(status)
      ? { why: 'The service lists no failure, and does not say that its list is complete.', next: SEE_TRIALS }
      : { why: 'Nothing went wrong so far.', next: 'Failures appear here while the run continues.' }
}

function causesOf(trials: readonly EvalIteration[]): ReadonlyMap<string, Cause> {
  return new Map(
    trials.flatMap(trial => {
      const cause = causeOf(trial)
      return cause === undefined ? [] : [[trial.id, cause] as const]
    }),
  )
}

function Failures({ projectId, run, data: { trials }, focused, open, onOpenTrial }: Props & { run: EvalRun }) {
  const { symbols } = useTheme()
  const openKey = useKeyName()(runsKeys, 'open')
  const pages = useDiagnostics(projectId, run)
  const causes = useMemo(() => causesOf(trials), [trials])
  const { failures, scanned, isComplete, problem, isReading, more } = pages
  const count = failures.length
  const hasMore = more !== undefined
  const roots = useMemo(
    () => diagnosticsNodes(run, pages, { symbols, openKey, causes }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the pages are new objects with every draw; these are what they say
    [run, count, scanned, isComplete, problem?.sentence, isReading, hasMore, symbols, openKey, causes],
  )
  const view = useOutline({
    roots,
    focused,
    isFlat: true,
    copyAll: () => jsonText(failures, 2),
    whole: 'the failures as JSON',
  })
  const here = view.here?.node.id
  const isAtEnd = here !== undefined && (here === MORE || failureOfNode(here) === count - 1)
  const reads = isAtEnd && problem === undefined ? more : undefined
  const wants = reads !== undefined
  useEffect(() => {
    if (wants) reads?.()
  }, [wants, reads])
  const chosen = here === undefined ? undefined : failures[failureOfNode(here) ?? -1]
  const iterationId = chosen && iterationOf(chosen)
  useOpens(open, () => {
    if (iterationId !== undefined) onOpenTrial(iterationId)
    else if (here === MORE) more?.()
  })
  return <ScrolledRows {...view.picture} />
}
