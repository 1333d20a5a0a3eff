import prettyMilliseconds from 'pretty-ms'

/** Shown for unknown values; never 0 or empty. */
export const UNKNOWN = '—'

/** Maximum duration of a thousand years, in milliseconds. A longer one cannot be right. */
const LONGEST_MS = 1000 * 365 * 86_400_000

/** Returns a duration for people: `340ms`, `1.2s`, `3m 5s`; unknown if it cannot be a duration. */
export function formatDuration(milliseconds: number | null | undefined): string {
  if (milliseconds == null || !(milliseconds >= 0 && milliseconds <= LONGEST_MS)) return UNKNOWN
  return prettyMilliseconds(milliseconds, {
    secondsDecimalDigits: milliseconds < 10_000 ? 1 : 0,
    millisecondsDecimalDigits: 0,
    unitCount: 2,
  })
}

/**
 * Returns an age in units that need redrawing only once a minute: `now`, `5m`, `3h`, `12d`, `2y`. Times are epoch
 * milliseconds.
 */
export function formatAge(then: number | undefined, now: number): string {
  if (then === undefined || !Number.isFinite(now - then)) return UNKNOWN
  const age = now - then
  if (age > LONGEST_MS) return UNKNOWN
  return age < 60_000 ? 'now' : prettyMilliseconds(age, { compact: true })
}

/** Returns an age for use in a sentence: `3h ago`, or `just now`. An unknown age stays unknown. */
export function formatAgo(then: number | undefined, now: number): string {
  const age = formatAge(then, now)
  return age === UNKNOWN ? age : age === 'now' ? 'just now' : `${age} ago`
}

/** Upper limits for ages while nobody is looking, in milliseconds. */
const BOUNDS = [10 * 60_000, 60 * 60_000]

/**
 * Returns the maximum age, such as `less than 10m ago`: a text that rarely changes while the value is renewed.
 */
export function formatAgoAtMost(then: number | undefined, now: number): string {
  const bound = then === undefined || then > now ? undefined : BOUNDS.find(limit => now - then < limit)
  return bound === undefined ? formatAgo(then, now) : `less than ${prettyMilliseconds(bound, { compact: true })} ago`
}

/** Returns a share in whole percent; unknown if nothing was counted. */
export function formatRate(part: number | null | undefined, whole: number | null | undefined): string {
  return part == null || !whole ? UNKNOWN : formatShare(part / whole)
}

/**
 * Returns a share from 0 to 1 in whole percent. Only all is 100 and only nothing is 0; unknown if it cannot be a share.
 */
export function formatShare(share: number | undefined): string {
  if (share === undefined || !(share >= 0 && share <= 1)) return UNKNOWN
  if (share === 0) return '0%'
  if (share === 1) return '100%'
  return `${Math.min(99, Math.max(1, Math.round(share * 100)))}%`
}

/** Created for the first fraction, because it loads 8 MB of language data. */
let numbers: Intl.NumberFormat | undefined

/** Returns a count with separators: `12,345`. */
export function formatCount(value: number | null | undefined): string {
  if (value == null || !Number.isFinite(value)) return UNKNOWN
  if (Number.isSafeInteger(value)) return String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
  numbers ??= new Intl.NumberFormat('en-US')
  return numbers.format(value)
}

/** Returns a count with its noun: `1 case`, `2 cases`. */
export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : nouns}`
}

/** Capitalizes the first letter, for a label or a sentence. */
export function sentenceCase(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
