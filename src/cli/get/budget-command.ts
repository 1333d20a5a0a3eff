import type { BudgetSnapshot } from '../../api/client/budget/budget.ts'
import type { Spent } from '../../api/client/budget/gauge.ts'
import { rateText, spentOn, spentTexts } from '../../domain/budget/lines.ts'
import { wallClock } from '../../lib/clock.ts'
import { isoTime } from '../../lib/times.ts'
import { jsonText, printable } from '../../lib/printable.ts'
import type { SavedContext } from '../workspace/in-workspace.ts'
import { printDirectly } from '../output/output.ts'
import { say } from '../output/prose.ts'

/** `mcpdeck budget [reset]`: what all processes of this machine sent with the profile's key in the last minute. */
export async function showBudget({ client }: SavedContext, [action]: readonly string[], own: { json?: boolean }) {
  const { budget } = client
  if (action === 'reset')
    say(budget.reset() ? 'The pause is over: the next request goes to the service.' : 'There was no pause.')
  const [report, snapshot, now] = [budget.report(), budget.snapshot(), wallClock.now()]
  if (own.json) printDirectly(`${jsonText(jsonOf(report.spent, report.othersWaiting, snapshot), 2)}\n`)
  else {
    const waiting = `${report.othersWaiting} waiting`
    for (const line of [rateText(snapshot, now), waiting, ...spentTexts(report)]) printDirectly(`${printable(line)}\n`)
  }
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
