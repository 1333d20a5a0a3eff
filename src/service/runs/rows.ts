import type { StartedSession } from '../connections/types.ts'
import { parseStored } from '../../lib/json.ts'
import { onceForText } from '../../lib/once-for.ts'
import type { DecisionSummary } from '../../api/contract/runs.ts'
import { insertEachInto, type Database } from '../../lib/sqlite.ts'
import { json, optional, tableOf } from '../core/database/table.ts'
import type { Lease } from '../core/lease.ts'
import type { SeenTool, SeenTools } from '../evals/seen-tools.ts'
import type { CaseSnapshot, ScoreIntegrity } from '../evals/types.ts'
import type { SuiteSettings } from '../suites/rows.ts'
import type { ModelSource, TargetClient, TargetEnvironment } from '../suites/target.ts'

type RunStatus = 'pending' | 'running' | 'completed' | 'failed' | 'cancelled'
/** Counts in the unit of the run's verdict. `passRate` is a fraction of what was graded, null if nothing was. */
export type RunCounts = { total: number; passed: number; failed: number; passRate: number | null }

/** Number of a suite's cases that a run executes, and number of all its cases. */
export type CaseSelection = { selectedCaseCount: number; totalCaseCount: number }

/** What was fixed at launch, except for the cases, which are stored separately. */
export type RunPlan = {
  servers: { id: string; name: string }[]
  /** Fraction of trials that must pass; null means grading by case. */
  threshold: number | null
  /** The environment and its revision when the run was launched. */
  environment?: TargetEnvironment
  /** The client at launch. Its name is kept even if the client is deleted. */
  client?: TargetClient
  /**
   * Id that the runs of a group share, so that they count as one against the limit. Absent if the run counts by itself.
   */
  slotId?: string
  /** Number of distinct cases of the run, and number of cases that its suite had at that time. */
  selection?: CaseSelection
  /** The suite's judge at launch. Later edits do not affect the run. */
  judge?: SuiteSettings['judge']
}

export type RunRow = {
  id: string
  projectId: string
  organizationId: string
  suiteId: string
  suiteName: string
  number: number
  status: RunStatus
  result: 'passed' | 'failed' | null
  source: 'ui' | 'api' | 'sdk'
  notes?: string
  modelSource?: ModelSource
  plan: RunPlan
  summary?: RunCounts
  decisionSummary?: DecisionSummary
  /** Absent while the run is in progress, and if nothing was scored. */
  scoreIntegrity?: ScoreIntegrity
  /** The run whose failed cases this one repeats. */
  rerunOf?: string
  /** Sessions with the run's servers, in the order in which they began; absent until the first one. */
  startedServers?: StartedSession[]
  /** The caller's label for related runs. */
  groupId?: string
  createdAt: number
  startedAt?: number
  completedAt?: number
  lease?: Lease
}

/**
 * Parses the snapshot of a case. Runs of a suite share most snapshots, so equal ones are parsed once, and what is
 * derived from them is kept.
 */
const readSnapshot = onceForText(text => parseStored(text) as CaseSnapshot, 200_000)

type RunEnding = Pick<RunRow, 'status' | 'result' | 'summary' | 'decisionSummary' | 'scoreIntegrity' | 'completedAt'>

/** Figures about the runs of a suite for its row in the list. */
type SuiteFigures = { runs: number; passed: number; failed: number }

/** A lease, stored in separate columns. */
type StoredLease = {
  leaseToken: string | null
  leaseHost: string | null
  leasePid: number | null
  leaseExpiresAt: number | null
}
type StoredRun = Omit<RunRow, 'lease'> & StoredLease

// With the primary key SQLite would read whole runs, not only this index.
const PRESENT = 'SELECT 1 FROM run INDEXED BY runByProject WHERE projectId = :projectId AND id = :id'
const IN_FLIGHT = `status IN ('pending', 'running')`
const JUDGED_WHOLE = `AND result IS NOT NULL
  AND plan ->> '$.selection.selectedCaseCount' >= plan ->> '$.selection.totalCaseCount'`
const LEASES = `SELECT leaseToken, leaseHost, leasePid, leaseExpiresAt
  FROM run INDEXED BY runInFlight WHERE ${IN_FLIGHT}`

