import type { StoredNow } from '../../domain/now/memory.ts'
import { type ListNews, markOf } from '../../domain/seen/seen.ts'
import { useSeen } from '../../hooks/use-seen.ts'
import { localMoment } from '../../lib/times.ts'
import { formatAgo } from '../../lib/format.ts'
import type { NowRow } from './columns.ts'

/** Returns the name of the list in what the person has seen; each choice of projects has its own. */
export function seenListOf({ projects }: StoredNow): string {
  return projects ? `now ${markOf(projects.join(' '))}` : 'now'
}

/**
 * Returns what is new in the chosen projects since the person last looked; lines of low urgency, and those about the
 * connection, are not news.
 */
export function useNowNews(rows: readonly NowRow[], kept: StoredNow, isWhole: boolean): ListNews | undefined {
  return useSeen({
    list: seenListOf(kept),
    items: rows.filter(({ kind, urgency }) => kind !== 'line' && kind !== 'rate' && urgency !== 'low'),
    keyOf,
    says,
    bornAt,
    isWhole,
  })
}

const keyOf = ({ key }: NowRow): string => key
const says = ({ fingerprint }: NowRow): string => fingerprint
const bornAt = ({ at }: NowRow): number | undefined => at

/** Returns `2 new, 1 changed, 1 gone since you last looked at 18:02, 9h ago.` Undefined if nothing has changed. */
export function newsWords(news: ListNews | undefined, now: number): string | undefined {
  if (news?.lookedAt === undefined) return undefined
  const count = (wanted: string): number => [...news.news.values()].filter(each => each === wanted).length
  const parts = [
    [count('new'), 'new'],
    [count('changed'), 'changed'],
    [news.gone, 'gone'],
  ] as const
  const words = parts.flatMap(([many, word]) => (many > 0 ? [`${many} ${word}`] : []))
  if (words.length === 0) return undefined
  const { lookedAt } = news
  return `${words.join(', ')} since you last looked at ${localMoment(lookedAt, now)}, ${formatAgo(lookedAt, now)}.`
}
