import { isForbidden } from '../findings/dismissal.ts'
import type { Priority } from '../../api/client/budget/waiting-queue.ts'

/** How one kind of read is repeated while Now is on screen; each read is one request. Times are milliseconds. */
type ReadRule = {
  /** For sentences: what is read. */
  what: string
  /** Pause between two reads of the same thing where there is budget enough. */
  every: number
  /** No longer than this while reads of less weight can still be made rarer. */
  longest: number
  /** Reads of more weight are made rarer last. */
  weight: 1 | 2 | 3
  /** Place of its requests in the budget's line. */
  priority: Priority
}

const SECOND = 1_000
const MINUTE = 60 * SECOND

/** What Now reads, and how often. */
export const NOW_READS = {
  live: { what: 'running runs', every: 3 * SECOND, longest: MINUTE, weight: 3, priority: 'visible' },
  suites: { what: 'suites', every: 20 * SECOND, longest: 4 * MINUTE, weight: 3, priority: 'visible' },
  runs: { what: 'runs of the last day', every: 30 * SECOND, longest: 5 * MINUTE, weight: 2, priority: 'visible' },
  // Findings come of waves, so that both are read half as often as one of them would be.
  waves: { what: 'waves', every: 2 * MINUTE, longest: 10 * MINUTE, weight: 2, priority: 'visible' },
  swarm: { what: 'swarm findings', every: 2 * MINUTE, longest: 10 * MINUTE, weight: 2, priority: 'visible' },
  scenarios: { what: 'scenarios', every: MINUTE, longest: 10 * MINUTE, weight: 2, priority: 'visible' },
  scenario: { what: 'scenario findings', every: 2 * MINUTE, longest: 20 * MINUTE, weight: 1, priority: 'background' },
  projects: { what: 'projects', every: 2 * MINUTE, longest: 20 * MINUTE, weight: 1, priority: 'visible' },
  rights: {
    what: 'what this key may do',
    // A feature that is switched off or on shows with these.
    every: 3 * MINUTE,
    longest: 15 * MINUTE,
    weight: 1,
    priority: 'visible',
  },
} as const satisfies Record<string, ReadRule>

export type NowReadKind = keyof typeof NOW_READS

export const NOW_READ_KINDS = Object.keys(NOW_READS) as NowReadKind[]

/** The pause after an answer: what is refused for missing rights stays so, and is not asked for again by itself. */
export function pauseAfter(error: unknown, pause: number): number | false {
  return isForbidden(error) ? false : pause
}

/** How many things of each kind are read. */
export type NowReadCounts = Readonly<Record<NowReadKind, number>>

/** Steps of pauses, in milliseconds: with one that divides the others, reads of several kinds share their moments. */
const STEP_MS = 4 * SECOND

function inSteps(pause: number): number {
  const step = pause <= STEP_MS ? SECOND : STEP_MS
  return Math.ceil(pause / step) * step
}

/**
 * The pause between two reads of each thing, in milliseconds, by kind. Together they never send more than one request
 * in `requestMs`: kinds of less weight are made rarer first, each up to its longest pause, and all of them where that
 * is not enough.
 */
export function planReads(counts: NowReadCounts, requestMs: number): Record<NowReadKind, number> {
  const pauses = Object.fromEntries(NOW_READ_KINDS.map(kind => [kind, NOW_READS[kind].every])) as Record<
    NowReadKind,
    number
  >
  const most = requestMs <= 0 ? Infinity : 1 / requestMs
  const rateOf = (kinds: readonly NowReadKind[]): number =>
    kinds.reduce((sum, kind) => sum + counts[kind] / pauses[kind], 0)
  for (const weight of [1, 2, 3]) {
    const [own, others] = [true, false].map(isOwn =>
      NOW_READ_KINDS.filter(kind => (NOW_READS[kind].weight === weight) === isOwn),
    ) as [NowReadKind[], NowReadKind[]]
    const room = most - rateOf(others)
    if (rateOf(own) <= room) break
    const factor = room <= 0 ? Infinity : rateOf(own) / room
    for (const kind of own) pauses[kind] = Math.min(NOW_READS[kind].longest, pauses[kind] * factor)
  }
  const over = rateOf(NOW_READ_KINDS) / most
  if (over > 1) for (const kind of NOW_READ_KINDS) pauses[kind] *= over
  // Rounded so that the sum stays below.
  for (const kind of NOW_READ_KINDS) if (pauses[kind] !== NOW_READS[kind].every) pauses[kind] = inSteps(pauses[kind])
  return pauses
}
