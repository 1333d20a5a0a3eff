import type { BudgetSnapshot } from '../../api/client/budget/budget.ts'
import type { BudgetReport, Purpose, Spent } from '../../api/client/budget/gauge.ts'
import { plural } from '../../lib/format.ts'

const PURPOSES: Readonly<Record<Exclude<Purpose, 'refused'>, string>> = {
  write: 'writes',
  foreground: 'foreground',
  visible: 'on screen',
  live: 'live progress',
  pinned: 'followed',
  background: 'background',
}

/** The requests of one screen or command in the last minute: sent ones with their purposes, and refused ones. */
export type SpentOn = { place: string; isOwn: boolean; count: number; refused: number; purposes: string }

/** Groups the counts by screen or command, and by whether they are of this process; the largest group first. */
export function spentOn(spent: readonly Spent[]): SpentOn[] {
  const groups = Map.groupBy(spent, ({ place, isOwn }) => JSON.stringify([isOwn, place]))
  return [...groups.values()]
    .map(counts => {
      const sum = (of: (purpose: Purpose) => boolean) =>
        counts.reduce((total, { purpose, count }) => total + (of(purpose) ? count : 0), 0)
      const { place, isOwn } = counts[0]!
      const purposes = Object.entries(PURPOSES)
        .map(([purpose, label]) => ({ label, count: sum(each => each === purpose) }))
        .filter(({ count }) => count > 0)
        .map(({ label, count }) => `${label} ${count}`)
        .join(', ')
      return {
        place,
        isOwn,
        count: sum(each => each !== 'refused'),
        refused: sum(each => each === 'refused'),
        purposes,
      }
    })
    .toSorted((one, other) => other.count - one.count)
}

/** Seconds that each column of {@link spentOver} covers. */
export const SPENT_SECONDS = 2
export const SPENT_COLUMNS = 60 / SPENT_SECONDS

/** Returns requests of the last minute by purpose, oldest first. Refused requests come last. */
export function spentOver({ spent, second }: Pick<BudgetReport, 'spent' | 'second'>) {
  const last = Math.floor(second / SPENT_SECONDS)
  return Object.entries({ ...PURPOSES, refused: 'refused' }).flatMap(([purpose, label]) => {
    const counts = Array.from({ length: SPENT_COLUMNS }, () => 0)
    for (const each of spent) {
      const at = SPENT_COLUMNS - 1 - (last - Math.floor(each.second / SPENT_SECONDS))
      // The newest column may be incomplete, and the oldest second then belongs to a column that is not shown.
      const column = Math.max(0, at)
      if (each.purpose === purpose && counts[column] !== undefined) counts[column] += each.count
    }
    return counts.some(count => count > 0) ? [{ label, counts }] : []
  })
}

/** Describes a column of {@link spentOver} in numbers: `2 to 4 s ago: 3 foreground, 1 on screen`. */
export function spentAtText(purposes: ReturnType<typeof spentOver>, column: number): string {
  const since = (SPENT_COLUMNS - 1 - column) * SPENT_SECONDS
  const sent = purposes.flatMap(({ label, counts }) => (counts[column] ? [`${counts[column]} ${label}`] : []))
  return `${since} to ${since + SPENT_SECONDS} s ago: ${sent.join(', ') || 'nothing sent'}`
}

/** Returns the rate that the budget assumes, and why, in one or two sentences. */
export function rateText({ unlimited, refillPerSecond, slowed, pausedUntil }: BudgetSnapshot, now: number): string {
  if (unlimited) return 'No limit: the workspace answers in this process.'
  const rate = `${Math.round(refillPerSecond * 60)} requests a minute are assumed`
  const why = slowed
    ? 'the service refused some (429), so others seem to use the key on other machines'
    : 'as documented; the service refused none lately, and its answers state no rate'
  const pause = pausedUntil === undefined ? 0 : Math.ceil((pausedUntil - now) / 1000)
  return `${rate}: ${why}.${pause > 0 ? ` It asked for a pause, which ends in ${pause} s.` : ''}`
}

/** Returns the lines that `mcpdeck budget` prints, and that the overlay shows above the part about this process. */
export function spentTexts(report: BudgetReport, titleOf: (place: string) => string = place => place): string[] {
  const groups = spentOn(report.spent)
  const total = groups.reduce((sum, { count }) => sum + count, 0)
  const from = report.lost ? 'this program; what others sent is not known' : 'this machine'
  return [
    `${plural(total, 'request')} in the last minute from ${from}`,
    ...groups.map(({ place, isOwn, purposes, refused }) => {
      const of = isOwn ? titleOf(place) : `${titleOf(place)} (another process)`
      return `  ${of}: ${[purposes, refused > 0 && `refused ${refused}`].filter(Boolean).join(', ')}`
    }),
  ]
}

/** Returns sentences about the requests of this process that wait, and those that it did not send. */
export function ownTexts(report: BudgetReport, titleOf: (place: string) => string): string[] {
  const { waiting, othersWaiting, spared } = report
  return [
    `${plural(waiting.length, 'request')} waiting here, ${othersWaiting} in other processes`,
    ...waiting.map(({ what, place, purpose, sinceMs }) => {
      const label = purpose === 'refused' ? purpose : PURPOSES[purpose]
      return `  ${what}: ${titleOf(place)}, ${label}, for ${Math.round(sinceMs / 1000)} s`
    }),
    'Saved in this session',
    `  reads answered from what was just read: ${spared.fresh}`,
    `  pages of lists that a poll left out: ${spared.pages}`,
    `  requests cancelled before they were sent: ${spared.givenUp}`,
    `  answers that had not changed, and were skipped: ${spared.same}`,
  ]
}
