import type { RunInWave } from '../swarms/waves.ts'
import type { Week } from './week.ts'

/** What a line wants: to be dealt with at once, to be looked at, or only to be known. */
export const URGENCIES = ['high', 'medium', 'low'] as const
export type Urgency = (typeof URGENCIES)[number]

/** What a line is about, in the order in which lines of one urgency stand. */
export const NOW_KINDS = ['line', 'rate', 'write', 'cause', 'server', 'run', 'wave', 'finding', 'scenario'] as const
export type NowKind = (typeof NOW_KINDS)[number]

export type NowProject = { id: string; name: string }

/** Where a line leads. */
export type NowTarget =
  /** `inFlight` is what it is called while it can be stopped. */
  | { to: 'run'; projectId: string; suiteId: string; runId: string; failed: boolean; inFlight?: string }
  | { to: 'wave'; projectId: string; waveId: string; name: string; runs: readonly RunInWave[] }
  | { to: 'server'; projectId: string; serverId: string }
  | { to: 'finding'; projectId: string; findingId: string; scenarioId: string | undefined }
  | { to: 'scenario'; projectId: string; scenarioId: string }
  | { to: 'suite'; projectId: string; suiteId: string | undefined }
  | { to: 'project'; projectId: string }
  /** What is shown of it here is all that there is. */
  | { to: 'here' }

/** One line of the inbox. Times are epoch milliseconds. */
export type NowLine = {
  /** The same for the same thing, whatever becomes of it. */
  key: string
  kind: NowKind
  urgency: Urgency
  /** Something is wrong with it. */
  isFault: boolean
  /** Name of the theme's symbol. */
  mark: 'ok' | 'error' | 'warn' | 'live' | 'pending'
  /** The mark in a word or two. */
  word: string
  sentence: string
  project: NowProject | undefined
  /** When it happened, where that is known. */
  at: number | undefined
  /** When what is shown here was read. */
  readAt: number | undefined
  /** What it says that is worth showing again once it was acknowledged. */
  fingerprint: string
  target: NowTarget
  /** How often it ended, and failed, in the last week; undefined where that is not counted. */
  week: Week | undefined
  /** Bad for a day at most: for the first time as far as was read, or again after it was well. */
  news: 'new' | 'regressed' | undefined
  /** Why all of it failed, in the service's words; undefined where it does not give one reason for all. */
  cause: string | undefined
  /** Key of the line that stands for it and for others of its cause. */
  under: string | undefined
  /** The thing as the service answered it, for copying and looking at; a connection is none. */
  thing?: { kind: string; record: { id: string } }
}

/** What a line says of its past and of others where nothing is known of that. */
export const NO_HISTORY = { week: undefined, news: undefined, cause: undefined, under: undefined } as const

const DAY_MS = 24 * 60 * 60_000

/** `news` of what is bad since then, both in epoch milliseconds. */
export function newsSince(since: number | undefined, now: number, wasWell = false): NowLine['news'] {
  if (since === undefined || since < now - DAY_MS) return undefined
  return wasWell ? 'regressed' : 'new'
}

/** Something that was read, with the time of the answer. */
export type Read<T> = { value: T; at: number | undefined }
