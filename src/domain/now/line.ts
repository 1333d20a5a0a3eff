import type { RunInWave } from '../swarms/waves.ts'
import type { Week } from './week.ts'

/** How urgent a line is: to act on now, to look at, or only to know. */
export const URGENCIES = ['high', 'medium', 'low'] as const
export type Urgency = (typeof URGENCIES)[number]

/** What a line is about; lines of the same urgency are sorted in this order. */
export const NOW_KINDS = ['line', 'rate', 'write', 'cause', 'server', 'run', 'wave', 'finding', 'scenario'] as const
export type NowKind = (typeof NOW_KINDS)[number]

export type NowProject = { id: string; name: string }

/** Where a line leads. */
export type NowTarget =
  /** `inFlight` names what can be stopped, as long as it can be. */
  | { to: 'run'; projectId: string; suiteId: string; runId: string; failed: boolean; inFlight?: string }
  | { to: 'wave'; projectId: string; waveId: string; name: string; runs: readonly RunInWave[] }
  | { to: 'server'; projectId: string; serverId: string }
  | { to: 'finding'; projectId: string; findingId: string; scenarioId: string | undefined }
  | { to: 'scenario'; projectId: string; scenarioId: string }
  | { to: 'suite'; projectId: string; suiteId: string | undefined }
  | { to: 'project'; projectId: string }
  /** Everything about it is already shown here. */
  | { to: 'here' }

/** One line of the inbox. Times are epoch milliseconds. */
export type NowLine = {
  /** Stays the same for the same thing, whatever its state. */
  key: string
  kind: NowKind
  urgency: Urgency
  /** Whether something is wrong with it. */
  isFault: boolean
  /** Name of the theme's symbol. */
  mark: 'ok' | 'error' | 'warn' | 'live' | 'pending'
  /** The mark in one or two words. */
  word: string
  sentence: string
  project: NowProject | undefined
  /** When it happened, if known. */
  at: number | undefined
  /** When what is shown here was read. */
  readAt: number | undefined
  /** What it says. A new fingerprint shows an acknowledged line again. */
  fingerprint: string
  target: NowTarget
  /** How often it ended and failed in the last week; undefined if not counted. */
  week: Week | undefined
  /** Bad for at most a day: for the first time as far as was read, or again after it had recovered. */
  news: 'new' | 'regressed' | undefined
  /** Why all of it failed, in the service's words; undefined if there is not one reason for all. */
  cause: string | undefined
  /** Key of the line that groups it with others of the same cause. */
  under: string | undefined
  /** The thing as the service returned it, for copying and viewing; a connection has none. */
  thing?: { kind: string; record: { id: string } }
}

/** A line's history and relations when nothing is known of them. */
export const NO_HISTORY = { week: undefined, news: undefined, cause: undefined, under: undefined } as const

const DAY_MS = 24 * 60 * 60_000

/** Returns `news` for something that is bad since then; both times are epoch milliseconds. */
export function newsSince(since: number | undefined, now: number, wasWell = false): NowLine['news'] {
  if (since === undefined || since < now - DAY_MS) return undefined
  return wasWell ? 'regressed' : 'new'
}

/** Data with the time of the answer. */
export type Read<T> = { value: T; at: number | undefined }
