import { parseStored } from '../../lib/json-depth.ts'
import type { DecisionSummary } from '../../api/contract/runs.ts'
import type { CaseSnapshot, ScoreIntegrity } from '../evals/types.ts'
import type { SuiteSettings } from './suites.ts'
import {
  assignments,
  fromJson,
  insertEachInto,
  insertInto,
  toJson,
  type Database,
} from '../core/database/database.ts'

type RunStatus = 'pending' | 'running' | 'completed' | 'failed' | 'cancelled'
/** In the unit of the run's decision; `passRate` is a fraction of what was graded, null where nothing was. */
export type RunCounts = { total: number; passed: number; failed: number; passRate: number | null }

/** How many of a suite's cases a run executes. */
export type CaseSelection = { selectedCaseCount: number; totalCaseCount: number }

/** What was fixed at launch; the cases are stored beside it. */
export type RunPlan = {
  servers: { id: string; name: string }[]
  /** Fraction of trials that must pass; null = every case decides by itself. */
  threshold: number | null
  /** The environment at the revision that was resolved for the run. */
  environment?: { id: string; name: string | null; revision: number }
  /** The client as it was, so that its name survives it. */
  client?: {
    /** Null for the harness of another program. */
    id: string | null
    name: string
    source: 'environment' | 'attached_host' | 'suite_default' | 'sdk'
    hostStyle?: string
    modelId?: string
  }
  /** Runs that were launched as one group hold one slot together; absent = the run has its own. */
  slotId?: string
  /** Distinct cases of the run, of those that its suite had then. */
  selection?: CaseSelection
  /** The suite's judge as it was; later edits do not reach the run. */
  judge?: SuiteSettings['judge']
}

/** Which process executes a run, and until when it may stay silent. */
export type RunLease = { token: string; host: string; pid: number; expiresAt: number }

export type RunRow = {
  id: string
  projectId: string
  organizationId: string
  suiteId: string
  suiteName: string
  /** Counts the suite's runs from 1. */
  number: number
  status: RunStatus
  result: 'passed' | 'failed' | null
  source: 'ui' | 'api' | 'sdk'
  notes?: string
  modelSource?: 'case' | 'client_default' | 'override'
  plan: RunPlan
  summary?: RunCounts
  decisionSummary?: DecisionSummary
  /** Absent while it is in flight, and where nothing was scored. */
  scoreIntegrity?: ScoreIntegrity
  /** The run whose failed cases this one repeats. */
  rerunOf?: string
  /** The caller's label for runs that belong together. */
  groupId?: string
  createdAt: number
  startedAt?: number
  completedAt?: number
  lease?: RunLease
}

type RunEnding = Pick<
  RunRow,
  'status' | 'result' | 'summary' | 'decisionSummary' | 'scoreIntegrity' | 'completedAt'
>

/** Figures of a suite's runs for its line in the list. */
type SuiteFigures = { runs: number; passed: number; failed: number }

export type RunRows = {
  get(projectId: string, id: string): RunRow | undefined
  /** Newest first. */
  listBySuite(projectId: string, suiteId: string, limit: number, before?: number): RunRow[]
  /** The suite's latest completed run before the given number. */
  previousCompleted(suiteId: string, number: number): RunRow | undefined
  /** Every pending and running run, oldest first; of one organization where given. */
  inFlight(organizationId?: string): RunRow[]
  status(id: string): RunStatus | undefined
  nextNumber(suiteId: string): number
  insert(row: RunRow, cases: readonly CaseSnapshot[]): void
  /** In order; of the given positions only, where named. */
  cases(runId: string, first?: number, last?: number): CaseSnapshot[]
  /** Of the cases that the suite has now, how many the run has; undefined where the suite has none. */
  selection(runId: string, suiteId: string): CaseSelection | undefined
  /** The suite's latest run over all cases that came to a verdict. */
  latestWhole(projectId: string, suiteId: string): RunRow | undefined
  figures(suiteId: string): SuiteFigures
  /** Sets the lease's end; false when the run has ended or another process owns it. */
  renew(id: string, token: string, expiresAt: number): boolean
  /** pending → running; false when it was no longer pending. */
  begin(id: string, at: number): boolean
  /** Ends a run in flight; false when it had ended already. */
  end(id: string, ending: RunEnding): boolean
}

type StoredRun = Record<string, unknown> & {
  plan: string
  summary: string | null
  decisionSummary: string | null
  leaseToken: string | null
  leaseHost: string
  leasePid: number
  leaseExpiresAt: number
}

const IN_FLIGHT = `status IN ('pending', 'running')`

