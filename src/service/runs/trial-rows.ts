import { parseStored } from '../../lib/json.ts'
import type { GradedTrials, ScoreIntegrity, TrialOutcome } from '../evals/types.ts'
import { insertEachInto, type Database } from '../../lib/sqlite.ts'
import { tableOf } from '../core/database/table.ts'
import type { TrialClass } from '../../domain/runs/trial-classes.ts'

type TrialStatus = 'pending' | 'running' | 'completed' | 'failed' | 'cancelled'

export type TrialRow = {
  id: string
  runId: string
  position: number
  /** Index of the trial's variant (a case on one model) among the snapshots of the run. */
  casePosition: number
  iterationNumber: number
  caseId: string
  title: string
  status: TrialStatus
  class: TrialClass
  result: 'passed' | 'failed' | null
  error: string | null
  startedAt: number | null
  durationMs: number | null
  tokensUsed: number | null
}

/** The outcome of a trial; absent if the trial has not ended, or if its run was cancelled before the end. */
type WithOutcome = { outcome?: TrialOutcome | undefined }
export type TrialWithOutcome = TrialRow & WithOutcome

/** A trial's verdicts and usage, without the messages and calls, which are most of an outcome. */
type JudgedTrial = Pick<TrialRow, 'id' | 'casePosition' | 'class' | 'error'> &
  Pick<TrialOutcome, 'steps' | 'checks'> & { usage: TrialOutcome['transcript']['usage'] }

/** The only columns that a page of trials reads besides outcomes, since each column of each row takes time. */
const PAGED = ['id', 'position', 'casePosition', 'iterationNumber', 'status', 'startedAt'] as const
export type PagedTrial = Pick<TrialRow, (typeof PAGED)[number]> & WithOutcome

const UNFINISHED = `status IN ('pending', 'running')`
const WITH_OUTCOME = 'SELECT trial.*, outcome FROM trial LEFT JOIN trialOutcome ON trialId = trial.id'
const JUDGED = `SELECT id, casePosition, class, error,
    json_extract(outcome, '$.steps', '$.checks', '$.transcript.usage') AS verdicts
  FROM trial LEFT JOIN trialOutcome ON trialId = trial.id WHERE runId = :runId ORDER BY position`
const PAGE = `SELECT ${PAGED.join(', ')} FROM trial
  WHERE runId = :runId AND position > :after ORDER BY position LIMIT :limit`
const OUTCOMES = 'SELECT trialId, outcome FROM trialOutcome WHERE trialId IN (SELECT value FROM json_each(:ids))'

/** Maximum number of characters of an outcome that is searched for recorded results. */
const MOST_LOOKED_THROUGH = 200_000

type StoredTrial = TrialRow & { outcome: string | null }
type StoredVerdicts = Omit<JudgedTrial, 'steps' | 'checks' | 'usage'> & { verdicts: string | null }

/** Columns in the order in which `insert` gives their values. */
const COLUMNS = [
  'id',
  'runId',
  'position',
  'casePosition',
  'iterationNumber',
  'caseId',
  'title',
  'status',
  'class',
  'result',
  'error',
  'startedAt',
  'durationMs',
  'tokensUsed',
] as const satisfies readonly (keyof TrialRow)[]

