import { useMemo } from 'react'
import type { EvalIteration } from '../../../api/contract/iterations.ts'
import { isOpenTrial } from '../../../domain/runs/trials.ts'
import { useKeyName } from '../../../tui/keymap/use-bindings.ts'
import { useTheme } from '../../../tui/theme/theme-context.tsx'
import { problemLines } from '../../../components/lines.ts'
import { NothingChosen, PaneState, Sentence } from '../../../components/pane-state.tsx'
import { traceOf } from '../../../components/transcript/trace-document.ts'
import { TraceTree } from '../../../components/transcript/trace-tree.tsx'
import { linesNode } from '../../../components/viewer/sections.ts'
import { useApiQuery } from '../../../hooks/use-api-query.ts'
import { useWorkspace } from '../../../hooks/workspace.tsx'
import { runsKeys } from '../bindings.ts'
import type { RunData } from '../use-runs-data.ts'
import { useTrialCauses } from '../tools/use-tool-evidence.ts'
import { differenceOf } from './difference-nodes.ts'
import { headLines } from './head-lines.ts'
import { scoreNodes } from './score-nodes.ts'
import type { Trials } from './use-trials.ts'
import { useCaseRules, useWholeTrial } from './use-whole-trial.ts'

/** A trial that has ended never changes again. */
const FINAL = { refetchInterval: false, staleTime: Infinity } as const

type Shown = { projectId: string; runId: string; data: RunData; trials: Trials; focused: boolean }

/**
 * Shows a trial: its outcome and reason, expected and actual calls, the verdicts of its steps, its scores, its trace.
 */
export function TrialTab(props: Shown) {
  const key = useKeyName()
  const { chosen } = props.trials
  if (!chosen)
    return (
      <NothingChosen
        sources={[{ what: 'the trials', data: props.data.trialsQuery }]}
        why="No trial is chosen."
        next={`Choose one in the tab Trials and press ${key(runsKeys, 'open')} to open it.`}
      />
    )
  if (isOpenTrial(chosen))
    return <Sentence tone="muted" text={`This trial is ${chosen.status}; its trace appears when it ends.`} />
  return <EndedTrial key={chosen.id} {...props} trial={chosen} />
}

function EndedTrial(props: Shown & { trial: EvalIteration }) {
  const { projectId, runId, trial, data } = props
  const { symbols } = useTheme()
  const { queries } = useWorkspace()
  const input = { projectId, runId, iterationId: trial.id }
  const steps = useApiQuery({ ...queries.iterations.steps.options(input), ...FINAL })
  const trace = useApiQuery({ ...queries.iterations.trace.options(input), ...FINAL })
  const whole = useWholeTrial({ projectId, runId }, trial, steps.hasData)
  const rules = useCaseRules(projectId, data.run.data?.suiteId, trial.testCaseId)
  const items = steps.data?.items
  const ofCase = props.trials.ofCase(trial)
  const causes = useTrialCauses(projectId, data.run.data, trial)
  const recorded = useMemo(() => traceOf(trace.data, items ?? [], trial), [trace.data, items, trial])
  const { match, isNegative, isKnown } = rules
  const difference = useMemo(
    () =>
      differenceOf(symbols, {
        expected: trial.expectedToolCalls ?? [],
        actual: trial.actualToolCalls ?? [],
        match,
        isNegative: isNegative || isNegativeByScores(whole),
        isKnown,
      }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- what the match says, not which object says it
    [symbols, trial, whole, isNegative, isKnown, match.order, match.extra, match.arguments],
  )
  const { problem } = trace
  const hasTrace = trace.hasData
  const head = useMemo(
    () => [
      linesNode('head', headLines(symbols, { ...trial, ...whole }, { steps: items ?? [], ofCase, causes })),
      ...(difference.isWrong ? difference.nodes : []),
    ],
    [symbols, trial, whole, items, ofCase, causes, difference],
  )
  const after = useMemo(
    () => [
      ...(difference.isWrong ? [] : difference.nodes),
      ...scoreNodes(symbols, whole, new Set(items?.map(({ reason }) => reason ?? ''))),
      ...(hasTrace ? [] : [linesNode('trace', problem ? problemLines(symbols, problem) : [READING])]),
    ],
    [symbols, whole, items, difference, hasTrace, problem],
  )
  return (
    <PaneState data={steps} loading="Reading the steps…">
      <TraceTree trace={recorded} before={head} after={after} focused={props.focused} />
    </PaneState>
  )
}

const READING = { text: 'Reading the trace…', tone: 'muted' } as const

/** Whether a score reports the rule of negative cases, in case the case itself no longer exists. */
function isNegativeByScores(whole: EvalIteration | undefined): boolean {
  const listed: unknown = whole?.evaluationConfig?.['definitions']
  return Array.isArray(listed) && listed.some((each: unknown) => Object(each).label === 'noToolCalled')
}
