import type { Database } from '../../lib/sqlite.ts'
import { boolean, json, tableOf } from '../core/database/table.ts'
import type { Assertion } from '../evals/types.ts'

/** The settings of a suite, which are stored as one value. */
export type SuiteSettings = {
  serverIds: string[]
  environmentIds?: string[]
  /** Attached clients. A client without `serverIds` uses its own servers. */
  clients?: { clientId: string; serverIds?: string[] }[]
  executionConfig?: { model?: string; provider?: string; systemPrompt?: string; temperature?: number }
  /** Percent of trials that must pass; absent means grading by case. */
  minimumAccuracy?: number
  /** Minimum number of times that each case is run. */
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
  /** Id of the key that created the suite. With this key the suite may always be deleted. */
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

/**
 * The schedule of a suite. The first slot is one interval after `startsAt`, and each further slot one interval later.
 */
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
  /** The latest slot whose launch was refused, and the reason; null after a launch or a change of the schedule. */
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
    /** Returns the slots that are due at a time, earliest first. */
    due: (time: number): DueSlot[] =>
      database.all(
        `SELECT suiteId, projectId, nextAt AS slot FROM suiteSchedule JOIN suite ON suite.id = suiteId
         WHERE nextAt <= :time ORDER BY nextAt, suiteId`,
        { time },
      ),
    /**
     * Moves the schedule from a slot to the next. Returns false if another process did so, or if the schedule was
     * changed.
     */
    claim: (suiteId: string, slot: number, nextAt: number) =>
      schedules.change({ suiteId, nextAt: slot, enabled: true }, { nextAt }) > 0,
    noteLaunch: (suiteId: string, lastRunId: string) =>
      schedules.change({ suiteId }, { lastRunId, refusedAt: null, refusal: null }),
    noteRefusal: (suiteId: string, refusedAt: number, refusal: string) =>
      schedules.change({ suiteId }, { refusedAt, refusal }),
  }
}

/** A suite that another program created. A suite that was created in this service has no such row. */
type SuiteOwnershipRow = {
  suiteId: string
  projectId: string
  /** The `suite.id` of the file that owns the suite; null if anyone may configure it. */
  declaredId: string | null
  createdAt: number
}

export function createSuiteOwnershipRows(database: Database) {
  const owned = tableOf<SuiteOwnershipRow>(database, 'suiteOwnership', { key: 'suiteId' })
  return {
    get: (suiteId: string) => owned.one({ suiteId }),
    /** Returns the suite that the file with this id owns. */
    findDeclared: (projectId: string, declaredId: string) => owned.one({ projectId, declaredId })?.suiteId,
    /** Returns the oldest suite with this name that another program created and that no file owns. */
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
