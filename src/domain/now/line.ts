import type { RunInWave } from '../swarms/waves.ts'

/** What a line wants: to be dealt with at once, to be looked at, or only to be known. */
export const URGENCIES = ['act', 'look', 'know'] as const
export type Urgency = (typeof URGENCIES)[number]

/** What a line is about, in the order in which lines of one urgency stand. */
export const NOW_KINDS = ['line', 'rate', 'write', 'server', 'run', 'wave', 'finding', 'scenario'] as const
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
  /** The thing as the service answered it, for copying and looking at; a connection is none. */
  thing?: { kind: string; record: { id: string } }
}

/** Something that was read, with the time of the answer. */
export type Read<T> = { value: T; at: number | undefined }
