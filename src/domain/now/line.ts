import type { RunInWave } from '../swarms/waves.ts'
import type { Week } from './week.ts'

/** The urgency of a line: something to do now, something to check, or information. */
export const URGENCIES = ['high', 'medium', 'low'] as const
export type Urgency = (typeof URGENCIES)[number]

/** What a line can be about. Lines of the same urgency are sorted in this order. */
export const NOW_KINDS = ['line', 'rate', 'write', 'cause', 'server', 'run', 'wave', 'finding', 'scenario'] as const
export type NowKind = (typeof NOW_KINDS)[number]

export type NowProject = { id: string; name: string }

/** The place that a line leads to. */
export type NowTarget =
  /** `inFlight` names the runs that can be stopped. */
  | { to: 'run'; projectId: string; suiteId: string; runId: string; failed: boolean; inFlight?: string }
  | { to: 'wave'; projectId: string; waveId: string; name: string; runs: readonly RunInWave[] }
  | { to: 'server'; projectId: string; serverId: string }
  | { to: 'finding'; projectId: string; findingId: string; scenarioId: string | undefined }
  | { to: 'scenario'; projectId: string; scenarioId: string }
  | { to: 'suite'; projectId: string; suiteId: string | undefined }
  | { to: 'project'; projectId: string }
  /** Now already shows everything about the line, so it leads nowhere. */
  | { to: 'here' }

/** One line of the inbox. Times are epoch milliseconds. */
export type NowLine = {
  /** Identifies the thing that the line is about, whatever its state. */
  key: string
  kind: NowKind
  urgency: Urgency
  /** Whether the line reports that something is wrong. */
  isFault: boolean
  /** Name of the theme's symbol. */
  mark: 'ok' | 'error' | 'warn' | 'live' | 'pending'
  /** The state in one or two words. */
  word: string
  sentence: string
  project: NowProject | undefined
  /** Time of the event, if known. */
  at: number | undefined
  /** Time at which the data of this line was read. */
  readAt: number | undefined
  /** Changes with the content of the line. A new fingerprint shows an acknowledged line again. */
  fingerprint: string
  target: NowTarget
  /** Numbers of ends and failures in the last week; undefined if not counted. */
  week: Week | undefined
  /**
   * Set if the thing has been bad for at most a day. `regressed` if it was bad before and had recovered, `new` if
   * nothing that was read shows that it was bad before.
   */
  news: 'new' | 'regressed' | undefined
  /** The only cause, in the service's words; undefined if there are several or none is known. */
  cause: string | undefined
  /** Key of the line that groups this one with others of the same cause. */
  under: string | undefined
  /** The thing as the service returned it, for copying and viewing. A connection has none. */
  thing?: { kind: string; record: { id: string } }
}

/** History and relations of a line about which nothing is known. */
export const NO_HISTORY = { week: undefined, news: undefined, cause: undefined, under: undefined } as const

const DAY_MS = 24 * 60 * 60_000

/** Returns `news` for something that has been bad since `since`. Both times are epoch milliseconds. */
export function newsSince(since: number | undefined, now: number, wasWell = false): NowLine['news'] {
  if (since === undefined || since < now - DAY_MS) return undefined
  return wasWell ? 'regressed' : 'new'
}

/** Data with the time of its answer. */
export type Read<T> = { value: T; at: number | undefined }