export function createRunRows(database: Database) {
  const runs = tableOf<StoredRun>(database, 'run', {
    kinds: {
      plan: json(),
      summary: json(),
      decisionSummary: json(),
      startedServers: json(),
      notes: optional(),
      modelSource: optional(),
      scoreIntegrity: optional(),
      rerunOf: optional(),
      groupId: optional(),
      startedAt: optional(),
      completedAt: optional(),
    },
  })
  const one = (match: Partial<StoredRun>, rest?: string, values?: Record<string, number>) => {
    const row = runs.one(match, rest, values)
    return row && read(row)
  }
  return {
    get: (projectId: string, id: string) => one({ id, projectId }),
    has: (projectId: string, id: string) => database.get(PRESENT, { id, projectId }) !== undefined,
    listBySuite: (projectId: string, suiteId: string, limit: number, before = Number.MAX_SAFE_INTEGER) =>
      runs
        .all({ suiteId, projectId }, 'AND number < :before ORDER BY number DESC LIMIT :limit', { limit, before })
        .map(read),
    /** Returns the suite's latest completed run before the given number. */
    previousCompleted: (suiteId: string, number: number) =>
      one({ suiteId, status: 'completed' }, 'AND number < :number ORDER BY number DESC LIMIT 1', { number }),
    /** Returns every pending and running run, oldest first, optionally of one organization. */
    inFlight: (organizationId?: string) =>
      (organizationId === undefined
        ? // Because of the sort order SQLite would otherwise read all runs.
          database
            .all<StoredRun>(`SELECT * FROM run INDEXED BY runInFlight WHERE ${IN_FLIGHT} ORDER BY id`)
            .map(row => runs.read<StoredRun>(row))
        : runs.all({ organizationId }, `AND ${IN_FLIGHT} ORDER BY id`)
      ).map(read),
    /** Returns the lease of every run in progress, undefined for a run without one. Called at every reading of runs. */
    leasesInFlight: () => database.all<StoredLease>(LEASES).map(leaseOf),
    status: (id: string) =>
      database.get<{ status: RunStatus }>('SELECT status FROM run WHERE id = :id', { id })?.status,
    nextNumber: (suiteId: string) =>
      database.get<{ next: number }>('SELECT COALESCE(MAX(number), 0) + 1 AS next FROM run WHERE suiteId = :suiteId', {
        suiteId,
      })?.next ?? 1,
    insert({ lease, ...row }: RunRow, cases: readonly CaseSnapshot[]) {
      runs.basics.insert({
        ...row,
        leaseToken: lease?.token ?? null,
        leaseHost: lease?.host ?? null,
        leasePid: lease?.pid ?? null,
        leaseExpiresAt: lease?.expiresAt ?? null,
      })
      database.runEach(
        insertEachInto('runCase', ['runId', 'position', 'snapshot']),
        cases.map((snapshot, position) => [row.id, position, JSON.stringify(snapshot)]),
      )
    },
    /** Returns cases in order, optionally only those at the given positions. */
    cases: (runId: string, first = 0, last = Number.MAX_SAFE_INTEGER) =>
      database
        .all<{ snapshot: string }>(
          `SELECT snapshot FROM runCase WHERE runId = :runId AND position BETWEEN :first AND :last
           ORDER BY position`,
          { runId, first, last },
        )
        .map(({ snapshot }) => readSnapshot(snapshot)),
    /** Counts the current cases of the suite, and how many of them the run has; undefined if the suite has no cases. */
    selection(runId: string, suiteId: string) {
      const counts = database.get<CaseSelection>(
        `SELECT COUNT(*) AS totalCaseCount, COALESCE(SUM(id IN (
           SELECT snapshot ->> 'caseId' FROM runCase WHERE runId = :runId
         )), 0) AS selectedCaseCount
         FROM suiteCase WHERE suiteId = :suiteId`,
        { runId, suiteId },
      )
      return counts && counts.totalCaseCount > 0 ? counts : undefined
    },
    /** Returns the latest run of all the suite's cases that has a verdict. */
    latestWhole: (projectId: string, suiteId: string) =>
      one({ suiteId, projectId, status: 'completed' }, `${JUDGED_WHOLE} ORDER BY number DESC LIMIT 1`),
    figures: (suiteId: string) =>
      database.get<SuiteFigures>(
        `SELECT COUNT(*) AS runs, COALESCE(SUM(summary ->> 'passed'), 0) AS passed,
                COALESCE(SUM(summary ->> 'failed'), 0) AS failed
         FROM run WHERE suiteId = :suiteId`,
        { suiteId },
      ) ?? { runs: 0, passed: 0, failed: 0 },
    /** Extends the lease. Returns false if the run has ended or another process owns it. */
    renew: (id: string, leaseToken: string, leaseExpiresAt: number) =>
      runs.change({ id, leaseToken }, { leaseExpiresAt }, `AND ${IN_FLIGHT}`) > 0,
    /** Begins a pending run. Returns false if it was not pending any more. */
    begin: (id: string, startedAt: number) =>
      runs.change({ id, status: 'pending' }, { status: 'running', startedAt }) > 0,
    /** Ends a run in progress. Returns false if it had ended already. */
    end: (id: string, { status, result, summary, decisionSummary, scoreIntegrity, completedAt }: RunEnding) =>
      runs.change(
        { id },
        { status, result, summary, decisionSummary, scoreIntegrity, completedAt },
        `AND ${IN_FLIGHT}`,
      ) > 0,
  }
}

