import type { Progress } from '../../api/contract/message.ts'
import type { Line } from '../../components/viewer.tsx'
import type { CallRecord } from '../../domain/calls/call-log.ts'
import { progressText } from '../../domain/calls/progress.ts'
import { bar } from '../../tui/theme/charts.ts'
import { formatDuration } from '../../lib/format.ts'
import { clean } from '../../tui/theme/text.ts'
import type { Symbols } from '../../tui/theme/theme.ts'

const BAR_COLUMNS = 24

function reported({ outcome }: CallRecord): Progress | undefined {
  return outcome.state === 'running' ? outcome.progress : undefined
}

/** Returns, in one line, the progress that the server reports for a running call; empty if it reports none. */
export function progressOf(record: CallRecord): string {
  const progress = reported(record)
  return progress ? clean(progressText(progress)) : ''
}

/** Returns how long a call has been running, in milliseconds; undefined once it has ended. */
export function runningFor({ outcome, startedAt }: CallRecord, now: number): number | undefined {
  return outcome.state === 'running' ? Math.max(0, now - startedAt) : undefined
}

/** Returns the lines of a running call: its duration and progress. */
export function runningLines(record: CallRecord, symbols: Symbols, now: number): Line[] {
  const progress = reported(record)
  const whole = Math.floor((runningFor(record, now) ?? 0) / 1000) * 1000
  const waiting = `Waiting for the ${record.kind === 'tool' ? 'tool’s result' : 'answer'}.`
  if (!progress) return [{ text: `${waiting} ${formatDuration(whole)} so far.`, tone: 'live' }]
  const { progress: done, total } = progress
  const drawn = total !== undefined && total > 0 ? `${bar(symbols, done / total, BAR_COLUMNS)} ` : ''
  return [
    { text: `${waiting} ${formatDuration(whole)} so far.`, tone: 'live' },
    { text: `${drawn}${clean(progressText(progress))}`, indent: 2 },
    { text: 'Progress does not extend the timeout of the call.', tone: 'muted', indent: 2 },
  ]
}
