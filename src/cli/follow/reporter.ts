import type { ApiError } from '../../api/client/errors/api-error.ts'
import { localClock } from '../../lib/times.ts'
import { jsonText } from '../../lib/printable.ts'
import { redactedValue, type Own } from '../../lib/redaction/redaction.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { describeError } from '../../api/client/errors/error-text.ts'
import { plural } from '../../lib/format.ts'
import { remainingLabel } from '../../domain/runs/estimate.ts'
import type { TrialCounts } from '../../domain/runs/trials.ts'
import { clean } from '../../tui/theme/text.ts'
import type { Output } from '../output/output.ts'
import { say } from '../output/prose.ts'
import type { FollowEvent } from './follow-run.ts'
import { printedLines, rewrittenLine, type StatusLine } from './status-line.ts'

export type ReportMode = 'text' | 'json' | 'jsonl'

export type Reporter = {
  /** Receives an event of a run; the label distinguishes it from its siblings and is empty for a single one. */
  onEvent: (label: string, event: FollowEvent) => void
  /** Prints a sentence for people. */
  say: (sentence: string) => void
  /** Removes the progress line before the final result. */
  end: () => void
}

export type ReporterOptions = {
  mode: ReportMode
  output: Output
  /** Whether a line may be rewritten in place. */
  inPlace: boolean
  /** Texts that must not appear in an event. */
  texts?: Own
}

/**
 * Reports the progress of runs. Text goes to standard output: one line that is rewritten on a terminal, else a line for
 * each change. `json` reports on standard error, because standard output has only the result. `jsonl` prints one event
 * a line, and rewrites a line on standard error if that is a terminal.
 */
export function createReporter({ mode, output, inPlace, texts: own = {} }: ReporterOptions): Reporter {
  const line = statusLine(mode, output, inPlace)
  const texts = new Map<string, string>()
  const interject = (sentence: string): void => {
    line.clear()
    say(sentence)
  }
  const show = (label: string, text: string): void => {
    const named = label === '' ? text : `${label}: ${text}`
    texts.set(label, named)
    line.show(inPlace ? [...texts.values()].join('  |  ') : named)
  }
  return {
    say: interject,
    end: () => line.clear(),
    onEvent(label, event) {
      if (mode === 'jsonl') void output.write(`${jsonText(redactedValue(eventRecord(event), own))}\n`)
      switch (event.event) {
        case 'changed':
          show(label, progressText(event))
          break
        case 'retrying':
          // Reported once for each lost connection; until it is back there is no news.
          if (event.failures === 1) interject(lostSentence(label, event.error))
          break
        case 'answered':
          interject(`${label === '' ? '' : `${label}: `}${ANSWERS_AGAIN}`)
      }
    },
  }
}

function statusLine(mode: ReportMode, output: Output, inPlace: boolean): StatusLine {
  if (mode === 'text') return inPlace ? rewrittenLine(process.stdout) : printedLines(text => void output.write(text))
  if (inPlace) return rewrittenLine(process.stderr)
  return mode === 'json'
    ? printedLines(text => void process.stderr.write(text))
    : { show: () => undefined, clear: () => undefined }
}

type ProgressOf = { run: Pick<EvalRun, 'status'>; counts: TrialCounts; remaining: number | undefined }

/** Returns `running, 5 of 12 trials, 4 passed, 1 failed, about 30 s left`. */
function progressText({ run, counts, remaining }: ProgressOf): string {
  const { total, ended, passed, failed, ungraded, cancelled } = counts
  return [
    clean(run.status),
    `${ended} of ${plural(total, 'trial')}`,
    `${passed} passed`,
    `${failed} failed`,
    ...(ungraded > 0 ? [`${ungraded} without a verdict`] : []),
    ...(cancelled > 0 ? [`${cancelled} cancelled`] : []),
    // An unknown remaining time is not mentioned.
    ...(remaining === undefined || remaining === 0 ? [] : [remainingLabel(remaining)]),
  ].join(', ')
}

export const ANSWERS_AGAIN = 'The service answers again.'

/** Says why there is no news of a run that is being followed. */
export function lostSentence(label: string, error: ApiError): string {
  const { title, sentence } = describeError(error)
  const time = localClock(Date.now(), 'seconds')
  const of = label === '' ? '' : `${label}: `
  return `${of}${time} ${title}: ${sentence} The run continues; mcpdeck keeps polling.`
}

/** Returns an event as `--jsonl` prints it. */
function eventRecord(event: FollowEvent): object {
  const at = Date.now()
  if (event.event === 'changed') {
    const { id, status, result = null } = event.run
    const counts = { unit: 'trials', ...event.counts }
    const remainingMs = event.remaining === undefined ? null : Math.round(event.remaining)
    return { event: 'changed', at, runId: id, status, result, counts, remainingMs }
  }
  if (event.event === 'answered') return { event: 'answered', at }
  const { code = null, status = null, message } = event.error
  return { event: 'retrying', at, pauseMs: Math.round(event.pauseMs), error: { code, status, message } }
}
