import type { Database } from '../../lib/sqlite.ts'
import { boolean, json, tableOf } from '../core/database/table.ts'
import type { Assertion } from '../evals/types.ts'

/** Everything about a suite that is edited as one piece. */
export type SuiteSettings = {
  serverIds: string[]
  environmentIds?: string[]
  /** Attached clients; without `serverIds` each brings its own servers. */
  clients?: { clientId: string; serverIds?: string[] }[]
  executionConfig?: { model?: string; provider?: string; systemPrompt?: string; temperature?: number }
  /** Per cent of trials that must pass; absent = every case decides by itself. */
  minimumAccuracy?: number
  /** Every case runs at least this often. */
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
  /** Key that made it; its maker may always delete it. */
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
    /** Takes its cases with it; its runs stay. */
    delete: suites.delete,
  }
}

/** When a suite is launched by the clock. Slots are at `startsAt` and every interval after it. */
export type SuiteScheduleRow = {
  suiteId: string
  enabled: boolean
  intervalMinutes: number | null
  /** The attached environment that scheduled runs use; null if the suite has none. */
  environmentId: string | null
  setBy: string
  startsAt: number
  /** The slot to be launched next; null while the schedule is off. */
  nextAt: number | null
  lastRunId: string | null
  /** The latest slot that could not be launched, and why; null when the latest one was. */
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
    /** Slots at or before a time, the longest due first. */
    due: (time: number): DueSlot[] =>
      database.all(
        `SELECT suiteId, projectId, nextAt AS slot FROM suiteSchedule JOIN suite ON suite.id = suiteId
         WHERE nextAt <= :time ORDER BY nextAt, suiteId`,
        { time },
      ),
    /** Moves from a slot to the next; false when another process took it or the schedule was changed. */
    claim: (suiteId: string, slot: number, nextAt: number) =>
      schedules.change({ suiteId, nextAt: slot, enabled: true }, { nextAt }) > 0,
    noteLaunch: (suiteId: string, lastRunId: string) =>
      schedules.change({ suiteId }, { lastRunId, refusedAt: null, refusal: null }),
    noteRefusal: (suiteId: string, refusedAt: number, refusal: string) =>
      schedules.change({ suiteId }, { refusedAt, refusal }),
  }
}

/** A suite that another program made; one that was authored here has no such row. */
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
    /** The suite that the file with this id owns. */
    findDeclared: (projectId: string, declaredId: string) => owned.one({ projectId, declaredId })?.suiteId,
    /** The oldest suite of this name that another program made and no file owns. */
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
