import type { BudgetSnapshot } from '../../api/client/budget/budget.ts'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import type { LostLedger, Spent } from '../../api/client/budget/gauge.ts'
import { rateText, spentOn, spentTexts } from '../../domain/budget/lines.ts'
import { dirname } from 'node:path'
import { wallClock } from '../../lib/clock.ts'
import { isoTime } from '../../lib/times.ts'
import { jsonText, printable } from '../../lib/printable.ts'
import type { SavedContext } from '../workspace/in-workspace.ts'
import { isBusy } from '../../lib/sqlite.ts'
import { printDirectly } from '../output/output.ts'
import { say } from '../output/prose.ts'
import { sayError } from '../output/report-error.ts'

/**
 * Runs `mcpdeck budget [reset]`: shows what all processes of this machine sent with the profile's key in the last
 * minute.
 */
export async function showBudget({ client }: SavedContext, [action]: readonly string[], own: { json?: boolean }) {
  const { budget } = client
  const wasPaused = action === 'reset' && budget.reset()
  const [report, snapshot, now] = [budget.report(), budget.snapshot(), wallClock.now()]
  const { lost } = report
  if (action === 'reset' && wasPaused !== undefined)
    say(wasPaused ? 'The pause is over: the next request goes to the service.' : 'There was no pause.')
  if (own.json) printDirectly(`${jsonText(jsonOf(report.spent, report.othersWaiting, snapshot), 2)}\n`)
  else {
    const waiting = `${report.othersWaiting} waiting`
    for (const line of [rateText(snapshot, now), waiting, ...spentTexts(report)]) printDirectly(`${printable(line)}\n`)
  }
  return lost && (await sayLost(lost, wasPaused === undefined))
}

/** Says that nothing is known of other programs, and why; returns the exit code of the doctor. */
async function sayLost({ file, error }: LostLedger, wasToReset: boolean): Promise<number> {
  const { checkDatabase, checkDirectory } = await import('../doctor/doctor-checks.ts')
  const { exitCodeOf, fail } = await import('../doctor/doctor-check.ts')
  const found = [checkDirectory({ name: 'state dir', path: dirname(file), open: true }), checkDatabase('budget', file)]
  const why = isBusy(error) ? 'another program keeps it to itself' : systemErrorReason(error)
  const finding =
    found.find(({ state }) => state === 'fail') ??
    fail('budget', 'service', `${file} is out of reach: ${why}`, 'Try again in a moment.')
  const effect = wasToReset ? 'The pause was not ended' : 'This counts what this command sent, and nothing of others'
  return sayError(error, `${effect}: ${finding.detail}. ${finding.next}`, exitCodeOf([finding]))
}

function jsonOf(spent: readonly Spent[], waiting: number, snapshot: BudgetSnapshot) {
  const { unlimited, refillPerSecond, slowed, pausedUntil } = snapshot
  return {
    perMinute: unlimited ? null : refillPerSecond * 60,
    reason: unlimited ? 'unlimited' : slowed ? 'refused' : 'documented',
    pausedUntil: pausedUntil === undefined ? null : isoTime(pausedUntil),
    waiting,
    spent: spentOn(spent).map(({ place, count, refused }) => ({ place, count, refused })),
  }
}
