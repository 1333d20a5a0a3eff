import { isTerminalRunStatus, type EvalRun } from '../../../api/contract/runs.ts'
import type { Pin } from '../../../domain/runs/pins.ts'
import { partLabels, reportRun } from '../../../domain/runs/suite-state.ts'
import type { TrialCounts } from '../../../domain/runs/trials.ts'
import { bar } from '../../../tui/theme/charts.ts'
import { clean, truncate, widthOf } from '../../../tui/theme/text.ts'
import type { Symbols, Tone } from '../../../tui/theme/theme.ts'
import { runLook } from '../../../components/records/run-look.ts'

/** A followed run with its state; without a run, it was not read yet. */
export type Followed = {
  pin: Pin
  run?: EvalRun | undefined
  counts?: TrialCounts | undefined
  /** Share of its trials that has ended; never decreases. */
  share?: number | undefined
  /** Milliseconds until it ends, according to its trials; undefined if unknown. */
  remaining?: number | undefined
  /** Whether it cannot be read: it was deleted, or this key can no longer see it. */
  isGone: boolean
}

export type Chip = { runId: string; text: string; tone: Tone }

type ChipSymbols = Pick<Symbols, 'bar' | 'ok' | 'error' | 'warn' | 'live' | 'again' | 'pending' | 'cancelled'>

const BAR = 3
const MOST_LABEL = 14
const ID_SHOWN = 8

/** Returns the name of a followed run: its number, and its target in a group; with neither, the end of its id. */
export function followedName({ pin, run }: Pick<Followed, 'pin' | 'run'>): string {
  const number = run?.runNumber == null ? undefined : `#${run.runNumber}`
  if (pin.label !== undefined) return [number, truncate(clean(pin.label), MOST_LABEL)].filter(Boolean).join(' ')
  return number ?? clean(pin.runId).slice(-ID_SHOWN)
}

/** Whether the run has ended or can no longer be read. */
export function hasEnded({ run, isGone }: Followed): boolean {
  return isGone || (run !== undefined && isTerminalRunStatus(run.status))
}

/** Returns `#12 ━━─ 61% 2m left` while it runs, `#12 ✗ failed` or `#13 ✓ passed, 3 of 6 cases` when it has ended. */
export function chipOf(followed: Followed, symbols: ChipSymbols): Chip {
  const { pin, run, counts, remaining, isGone } = followed
  const share = followed.share ?? (counts ? counts.ended / counts.total : 0)
  const chip = (tone: Tone, ...parts: (string | undefined)[]): Chip => ({
    runId: pin.runId,
    tone,
    text: clean([followedName(followed), ...parts].filter(Boolean).join(' ')),
  })
  if (isGone) return chip('warn', symbols.warn, 'gone')
  if (!run) return chip('muted', symbols.pending)
  const look = runLook(run)
  const parts = partLabels(reportRun(run))
  if (hasEnded(followed)) return chip(look.tone, symbols[look.symbol], [look.word, ...parts].join(', '))
  if (!counts || counts.total === 0) return chip('live', symbols[look.symbol], look.word)
  return chip(
    'live',
    bar(symbols, Math.floor(BAR * share) / BAR, BAR),
    // Rounded down, so that nothing looks done before it is.
    `${Math.floor(100 * share)}%`,
    remaining === undefined ? undefined : `${shortTime(remaining)} left`,
  )
}

const MINUTE_MS = 60_000

/** Formats a duration, rounded because it is only an estimate: `20s`, `2m`, `3h`. */
function shortTime(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.max(5, Math.ceil(ms / 5_000) * 5)}s`
  const minutes = Math.ceil(ms / MINUTE_MS)
  return minutes < 120 ? `${minutes}m` : `${Math.ceil(minutes / 60)}h`
}

/** Returns the first chips that fit into `room` columns with two blanks after each, and the number of the others. */
export function fitChips(
  chips: readonly Chip[],
  room: number,
): { shown: readonly Chip[]; hidden: number; width: number } {
  const shown: Chip[] = []
  let width = 0
  for (const [index, chip] of chips.entries()) {
    const wanted = widthOf(chip.text) + 2
    const rest = chips.length - index - 1
    if (width + wanted + (rest > 0 ? overflowText(rest).length + 1 : 0) > room) break
    shown.push(chip)
    width += wanted
  }
  const hidden = chips.length - shown.length
  return { shown, hidden, width: hidden > 0 ? width + overflowText(hidden).length + 1 : width }
}

/** Returns the number of hidden chips: `+2`. */
export function overflowText(hidden: number): string {
  return `+${hidden}`
}
