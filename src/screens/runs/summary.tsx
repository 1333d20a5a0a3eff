import type { EvalIteration } from '../../api/contract/iterations.ts'
import { isTerminalRunStatus, type EvalRun } from '../../api/contract/runs.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { countTrials } from '../../api/runs/trials.ts'
import {
  formatAge,
  formatCount,
  formatDuration,
  formatRate,
  plural,
  UNKNOWN,
} from '../../app/theme/format.ts'
import type { Theme } from '../../app/theme/theme.ts'
import { useTheme } from '../../app/theme/theme-context.tsx'
import { fieldLines, heading, type Field } from '../../components/lines.ts'
import { PaneState } from '../../components/pane-state.tsx'
import { useSize } from '../../components/size.tsx'
import { Viewer, type Line } from '../../components/viewer.tsx'
import { runLook } from './status.ts'
import type { RunData } from './use-runs-data.ts'

/** `████████░░░░ 8 of 12 trials`. */
function progressLine(theme: Theme, trials: readonly EvalIteration[], width: number): Line {
  const progress = countTrials(trials)
  const room = Math.max(10, Math.min(40, width - 30))
  const filled = progress.total === 0 ? 0 : Math.round((room * progress.ended) / progress.total)
  const [full, empty] = theme.symbols.bar
  return {
    parts: [
      { text: full.repeat(filled) + empty.repeat(room - filled), tone: 'live' },
      {
        text: ` ${progress.ended} of ${plural(progress.total, 'trial')}, ${progress.running} running`,
        tone: 'plain',
      },
    ],
  }
}

function text(value: unknown): string | undefined {
  if (value == null) return undefined
  if (typeof value === 'string') return value
  if (typeof value === 'object' && 'kind' in value) return String(value.kind)
  return JSON.stringify(value)
}

/** Counts of the run's own summary; their unit is the decision summary's, when it tells one. */
function countFields(run: EvalRun, trials: readonly EvalIteration[]): Field[] {
  const summary = run.summary
  const unit = run.decisionSummary?.measurementUnit?.replaceAll('_', ' ')
  const progress = countTrials(trials)
  return [
    ['Counted in', unit],
    [
      'Passed',
      summary?.total == null
        ? UNKNOWN
        : `${formatCount(summary.passed)} of ${formatCount(summary.total)} (${formatRate(summary.passed, summary.total)})`,
      summary?.failed ? 'plain' : 'ok',
    ],
    ['Failed', formatCount(summary?.failed), summary?.failed ? 'error' : 'plain'],
    ['Trials', `${progress.passed} passed, ${progress.failed} failed, ${progress.total} in all`],
  ]
}

function runFields(run: EvalRun, trials: readonly EvalIteration[], theme: Theme): Field[] {
  const look = runLook(run)
  const started = toEpochMs(run.createdAt)
  const ended = toEpochMs(run.completedAt)
  const tokens = trials.reduce<number | undefined>(
    (sum, trial) => (trial.tokensUsed == null ? sum : (sum ?? 0) + trial.tokensUsed),
    undefined,
  )
  return [
    ['Status', run.status, isTerminalRunStatus(run.status) ? 'plain' : 'live'],
    ['Result', `${theme.symbols[look.symbol]} ${look.word}`, look.tone],
    ['Decision', run.decisionSummary?.decision],
    ['Verdict', text(run.decisionSummary?.verdict)],
    ...countFields(run, trials),
    ['Started', `${formatAge(started, Date.now())} ago`],
    ['Took', formatDuration(started !== undefined && ended !== undefined ? ended - started : undefined)],
    ['Tokens', formatCount(tokens)],
    [
      'Environment',
      run.environment
        ? `${run.environment.name ?? run.environment.id} r${run.environment.revision ?? UNKNOWN}`
        : 'saved server selection',
    ],
    ['Client', run.client && `${run.client.name} (${run.client.source ?? UNKNOWN})`],
    ['Model from', run.modelSource],
    ['Engine', run.executionEngine],
    ['Source', run.source],
    ['Notes', run.notes],
    ['Run id', run.id],
  ]
}

/** What the run is and how it stands. */
export function RunSummary(props: { data: RunData; focused: boolean }) {
  const theme = useTheme()
  const { width } = useSize()
  const { run, trials } = props.data
  const lines: Line[] = run.data
    ? [
        ...(isTerminalRunStatus(run.data.status) ? [] : [progressLine(theme, trials, width), '']),
        ...fieldLines(runFields(run.data, trials, theme)),
        ...failureLines(trials, theme),
      ]
    : []
  return (
    <PaneState data={run} loading="Reading the run…">
      <Viewer lines={lines} focused={props.focused} />
    </PaneState>
  )
}

/** The failing trials with their first reason, so that the summary already answers "why". */
function failureLines(trials: readonly EvalIteration[], theme: Theme): Line[] {
  const failing = trials.filter(trial => trial.result === 'failed' || trial.error)
  if (failing.length === 0) return []
  return [
    '',
    heading(plural(failing.length, 'trial needs a look', 'trials need a look')),
    ...failing.slice(0, 20).flatMap((trial): Line[] => [
      {
        text: `${theme.symbols.error} ${trial.title ?? trial.id} (trial ${trial.iterationNumber})`,
        tone: 'error',
      },
      { text: trial.error ?? 'no reason was given', indent: 2 },
    ]),
  ]
}