export function createTrialRows(database: Database) {
  const trials = tableOf<TrialRow>(database, 'trial')
  const insertOutcomes = (ends: readonly { id: string; outcome: TrialOutcome }[]) =>
    database.runEach(
      insertEachInto('trialOutcome', ['trialId', 'outcome']),
      ends.map(({ id, outcome }) => [id, JSON.stringify(outcome)]),
    )
  return {
    insert(rows: readonly TrialRow[]) {
      database.runEach(
        insertEachInto('trial', COLUMNS),
        rows.map(row => COLUMNS.map(column => row[column])),
      )
    },
    get(runId: string, id: string) {
      const row = database.get<StoredTrial>(`${WITH_OUTCOME} WHERE trial.id = :id AND runId = :runId`, { id, runId })
      return row && read(row)
    },
    list: (runId: string) => trials.all({ runId }, 'ORDER BY position'),
    /** Reads the trials of a run for grading, inside the current transaction. */
    graded: (runId: string) => readGraded(database, runId),
    scoreIntegrities: (runId: string) =>
      database
        .all<{ scoreIntegrity: ScoreIntegrity | null }>(
          'SELECT DISTINCT scoreIntegrity FROM trial WHERE runId = :runId',
          { runId },
        )
        .map(row => row.scoreIntegrity),
    listWithOutcomes: (runId: string) =>
      database.all<StoredTrial>(`${WITH_OUTCOME} WHERE runId = :runId ORDER BY position`, { runId }).map(read),
    judged: (runId: string) => database.all<StoredVerdicts>(JUDGED, { runId }).map(readVerdicts),
    /** Returns up to `limit` rows after the position `after`, without outcomes. */
    page: (runId: string, after: number, limit: number) => database.all<PagedTrial>(PAGE, { runId, after, limit }),
    /** Returns the outcomes of the given trials, if they have any. Outcomes never change. */
    outcomes(ids: readonly string[]): Map<string, TrialOutcome> {
      if (ids.length === 0) return new Map()
      const rows = database.all<{ trialId: string; outcome: string }>(OUTCOMES, { ids: JSON.stringify(ids) })
      return new Map(rows.map(({ trialId, outcome }) => [trialId, parseStored(outcome) as TrialOutcome]))
    },
    /**
     * Returns outcomes of the project's latest trials. Very large outcomes, and those that other programs reported, are
     * left out.
     */
    latestOutcomes: (projectId: string, limit: number) =>
      database
        .all<{ outcome: string }>(
          `SELECT outcome FROM trial JOIN trialOutcome ON trialId = trial.id JOIN run ON run.id = runId
           WHERE projectId = :projectId AND length(outcome) <= :most
             AND runId NOT IN (SELECT runId FROM ingestRun) ORDER BY trial.rowid DESC LIMIT :limit`,
          { projectId, most: MOST_LOOKED_THROUGH, limit },
        )
        .map(({ outcome }) => parseStored(outcome) as TrialOutcome),
    /** Begins a pending trial. Returns false if it was not pending any more. */
    begin: (id: string, startedAt: number) =>
      trials.change({ id, status: 'pending' }, { status: 'running', startedAt }) > 0,
    /** Ends an unfinished trial. Returns false if it had ended already. */
    end(id: string, outcome: TrialOutcome) {
      const { status, class: trialClass, result, error, startedAt, durationMs, transcript } = outcome
      const { scoreIntegrity } = outcome
      const tokensUsed = transcript.usage?.totalTokens
      const changed = database.run(
        `UPDATE trial SET status = :status, class = :class, result = :result, error = :error,
                startedAt = :startedAt, durationMs = :durationMs, tokensUsed = :tokensUsed,
                scoreIntegrity = :scoreIntegrity
         WHERE id = :id AND ${UNFINISHED}`,
        { id, status, class: trialClass, result, error, startedAt, durationMs, tokensUsed, scoreIntegrity },
      )
      if (changed === 0) return false
      insertOutcomes([{ id, outcome }])
      return true
    },
    /** Ends trials that are known to be unfinished in the caller's transaction. */
    endEach(ends: readonly { id: string; outcome: TrialOutcome }[]) {
      database.runEach(
        `UPDATE trial SET status = ?, class = ?, result = ?, error = ?, startedAt = ?, durationMs = ?, tokensUsed = ?
         WHERE id = ?`,
        ends.map(({ id, outcome }) => [
          outcome.status,
          outcome.class,
          outcome.result,
          outcome.error ?? null,
          outcome.startedAt,
          outcome.durationMs,
          outcome.transcript.usage?.totalTokens ?? null,
          id,
        ]),
      )
      insertOutcomes(ends)
    },
    unfinished: (runId: string) => trials.all({ runId }, `AND ${UNFINISHED} ORDER BY position`),
    cancelUnfinished: (runId: string) =>
      trials.change({ runId }, { status: 'cancelled', class: 'cancelled' }, `AND ${UNFINISHED}`),
  }
}

/**
 * Converts a row. The row object itself becomes the trial, since nothing else uses it and a copy takes longer than
 * reading.
 */
function read(row: StoredTrial): TrialWithOutcome {
  const { outcome } = row
  return Object.assign(row, { outcome: outcome === null ? undefined : (parseStored(outcome) as TrialOutcome) })
}

function readVerdicts({ verdicts, ...trial }: StoredVerdicts): JudgedTrial {
  if (verdicts === null) return { ...trial, steps: [], checks: [], usage: undefined }
  const [steps, checks, usage] = parseStored(verdicts) as [
    JudgedTrial['steps'],
    JudgedTrial['checks'],
    JudgedTrial['usage'] | null,
  ]
  return { ...trial, steps, checks, usage: usage ?? undefined }
}

function readGraded(database: Database, runId: string): GradedTrials {
  return {
    tally: database.all(
      `SELECT casePosition AS variant, class, count(*) AS trials FROM trial WHERE runId = :runId
       GROUP BY casePosition, class`,
      { runId },
    ),
    first: (classes, limit, behind = -1) =>
      database.all(
        `SELECT id AS iterationId, position, caseId, title, iterationNumber, class, error FROM trial
         WHERE runId = :runId AND position > :behind AND class IN (SELECT value FROM json_each(:classes))
         ORDER BY position LIMIT :limit`,
        { runId, behind, classes: JSON.stringify(classes), limit },
      ),
    positionOf: id =>
      database.get<{ position: number }>('SELECT position FROM trial WHERE id = :id AND runId = :runId', { id, runId })
        ?.position,
  }
}
