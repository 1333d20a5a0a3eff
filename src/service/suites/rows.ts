import type { Database } from '../../lib/sqlite.ts'
import { boolean, json, tableOf } from '../core/database/table.ts'
import type { Assertion } from '../evals/types.ts'

/** All settings of a suite, which are edited as one piece. */
export type SuiteSettings = {
  serverIds: string[]
  environmentIds?: string[]
  /** Attached clients. A client without `serverIds` uses its own servers. */
  clients?: { clientId: string; serverIds?: string[] }[]
  executionConfig?: { model?: string; provider?: string; systemPrompt?: string; temperature?: number }
  /** Percent of trials that must pass; absent means grading by case. */
  minimumAccuracy?: number
  /** Minimum number of times that every case runs. */
  minimumIterations?: number
  matchOptions?: Record<string, unknown>
  checks?: Assertion[]
  judge?: { enabled?: boolean; model?: string; autoRun?: boolean; threshold?: number }
}

export type SuiteRow = {
  id: string
  projectId: string
  name: string
  description: string | null
  settings: SuiteSettings
  /** Id of the key that created the suite. Its creator may always delete it. */
  createdBy: string
  createdAt: number
  updatedAt: number
}

export function createSuiteRows(database: Database) {
  const suites = tableOf<SuiteRow>(database, 'suite', {
    kinds: { settings: json() },
    fixed: ['projectId', 'createdBy', 'createdAt'],
  })
  return {
    ...suites.basics,
    list: (projectId: string) => suites.all({ projectId }, 'ORDER BY id'),
    /** Deletes a suite with its cases. Its runs are kept. */
    delete: suites.delete,
  }
}

/** The schedule of a suite. Slots are whole intervals after `startsAt`, the first one after one interval. */
export type SuiteScheduleRow = {
  suiteId: string
  enabled: boolean
  intervalMinutes: number | null
  /** The attached environment that scheduled runs use; null if the suite has none. */
  environmentId: string | null
  setBy: string
  startsAt: number
  /** The next slot to launch; null while the schedule is off. */
  nextAt: number | null
  lastRunId: string | null
  /** The latest slot that could not be launched, and why; null after a launch, or a change of the schedule. */
  refusedAt: number | null
  refusal: string | null
}

export type DueSlot = { suiteId: string; projectId: string; slot: number }

export function createSuiteScheduleRows(database: Database) {
  const schedules = tableOf<SuiteScheduleRow>(database, 'suiteSchedule', {
    key: 'suiteId',
    kinds: { enabled: boolean() },
  })
  return {
    get: (suiteId: string) => schedules.one({ suiteId }),
    put: schedules.put,
    /** Returns the slots at or before a time, the longest due first. */
    due: (time: number): DueSlot[] =>
      database.all(
        `SELECT suiteId, projectId, nextAt AS slot FROM suiteSchedule JOIN suite ON suite.id = suiteId
         WHERE nextAt <= :time ORDER BY nextAt, suiteId`,
        { time },
      ),
    /** Moves from a slot to the next. Returns false if another process took it or the schedule was changed. */
    claim: (suiteId: string, slot: number, nextAt: number) =>
      schedules.change({ suiteId, nextAt: slot, enabled: true }, { nextAt }) > 0,
    noteLaunch: (suiteId: string, lastRunId: string) =>
      schedules.change({ suiteId }, { lastRunId, refusedAt: null, refusal: null }),
    noteRefusal: (suiteId: string, refusedAt: number, refusal: string) =>
      schedules.change({ suiteId }, { refusedAt, refusal }),
  }
}

/** A suite that another program created. A suite that was created here has no such row. */
type SuiteOwnershipRow = {
  suiteId: string
  projectId: string
  /** The `suite.id` of the file that owns the suite; null = anybody may configure it. */
  declaredId: string | null
  createdAt: number
}

export function createSuiteOwnershipRows(database: Database) {
  const owned = tableOf<SuiteOwnershipRow>(database, 'suiteOwnership', { key: 'suiteId' })
  return {
    get: (suiteId: string) => owned.one({ suiteId }),
    /** Returns the suite that the file with this id owns. */
    findDeclared: (projectId: string, declaredId: string) => owned.one({ projectId, declaredId })?.suiteId,
    /** Returns the oldest suite of this name that another program created and no file owns. */
    findNamed: (projectId: string, name: string) =>
      database.get<{ suiteId: string }>(
        `SELECT suiteId FROM suiteOwnership JOIN suite ON suite.id = suiteId
         WHERE suiteOwnership.projectId = :projectId AND declaredId IS NULL AND suite.name = :name
         ORDER BY suiteId LIMIT 1`,
        { projectId, name },
      )?.suiteId,
    insert: owned.basics.insert,
  }
}
