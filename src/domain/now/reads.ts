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
  /** Time of the last failure in epoch milliseconds. */
  failedAt: number | undefined
}

/** What determines when something is read. */
export type ReadOf = {
  projectId?: string
  /** Epoch milliseconds at which another read showed that this one is outdated. */
  changedAt?: number | undefined
  /** Whether the last known state is bad or not final. */
  needsAttention?: boolean
}

/** Returns known answers, and schedules reads that are to be repeated. */
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
  /** Returns the known answer of a read, whether it was requested or not. */
  known: <T, Key extends readonly unknown[]>(read: ReadOptions<T, Key>) => NowAnswer<T>
  /** Sets the worth of each project, by id. */
  rank: (worth: ReadonlyMap<string, Worth>) => void
}

/** The inputs of Now. */
export type NowSources = {
  queries: Queries
  /** Reads all pages of a project's swarm findings at once. */
  swarmFindings: (projectId: string) => ReturnType<typeof wholeSwarmFindings>
  /** Name of the service for a message that it does not answer; empty for the local workspace. */
  host: string
  isRerun: (runId: string) => boolean
  /** Converts a time of this machine's clock to the service's clock; epoch milliseconds. */
  serviceTime: (at: number) => number
  /** Describes an open write as a sentence. */
  writeSentence: (entry: JournalEntry, now: number) => string
  /** Records of suites by id. Their runs were read once and are not read again until the record changes. */
  proven: Map<string, string>
}

/** Returns the settings of a read that belongs to a project. */
export function readIn({ id }: { id: string }): ReadOf {
  return { projectId: id }
}

/**
 * Like `readIn`, with urgency for things that have lines on screen, which must be current first. `shows` takes the
 * number of lines for each thing.
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

/** Returns an answer in the format that lines are built from; undefined before the first answer. */
export function readOf<T, Value>(answer: NowAnswer<T> | undefined, of: (data: T) => Value): Read<Value> | undefined {
  return answer?.data === undefined ? undefined : { value: of(answer.data), at: answer.at }
}
