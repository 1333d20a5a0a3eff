import type { EvalIteration, EvalStepVerdict } from '../../api/contract/iterations.ts'
import { formatDuration, UNKNOWN } from '../../app/theme/format.ts'
import type { Theme, Tone } from '../../app/theme/theme.ts'
import { useTheme } from '../../app/theme/theme-context.tsx'
import { fieldLines, heading, jsonLines } from '../../components/lines.ts'
import { PaneState, Sentence } from '../../components/pane-state.tsx'
import { Viewer, type Line } from '../../components/viewer.tsx'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { trialLook } from './status.ts'

const STEP_LOOK: Record<string, { symbol: 'ok' | 'error' | 'pending' | 'cancelled'; tone: Tone }> = {
  ok: { symbol: 'ok', tone: 'ok' },
  fail: { symbol: 'error', tone: 'error' },
  skipped: { symbol: 'cancelled', tone: 'muted' },
  pending: { symbol: 'pending', tone: 'muted' },
}

function stepLines(theme: Theme, steps: readonly EvalStepVerdict[]): Line[] {
  return [...steps]
    .sort((a, b) => a.stepIndex - b.stepIndex)
    .flatMap(step => {
      const look = STEP_LOOK[step.status] ?? { symbol: 'pending' as const, tone: 'warn' as const }
      const line: Line = {
        parts: [
          { text: `${theme.symbols[look.symbol]} ${step.status.padEnd(8)}`, tone: look.tone },
          { text: `${step.kind} ${step.stepId}`, tone: 'plain' },
        ],
      }
      return step.reason
        ? [line, { text: step.reason, indent: 4, tone: look.tone === 'error' ? 'error' : 'muted' }]
        : [line]
    })
}

/** An ended trial never changes again. */
const FINAL = { refetchInterval: false, staleTime: Infinity } as const

/** One call in one line: `echo {"message":"hi"}`. */
function callText(call: Record<string, unknown>): string {
  const name =
    typeof call.toolName === 'string' ? call.toolName : typeof call.name === 'string' ? call.name : UNKNOWN
  const args = call.arguments ?? call.args
  return args === undefined ? name : `${name} ${JSON.stringify(args)}`
}

/** Expected calls beside actual ones; a call in only one of the two columns is marked. */
export function callLines(theme: Theme, trial: EvalIteration): Line[] {
  const expected = trial.expectedToolCalls ?? []
  const actual = trial.actualToolCalls ?? []
  const names = (calls: readonly Record<string, unknown>[]): string[] =>
    calls.map(call => callText(call).split(' ')[0]!)
  const missing = (call: Record<string, unknown>): boolean =>
    !names(actual).includes(callText(call).split(' ')[0]!)
  return [
    heading('Expected calls'),
    ...(expected.length === 0 ? [{ text: 'none named by the case', tone: 'muted' as const, indent: 2 }] : []),
    ...expected.map(call => ({
      text: `${missing(call) ? theme.symbols.error : theme.symbols.bullet} ${callText(call)}`,
      tone: missing(call) ? ('error' as const) : ('plain' as const),
      indent: 2,
    })),
    '',
    heading('Actual calls'),
    ...(actual.length === 0 ? [{ text: 'no tool was called', tone: 'muted' as const, indent: 2 }] : []),
    ...actual.map(call => ({ text: `${theme.symbols.bullet} ${callText(call)}`, indent: 2 })),
  ]
}

/** One trial: verdict of each step with its reason, expected and actual calls, the recorded document. */
export function TrialTrace(props: {
  projectId: string
  runId: string
  trial: EvalIteration | undefined
  focused: boolean
}) {
  if (!props.trial) return <Sentence tone="muted" text="Choose a trial in the trials tab and press Enter." />
  return <OneTrial {...props} trial={props.trial} />
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
  const look = trialLook(trial)
  const told = steps.data?.items.some(step => step.reason === trial.error)
  const lines: Line[] = [
    ...fieldLines([
      ['Case', trial.title],
      ['Trial', String(trial.iterationNumber)],
      ['State', `${theme.symbols[look.symbol]} ${look.word}`, look.tone],
      ['Took', formatDuration(trial.durationMs)],
      ['Model', trial.model],
    ]),
    ...(trial.error && !told ? [{ text: trial.error, tone: 'error' as const }] : []),
    '',
    heading('Steps'),
    ...stepLines(theme, steps.data?.items ?? []),
    '',
    ...callLines(theme, trial),
    '',
    heading('Trace as recorded'),
    ...(trace.data
      ? jsonLines(trace.data, 2)
      : [{ text: trace.problem?.sentence ?? 'Reading the trace…', tone: 'muted' as const, indent: 2 }]),
  ]
  if (!ended)
    return <Sentence tone="muted" text={`This trial is ${trial.status}; its trace appears when it ends.`} />
  return (
    <PaneState data={steps} loading="Reading the steps…">
      <Viewer lines={lines} focused={props.focused} />
    </PaneState>
  )
}