export function createRunRows(database: Database): RunRows {
  const list = (sql: string, values: Record<string, string | number>) =>
    database.all<StoredRun>(sql, values).map(read)
  return {
    get: (projectId, id) =>
      list('SELECT * FROM run WHERE id = :id AND projectId = :projectId', { id, projectId })[0],
    listBySuite: (projectId, suiteId, limit, before = Number.MAX_SAFE_INTEGER) =>
      list(
        `SELECT * FROM run WHERE suiteId = :suiteId AND projectId = :projectId AND number < :before
         ORDER BY number DESC LIMIT :limit`,
        { projectId, suiteId, limit, before },
      ),
    previousCompleted: (suiteId, number) =>
      list(
        `SELECT * FROM run WHERE suiteId = :suiteId AND number < :number AND status = 'completed'
         ORDER BY number DESC LIMIT 1`,
        { suiteId, number },
      )[0],
    inFlight: organizationId =>
      organizationId === undefined
        ? // Every look at a run asks this, and for the order SQLite would rather read all runs that ever were.
          list(`SELECT * FROM run INDEXED BY runInFlight WHERE ${IN_FLIGHT} ORDER BY id`, {})
        : list(`SELECT * FROM run WHERE ${IN_FLIGHT} AND organizationId = :organizationId ORDER BY id`, {
            organizationId,
          }),
    status: id =>
      database.get<{ status: RunStatus }>('SELECT status FROM run WHERE id = :id', { id })?.status,
    nextNumber: suiteId =>
      database.get<{ next: number }>(
        'SELECT COALESCE(MAX(number), 0) + 1 AS next FROM run WHERE suiteId = :suiteId',
        { suiteId },
      )?.next ?? 1,
    insert(row, cases) {
      const values = stored(row)
      database.run(insertInto('run', Object.keys(values)), values)
      database.runEach(
        insertEachInto('runCase', ['runId', 'position', 'snapshot']),
        cases.map((snapshot, position) => [row.id, position, JSON.stringify(snapshot)]),
      )
    },
    cases: (runId, first = 0, last = Number.MAX_SAFE_INTEGER) =>
      database
        .all<{ snapshot: string }>(
          `SELECT snapshot FROM runCase WHERE runId = :runId AND position BETWEEN :first AND :last
           ORDER BY position`,
          { runId, first, last },
        )
        .map(({ snapshot }) => parseStored(snapshot) as CaseSnapshot),
    selection(runId, suiteId) {
      const counts = database.get<CaseSelection>(
        `SELECT COUNT(*) AS totalCaseCount, COALESCE(SUM(id IN (
           SELECT snapshot ->> 'caseId' FROM runCase WHERE runId = :runId
         )), 0) AS selectedCaseCount
         FROM suiteCase WHERE suiteId = :suiteId`,
        { runId, suiteId },
      )
      return counts && counts.totalCaseCount > 0 ? counts : undefined
    },
    latestWhole: (projectId, suiteId) =>
      list(
        `SELECT * FROM run WHERE suiteId = :suiteId AND projectId = :projectId AND status = 'completed'
           AND result IS NOT NULL
           AND plan ->> '$.selection.selectedCaseCount' >= plan ->> '$.selection.totalCaseCount'
         ORDER BY number DESC LIMIT 1`,
        { projectId, suiteId },
      )[0],
    figures: suiteId =>
      database.get<SuiteFigures>(
        `SELECT COUNT(*) AS runs, COALESCE(SUM(summary ->> 'passed'), 0) AS passed,
                COALESCE(SUM(summary ->> 'failed'), 0) AS failed
         FROM run WHERE suiteId = :suiteId`,
        { suiteId },
      ) ?? { runs: 0, passed: 0, failed: 0 },
    renew: (id, token, expiresAt) =>
      database.run(
        `UPDATE run SET leaseExpiresAt = :expiresAt WHERE id = :id AND leaseToken = :token AND ${IN_FLIGHT}`,
        { id, token, expiresAt },
      ) > 0,
    begin: (id, at) =>
      database.run(
        `UPDATE run SET status = 'running', startedAt = :at WHERE id = :id AND status = 'pending'`,
        { id, at },
      ) > 0,
    end(id, { status, result, summary, decisionSummary, scoreIntegrity, completedAt }) {
      const values = {
        status,
        result,
        summary: toJson(summary),
        decisionSummary: toJson(decisionSummary),
        scoreIntegrity,
        completedAt,
      }
      const sql = `UPDATE run SET ${assignments(Object.keys(values))} WHERE id = :id AND ${IN_FLIGHT}`
      return database.run(sql, { id, ...values }) > 0
    },
  }
}

function read(stored: StoredRun): RunRow {
  const { plan, summary, decisionSummary, leaseToken, leaseHost, leasePid, leaseExpiresAt, ...plain } = stored
  // NULL is how SQLite says "absent"; `result` is the one column in which null is a value.
  const present = Object.fromEntries(
    Object.entries(plain).filter(([name, value]) => value !== null || name === 'result'),
  )
  const row = { ...present, plan: parseStored(plan) as RunPlan } as RunRow
  row.summary = fromJson(summary)
  row.decisionSummary = fromJson(decisionSummary)
  if (leaseToken !== null)
    row.lease = { token: leaseToken, host: leaseHost, pid: leasePid, expiresAt: leaseExpiresAt }
  return row
}

function stored({ plan, summary, decisionSummary, lease, ...plain }: RunRow) {
  return {
    ...plain,
    plan: JSON.stringify(plan),
    summary: toJson(summary),
    decisionSummary: toJson(decisionSummary),
    leaseToken: lease?.token,
    leaseHost: lease?.host,
    leasePid: lease?.pid,
    leaseExpiresAt: lease?.expiresAt,
  }
}
