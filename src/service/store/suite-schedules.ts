import type { Database } from '../core/database/database.ts'

/** When a suite is launched by the clock. Slots lie at `startsAt` and every interval after it. */
export type SuiteScheduleRow = {
  suiteId: string
  enabled: boolean
  intervalMinutes: number | null
  /** The attached environment that scheduled runs use; null where the suite has none. */
  environmentId: string | null
  /** Key that set it last. */
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

export type SuiteScheduleRows = {
  get(suiteId: string): SuiteScheduleRow | undefined
  put(row: SuiteScheduleRow): void
  /** Slots at or before a time, the longest due first. */
  due(time: number): DueSlot[]
  /** Moves from a slot to the next; false when another process took it or the schedule was changed. */
  claim(suiteId: string, slot: number, nextAt: number): boolean
  noteLaunch(suiteId: string, runId: string): void
  noteRefusal(suiteId: string, slot: number, why: string): void
}

export function createSuiteScheduleRows(database: Database): SuiteScheduleRows {
  return {
    get(suiteId) {
      const row = database.get<Omit<SuiteScheduleRow, 'enabled'> & { enabled: number }>(
        'SELECT * FROM suiteSchedule WHERE suiteId = :suiteId',
        { suiteId },
      )
      return row && { ...row, enabled: row.enabled === 1 }
    },
    put(row) {
      database.run(
        `INSERT INTO suiteSchedule (suiteId, enabled, intervalMinutes, environmentId, setBy, startsAt, nextAt,
                                    lastRunId, refusedAt, refusal)
         VALUES (:suiteId, :enabled, :intervalMinutes, :environmentId, :setBy, :startsAt, :nextAt,
                 :lastRunId, :refusedAt, :refusal)
         ON CONFLICT (suiteId) DO UPDATE SET
           enabled = :enabled, intervalMinutes = :intervalMinutes, environmentId = :environmentId, setBy = :setBy,
           startsAt = :startsAt, nextAt = :nextAt, lastRunId = :lastRunId, refusedAt = :refusedAt, refusal = :refusal`,
        row,
      )
    },
    due: time =>
      database.all(
        `SELECT suiteId, projectId, nextAt AS slot FROM suiteSchedule JOIN suite ON suite.id = suiteId
         WHERE nextAt <= :time ORDER BY nextAt, suiteId`,
        { time },
      ),
    claim: (suiteId, slot, nextAt) =>
      database.run(
        'UPDATE suiteSchedule SET nextAt = :nextAt WHERE suiteId = :suiteId AND nextAt = :slot AND enabled = 1',
        { suiteId, slot, nextAt },
      ) > 0,
    noteLaunch(suiteId, runId) {
      database.run(
        'UPDATE suiteSchedule SET lastRunId = :runId, refusedAt = NULL, refusal = NULL WHERE suiteId = :suiteId',
        { suiteId, runId },
      )
    },
    noteRefusal(suiteId, slot, why) {
      database.run('UPDATE suiteSchedule SET refusedAt = :slot, refusal = :why WHERE suiteId = :suiteId', {
        suiteId,
        slot,
        why,
      })
    },
  }
}
