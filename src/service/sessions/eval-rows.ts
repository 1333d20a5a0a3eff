import type { FeedFilter } from '../core/list-page.ts'
import { parseStored } from '../../lib/json.ts'
import type { CaseSnapshot, TrialOutcome } from '../evals/types.ts'
import type { Database } from '../../lib/sqlite.ts'
import type { RunRow } from '../runs/rows.ts'
import type { TrialRow } from '../runs/trial-rows.ts'

/** A trial that was started, with its case and run. */
export type EvalSessionRow = {
  trial: Pick<TrialRow, 'id' | 'title' | 'status' | 'iterationNumber'> & { startedAt: number }
  /** Time of last activity in epoch milliseconds. */
  lastActivityAt: number
  run: Pick<RunRow, 'id' | 'suiteId' | 'suiteName' | 'number' | 'source'>
  snapshot: CaseSnapshot
  /** Absent while the trial is running, and if it was cancelled. */
  outcome?: TrialOutcome
}

type Stored = EvalSessionRow['trial'] & {
  lastActivityAt: number
  runId: string
  suiteId: string
  suiteName: string
  number: number
  source: RunRow['source']
  snapshot: string
  outcome: string | null
}

/** The expression that the index `trialByActivity` is built on. */
const ACTIVITY = 'CAST(trial.startedAt + COALESCE(trial.durationMs, 0) AS INTEGER)'

export function createEvalSessionRows(database: Database) {
  return {
    /** @param filter `endedOnly`: only trials whose outcome is known */
    list(projectId: string, { order, after, endedOnly, limit }: FeedFilter & { endedOnly: boolean }) {
      const [direction, beyond] = order === 'newest' ? ['DESC', '<'] : ['ASC', '>']
      // The first condition is redundant, but without it SQLite does not begin at the right place of the index.
      const behind = after ? `AND ${ACTIVITY} ${beyond}= :at AND (${ACTIVITY}, trial.id) ${beyond} (:at, :id)` : ''
      // The cross join makes the index the outer loop, so that reading stops at the limit of the page.
      const sql = `
        SELECT trial.id, trial.title, trial.status, iterationNumber, trial.startedAt, trial.runId,
               ${ACTIVITY} AS lastActivityAt, suiteId, suiteName, number, source, snapshot, outcome
        FROM trial CROSS JOIN run ON run.id = trial.runId
        JOIN runCase ON runCase.runId = trial.runId AND runCase.position = trial.casePosition
        LEFT JOIN trialOutcome ON trialId = trial.id
        WHERE trial.startedAt IS NOT NULL AND run.projectId = :projectId ${behind}
          ${endedOnly ? 'AND outcome IS NOT NULL' : ''}
        ORDER BY ${ACTIVITY} ${direction}, trial.id ${direction} LIMIT :limit`
      return database.all<Stored>(sql, { projectId, limit, ...after }).map(read)
    },
  }
}

function read(stored: Stored): EvalSessionRow {
  const { id, title, status, iterationNumber, startedAt, lastActivityAt, snapshot, outcome } = stored
  const { runId, suiteId, suiteName, number, source } = stored
  return {
    trial: { id, title, status, iterationNumber, startedAt },
    lastActivityAt,
    run: { id: runId, suiteId, suiteName, number, source },
    snapshot: parseStored(snapshot) as CaseSnapshot,
    ...(outcome !== null && { outcome: parseStored(outcome) as TrialOutcome }),
  }
}