function read({ leaseToken, leaseHost, leasePid, leaseExpiresAt, ...row }: StoredRun): RunRow {
  const lease = leaseOf({ leaseToken, leaseHost, leasePid, leaseExpiresAt })
  return lease ? { ...row, lease } : row
}

function leaseOf({ leaseToken: token, leaseHost, leasePid, leaseExpiresAt }: StoredLease): Lease | undefined {
  if (token === null) return undefined
  return { token, host: leaseHost ?? '', pid: leasePid ?? 0, expiresAt: leaseExpiresAt ?? 0 }
}

/** Maximum number of listings that are stored of one server in one run. Later ones are not stored. */
const MOST_LISTINGS = 20

type StoredListing = Omit<SeenTools, 'tools'> & { tools: string }

/** Creates the rows of the sessions that runs started, and of the tools that the servers listed in them. */
export function createRunToolRows(database: Database) {
  const latest = (runId: string, serverName: string) =>
    database.get<{ seenAt: number; hash: string; count: number }>(
      `SELECT max(seenAt) AS seenAt, hash, (SELECT count(*) FROM runTools
         WHERE runId = :runId AND serverName = :serverName) AS count
       FROM runTools WHERE runId = :runId AND serverName = :serverName GROUP BY runId`,
      { runId, serverName },
    )
  return {
    /**
     * Stores a listing, unless it equals the server's previous one in this run, {@link MOST_LISTINGS} of the server are
     * stored, or the run was deleted.
     */
    record(runId: string, { serverName, seenAt, hash, tools }: SeenTools) {
      const before = latest(runId, serverName)
      if (before && (before.hash === hash || before.count >= MOST_LISTINGS)) return
      database.run(
        `INSERT INTO runTools (runId, serverName, seenAt, hash, tools)
         SELECT id, :serverName, :seenAt, :hash, :tools FROM run WHERE id = :runId`,
        {
          runId,
          serverName,
          // The times of two listings must differ, so the second of the same millisecond gets a later one.
          seenAt: before ? Math.max(seenAt, before.seenAt + 1) : seenAt,
          hash,
          tools: JSON.stringify(tools),
        },
      )
    },
    /** Adds a session that the run started. */
    noteStarted: (id: string, session: StartedSession) =>
      void database.run(
        `UPDATE run SET startedServers = json_insert(COALESCE(startedServers, '[]'), '$[#]', json(:session))
         WHERE id = :id`,
        { id, session: JSON.stringify(session) },
      ),
    /**
     * Returns, for each server, the listing that applied at a time (epoch milliseconds), or its first listing if that
     * is later.
     */
    seenAt(runId: string, at: number): SeenTools[] {
      const rows = database.all<StoredListing>(
        'SELECT serverName, seenAt, hash, tools FROM runTools WHERE runId = :runId ORDER BY serverName, seenAt',
        { runId },
      )
      return [...Map.groupBy(rows, row => row.serverName).values()].flatMap(listings => {
        const held = listings.findLast(listing => listing.seenAt <= at) ?? listings[0]
        return held ? [{ ...held, tools: parseStored(held.tools) as SeenTool[] }] : []
      })
    },
  }
}

type RunAnalysisKind = 'goalCompletion' | 'insights'
type RunAnalysisStatus = 'pending' | 'completed' | 'failed'
export type RunAnalysis<T> = { status: RunAnalysisStatus; document: T }

export function createRunAnalysisRows(database: Database) {
  return {
    /** Returns an analysis with a document of type `T`; undefined if it was never requested. */
    get<T>(runId: string, kind: RunAnalysisKind): RunAnalysis<T> | undefined {
      const row = database.get<{ status: RunAnalysisStatus; document: string }>(
        'SELECT status, document FROM runAnalysis WHERE runId = :runId AND kind = :kind',
        { runId, kind },
      )
      return row && { status: row.status, document: parseStored(row.document) as T }
    },
    /** Begins an analysis. It replaces an earlier one. */
    begin(runId: string, kind: RunAnalysisKind, document: unknown) {
      database.run(
        `INSERT INTO runAnalysis (runId, kind, status, document) VALUES (:runId, :kind, 'pending', :document)
         ON CONFLICT (runId, kind) DO UPDATE SET status = 'pending', document = :document`,
        { runId, kind, document: JSON.stringify(document) },
      )
    },
    /** Ends a pending analysis. Returns false if it had ended already or its run was deleted. */
    end: (runId: string, kind: RunAnalysisKind, status: Exclude<RunAnalysisStatus, 'pending'>, document: unknown) =>
      database.run(
        `UPDATE runAnalysis SET status = :status, document = :document
         WHERE runId = :runId AND kind = :kind AND status = 'pending'`,
        { runId, kind, status, document: JSON.stringify(document) },
      ) > 0,
  }
}
