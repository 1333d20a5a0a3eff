import { useMemo } from 'react'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import { formatDuration, UNKNOWN } from '../../app/theme/format.ts'
import { useKeyName } from '../../app/keymap/use-bindings.ts'
import type { Theme } from '../../app/theme/theme.ts'
import { useTheme } from '../../app/theme/theme-context.tsx'
import { fieldLines, problemLines } from '../../components/lines.ts'
import { NothingChosen, PaneState, Sentence, type PaneData } from '../../components/pane-state.tsx'
import { traceOf } from '../../components/transcript/trace-document.ts'
import { TraceTree } from '../../components/transcript/trace-tree.tsx'
import type { Line } from '../../components/viewer.tsx'
import { lineSection } from '../../components/viewer/sections.ts'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { runsKeys } from './bindings.ts'
import { trialLook } from './status.ts'

/** An ended trial never changes again. */
const FINAL = { refetchInterval: false, staleTime: Infinity } as const

/** One call in one line: `echo {"message":"hi"}`. */
function callText(call: Record<string, unknown>): string {
  const name =
    typeof call.toolName === 'string' ? call.toolName : typeof call.name === 'string' ? call.name : UNKNOWN
  const args = call.arguments ?? call.args
  return args === undefined ? name : `${name} ${JSON.stringify(args)}`
}

/** The calls that the case asks for; one whose tool was never called is marked. */
export function expectedLines(theme: Theme, trial: EvalIteration): Line[] {
  const expected = trial.expectedToolCalls ?? []
  const called = new Set((trial.actualToolCalls ?? []).map(call => callText(call).split(' ')[0]!))
  const missing = (call: Record<string, unknown>): boolean => !called.has(callText(call).split(' ')[0]!)
  return [
    ...(expected.length === 0 ? [{ text: 'none named by the case', tone: 'muted' as const, indent: 2 }] : []),
    ...expected.map(call => ({
      text: `${missing(call) ? theme.symbols.error : theme.symbols.bullet} ${callText(call)}`,
      tone: missing(call) ? ('error' as const) : ('plain' as const),
      indent: 2,
    })),
  ]
}

/** One trial: its steps with their calls and times, the calls expected of it, its conversation. */
export function TrialTrace(props: {
  projectId: string
  runId: string
  trial: EvalIteration | undefined
  trials: PaneData
  focused: boolean
}) {
  const key = useKeyName()
  if (!props.trial)
    return (
      <NothingChosen
        sources={[{ what: 'the trials', data: props.trials }]}
        why={`Choose a trial in the trials tab and press ${key(runsKeys, 'open')}.`}
      />
    )
  return <OneTrial {...props} trial={props.trial} />
}

const READING: Line = { text: 'Reading the trace…', tone: 'muted', indent: 2 }

function trialLines(theme: Theme, trial: EvalIteration, told: boolean): Line[] {
  const look = trialLook(trial)
  return [
    ...fieldLines([
      ['Case', trial.title],
      ['Trial', String(trial.iterationNumber)],
      ['State', `${theme.symbols[look.symbol]} ${look.word}`, look.tone],
      ['Took', formatDuration(trial.durationMs)],
      ['Model', trial.model],
    ]),
    ...(trial.error && !told ? [{ text: trial.error, tone: 'error' as const }] : []),
    '',
  ]
}

function OneTrial(props: { projectId: string; runId: string; trial: EvalIteration; focused: boolean }) {
  const { trial } = props
  const theme = useTheme()
  const { queries } = useWorkspace()
  const input = { projectId: props.projectId, runId: props.runId, iterationId: trial.id }
  const ended = trial.status !== 'pending' && trial.status !== 'running'
  const steps = useApiQuery({
    ...queries.iterations.steps.options(input),
    enabled: ended,
    ...FINAL,
  })
  const trace = useApiQuery({
    ...queries.iterations.trace.options(input),
    enabled: ended,
    ...FINAL,
  })
  const told = steps.data?.items.some(step => step.reason === trial.error) ?? false
  const recorded = useMemo(
    () => traceOf(trace.data, steps.data?.items ?? [], trial),
    [trace.data, steps.data, trial],
  )
  const { data, problem } = trace
  const before = useMemo(
    () => [
      ...trialLines(theme, trial, told),
      ...(data ? [] : problem ? problemLines(theme.symbols, problem) : [READING]),
    ],
    [theme, trial, told, data, problem],
  )
  const after = useMemo(() => {
    const lines = expectedLines(theme, trial)
    return [lineSection('expected', 'Expected calls', lines)]
  }, [theme, trial])
  if (!ended)
    return <Sentence tone="muted" text={`This trial is ${trial.status}; its trace appears when it ends.`} />
  return (
    <PaneState data={steps} loading="Reading the steps…">
      <TraceTree trace={recorded} before={before} after={after} focused={props.focused} />
    </PaneState>
  )
}
