import type { Queries, ReadOptions } from '../../api/client/cache/queries.ts'
import type { ApiError } from '../../api/client/errors/api-error.ts'
import type { wholeSwarmFindings } from '../../api/client/cache/swarm-pages.ts'
import type { JournalEntry } from '../../api/client/journal/entry.ts'
import type { Read } from './line.ts'
import type { NowReadKind, Worth } from './plan.ts'

/** What came of one read. */
export type NowAnswer<T> = {
  data: T | undefined
  error: ApiError | null
  /** Epoch milliseconds. */
  at: number | undefined
  /** When it last failed, in epoch milliseconds. */
  failedAt: number | undefined
}

/** What of a read decides when it is made. */
export type ReadOf = {
  projectId?: string
  /** When another read said that this has changed, epoch milliseconds. */
  changedAt?: number | undefined
  /** What is known of it is bad, or not over. */
  needsAttention?: boolean
}

/** Answers what is known of reads, and puts them into the plan by which they are repeated. */
export type NowReader = {
  /** Wants several reads of one kind until the next look. @param of what is known of each, in their order */
  read: <T, Key extends readonly unknown[]>(
    kind: NowReadKind,
    wanted: readonly ReadOptions<T, Key>[],
    of?: readonly ReadOf[],
  ) => readonly NowAnswer<T>[]
  /** What is known of a read, wanted or not. */
  known: <T, Key extends readonly unknown[]>(read: ReadOptions<T, Key>) => NowAnswer<T>
  /** Says what each project is worth, by its id. */
  rank: (worth: ReadonlyMap<string, Worth>) => void
}

/** What Now is made with. */
export type NowSources = {
  queries: Queries
  /** All pages of a project's swarm findings in one read. */
  swarmFindings: (projectId: string) => ReturnType<typeof wholeSwarmFindings>
  /** Names the service where it does not answer; empty for the local workspace. */
  host: string
  isRerun: (runId: string) => boolean
  /** A time of this machine's clock, as the service's clock has it; epoch milliseconds. */
  serviceTime: (at: number) => number
  /** An open write and how it stands, as a sentence. */
  writeSentence: (entry: JournalEntry, now: number) => string
  /** Records of suites, by id, whose runs were read once and need not be read while the record stays. */
  proven: Map<string, string>
}

/** A read that belongs to a project. */
export function readIn({ id }: { id: string }): ReadOf {
  return { projectId: id }
}

/**
 * The same, which is urgent when a line was made of what is known: that is on screen, and has to be true first.
 * `shows` takes how many lines were made of a thing.
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

/** What was answered, in the form in which lines are made of it; undefined before the first answer. */
export function readOf<T, Value>(answer: NowAnswer<T> | undefined, of: (data: T) => Value): Read<Value> | undefined {
  return answer?.data === undefined ? undefined : { value: of(answer.data), at: answer.at }
}
