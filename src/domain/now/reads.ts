import type { Queries, ReadOptions } from '../../api/client/cache/queries.ts'
import type { ApiError } from '../../api/client/errors/api-error.ts'
import type { wholeSwarmFindings } from '../../api/client/cache/swarm-pages.ts'
import type { JournalEntry } from '../../api/client/journal/entry.ts'
import type { Read } from './line.ts'
import type { NowReadKind, Worth } from './plan.ts'

/** The result of one read. */
export type NowAnswer<T> = {
  data: T | undefined
  error: ApiError | null
  /** Epoch milliseconds. */
  at: number | undefined
  /** When it last failed, in epoch milliseconds. */
  failedAt: number | undefined
}

/** What determines when a read is made. */
export type ReadOf = {
  projectId?: string
  /** When another read showed that this has changed, in epoch milliseconds. */
  changedAt?: number | undefined
  /** Whether its known state is bad, or not final. */
  needsAttention?: boolean
}

/** Returns what is known of reads, and schedules them for repetition. */
export type NowReader = {
  /**
   * Requests several reads of one kind until the next look.
   * @param of what is known of each, in order
   */
  read: <T, Key extends readonly unknown[]>(
    kind: NowReadKind,
    wanted: readonly ReadOptions<T, Key>[],
    of?: readonly ReadOf[],
  ) => readonly NowAnswer<T>[]
  /** What is known of a read, requested or not. */
  known: <T, Key extends readonly unknown[]>(read: ReadOptions<T, Key>) => NowAnswer<T>
  /** Sets the worth of each project, by id. */
  rank: (worth: ReadonlyMap<string, Worth>) => void
}

/** The inputs of Now. */
export type NowSources = {
  queries: Queries
  /** Reads all pages of a project's swarm findings at once. */
  swarmFindings: (projectId: string) => ReturnType<typeof wholeSwarmFindings>
  /** Name of the service, for when it does not answer; empty for the local workspace. */
  host: string
  isRerun: (runId: string) => boolean
  /** Converts a time of this machine's clock to the service's clock; epoch milliseconds. */
  serviceTime: (at: number) => number
  /** Describes an open write as a sentence. */
  writeSentence: (entry: JournalEntry, now: number) => string
  /** Records of suites by id, whose runs were read once and need no further reads until the record changes. */
  proven: Map<string, string>
}

/** A read that belongs to a project. */
export function readIn({ id }: { id: string }): ReadOf {
  return { projectId: id }
}

/**
 * Like `readIn`, with urgency for things that have lines on screen, which must be current first. `shows` takes the
 * number of lines made of a thing.
 */
export function createShownReads() {
  const shown = new Set<string>()
  return {
    readShown: (project: { id: string }, thing = project.id): ReadOf => ({
      projectId: project.id,
      needsAttention: shown.has(thing),
    }),
    shows<Line>(thing: string, lines: readonly Line[]): readonly Line[] {
      shown[lines.length > 0 ? 'add' : 'delete'](thing)
      return lines
    },
  }
}

/** An answer in the form that lines are made of; undefined before the first answer. */
export function readOf<T, Value>(answer: NowAnswer<T> | undefined, of: (data: T) => Value): Read<Value> | undefined {
  return answer?.data === undefined ? undefined : { value: of(answer.data), at: answer.at }
}
