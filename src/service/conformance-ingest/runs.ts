import { ServiceError } from '../core/errors.ts'
import { digest, newId } from '../core/ids.ts'
import type { Store } from '../core/database/store.ts'
import { invalidField } from '../core/validation.ts'
import * as z from 'zod'
import { openObject, record, shape } from '../../api/contract/shapes.ts'
import { label, readDocument } from '../eval-ingest/document.ts'
import { parseStored } from '../../lib/json.ts'
import type { Database } from '../../lib/sqlite.ts'
import { json, tableOf } from '../core/database/table.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

type ConformanceCounts = {
  passed: number
  failed: number
  /** Number of checks that were skipped although they apply. */
  couldNotRun: number
  notApplicable: number
}

type ConformanceOutcome = 'passed' | 'failed' | 'incomplete'

type ConformanceRunRow = {
  id: string
  projectId: string
  /** The reporter's own id for the run. A repeated request with the same id returns the same run. */
  externalRunId: string | null
  requestedSuites: string[]
  /** The reporter's description of itself and its target, as received. */
  origin: Record<string, unknown>
  /** `abandoned` means that the reporter stopped sending before it finalized the run. */
  status: 'running' | 'completed' | 'abandoned'
  outcome: ConformanceOutcome | null
  counts: ConformanceCounts | null
  startedAt: number
  heardAt: number
  endedAt: number | null
}

type ConformanceReportRow = {
  runId: string
  suiteKind: string
  contentHash: string
  counts: ConformanceCounts
  report: Record<string, unknown>
  createdAt: number
}

export function createConformanceRunRows(database: Database) {
  const runs = tableOf<ConformanceRunRow>(database, 'conformanceRun', {
    kinds: { requestedSuites: json(), origin: json(), counts: json(null) },
  })
  const reports = tableOf<ConformanceReportRow>(database, 'conformanceReport', {
    key: 'runId',
    kinds: { counts: json(), report: json() },
  })
  const { get, require, insert } = runs.basics
  return {
    get,
    require,
    findExternal: (projectId: string, externalRunId: string) => runs.one({ projectId, externalRunId }),
    insert,
    hear: (id: string, heardAt: number) => runs.change({ id }, { heardAt }),
    /** Returns the open runs that have reported nothing since that time. */
    silentSince: (at: number) => runs.all({ status: 'running' }, 'AND heardAt < :at', { at }),
    end: (id: string, ending: Pick<ConformanceRunRow, 'status' | 'outcome' | 'counts' | 'endedAt'>) =>
      runs.change({ id, status: 'running' }, ending),
    reports: (runId: string): Omit<ConformanceReportRow, 'report'>[] =>
      database
        .all<Omit<ConformanceReportRow, 'report' | 'counts'> & { counts: string }>(
          `SELECT runId, suiteKind, contentHash, counts, createdAt FROM conformanceReport
           WHERE runId = :runId ORDER BY rowid`,
          { runId },
        )
        .map(row => ({ ...row, counts: parseStored(row.counts) as ConformanceCounts })),
    insertReport: reports.basics.insert,
  }
}

/** The suites expected if the reporter names none. */
const DEFAULT_SUITES = ['protocol', 'apps', 'tasks']
const MAX_SUITES = 20

const suiteKind = shape(() => label().regex(/^[A-Za-z0-9_-]{1,64}$/))

const Check = shape(() =>
  record({ id: z.string().min(1), status: z.enum(['passed', 'failed', 'skipped']), skipReason: z.string().nullish() }),
)

/** Shape of one suite's report. Its checks are parsed, everything else is stored as received. */
const SuiteReport = shape(() => record({ groups: z.array(record({ cases: z.array(Check()) })) }))
type SuiteReport = z.output<typeof SuiteReport>

/** The body that opens a conformance run; undeclared fields are accepted but not stored. */
const ConformanceOpening = shape(() =>
  z.object({
    requestedSuites: z
      .array(suiteKind())
      .min(1)
      .max(MAX_SUITES)
      .nullish()
      .transform(kinds => [...new Set(kinds ?? DEFAULT_SUITES)]),
    externalRunId: label().max(256).nullish(),
    target: openObject().nullish(),
    source: z.string().nullish(),
    protocolVersion: z.string().nullish(),
    engineVersion: z.string().nullish(),
    actorLabel: z.string().nullish(),
    ci: openObject().nullish(),
  }),
)
type ConformanceOpening = z.output<typeof ConformanceOpening>

/** A finished run with all reports in one document. */
const ConformanceDocument = shape(() =>
  z.object({ ...ConformanceOpening().shape, reports: z.record(suiteKind(), SuiteReport()) }),
)

const runId = label()
const ConformanceName = shape(() => record({ runId }))
const ConformanceUpsert = shape(() => record({ runId, suiteKind: suiteKind(), report: SuiteReport() }))

/**
 * Counts the checks by verdict. A skipped check that is not marked as inapplicable counts as one that could not run.
 */
function countChecks(report: SuiteReport): ConformanceCounts {
  const counts: ConformanceCounts = { passed: 0, failed: 0, couldNotRun: 0, notApplicable: 0 }
  for (const { status, skipReason } of report.groups.flatMap(({ cases }) => cases)) {
    if (status !== 'skipped') counts[status]++
    else if (skipReason === 'not-applicable') counts.notApplicable++
    else counts.couldNotRun++
  }
  return counts
}

/** Milliseconds without a report or heartbeat after which a run is ended. */
const SILENCE_MS = 30 * 60 * 1000

/**
 * Opens a run, or returns the one with the same `externalRunId`, in the caller's transaction.
 * @throws ServiceError `CONFLICT`
 */
function openConformanceRun(
  store: Store,
  projectId: string,
  { requestedSuites, externalRunId, ...origin }: ConformanceOpening,
): { run: ConformanceRunRow; reused: boolean } {
  const known = externalRunId == null ? undefined : store.conformanceRuns.findExternal(projectId, externalRunId)
  if (known) {
    if (digest(known.requestedSuites.toSorted()) !== digest(requestedSuites.toSorted()))
      throw new ServiceError('CONFLICT', 'This externalRunId belongs to a run of other suites.', {
        details: { field: 'requestedSuites', requestedSuites: known.requestedSuites },
      })
    return { run: known, reused: true }
  }
  const now = Date.now()
  const run: ConformanceRunRow = {
    id: newId('cnf'),
    projectId,
    externalRunId: externalRunId ?? null,
    requestedSuites,
    origin,
    status: 'running',
    outcome: null,
    counts: null,
    startedAt: now,
    heardAt: now,
    endedAt: null,
  }
  store.conformanceRuns.insert(run)
  return { run, reused: false }
}

/**
 * Records a heartbeat of an open run.
 * @throws ServiceError `CONFLICT` if it has ended
 */
function renewConformanceRun(store: Store, run: ConformanceRunRow): void {
  requireOpen(run)
  store.conformanceRuns.hear(run.id, Date.now())
}

/**
 * Stores one suite's report in the caller's transaction; the same content again changes nothing.
 * @throws ServiceError `VALIDATION_ERROR` for another suite, `CONFLICT` for other content or an ended run
 */
function putReport(
  store: Store,
  run: ConformanceRunRow,
  suiteKind: string,
  report: Parameters<typeof countChecks>[0],
): { contentHash: string; unchanged: boolean } {
  if (!run.requestedSuites.includes(suiteKind))
    throw invalidField('suiteKind', `is none of the requested suites ${run.requestedSuites.join(', ')}`)
  const contentHash = digest(report)
  const known = store.conformanceRuns.reports(run.id).find(each => each.suiteKind === suiteKind)
  if (known && known.contentHash !== contentHash)
    throw new ServiceError('CONFLICT', `The run has another report of "${suiteKind}" already.`, {
      details: { field: 'report', contentHash: known.contentHash },
    })
  if (known) return { contentHash, unchanged: true }
  renewConformanceRun(store, run)
  const counts = countChecks(report)
  store.conformanceRuns.insertReport({ runId: run.id, suiteKind, contentHash, counts, report, createdAt: Date.now() })
  return { contentHash, unchanged: false }
}

/**
 * Ends an open run according to its checks; a run that has ended is not changed. Runs inside the caller's transaction.
 */
function endConformanceRun(store: Store, run: ConformanceRunRow, status: 'completed' | 'abandoned'): ConformanceRunRow {
  if (run.status !== 'running') return run
  const reports = store.conformanceRuns.reports(run.id)
  const missing = run.requestedSuites.filter(kind => !reports.some(({ suiteKind }) => suiteKind === kind))
  const counts = poolCounts(reports)
  const outcome = outcomeOf(counts, status === 'completed' && missing.length === 0)
  const ending = { status, outcome, counts, endedAt: Date.now() }
  store.conformanceRuns.end(run.id, ending)
  return { ...run, ...ending }
}

/**
 * Ends open runs whose reporter stopped sending. A run with a reported failure counts as failed, any other as
 * incomplete.
 */
function settleSilentConformanceRuns(store: Store, now: number): void {
  if (store.conformanceRuns.silentSince(now - SILENCE_MS).length === 0) return
  store.write(() => {
    for (const run of store.conformanceRuns.silentSince(now - SILENCE_MS)) endConformanceRun(store, run, 'abandoned')
  })
}

/** Converts a run to the format that reporters parse (contract: ConformanceIngestResponse, `{ ok: true, … }`). */
function toConformanceReply(store: Store, run: ConformanceRunRow) {
  const { id, projectId, requestedSuites, status, outcome, counts, startedAt, endedAt } = run
  const uploadedSuites = store.conformanceRuns.reports(id).map(({ suiteKind }) => suiteKind)
  return {
    ok: true,
    runId: id,
    projectId,
    requestedSuites,
    uploadedSuites,
    status,
    outcome,
    counts,
    startedAt,
    endedAt,
  }
}

function requireOpen({ status }: ConformanceRunRow): void {
  if (status !== 'running')
    throw new ServiceError('CONFLICT', `The conformance run has ended already (${status}).`, { details: { status } })
}

function poolCounts(reports: readonly Pick<ConformanceReportRow, 'counts'>[]): ConformanceCounts {
  const pool: ConformanceCounts = { passed: 0, failed: 0, couldNotRun: 0, notApplicable: 0 }
  for (const { counts } of reports) {
    pool.passed += counts.passed
    pool.failed += counts.failed
    pool.couldNotRun += counts.couldNotRun
    pool.notApplicable += counts.notApplicable
  }
  return pool
}

function outcomeOf({ passed, failed, couldNotRun }: ConformanceCounts, complete: boolean): ConformanceOutcome {
  if (failed > 0) return 'failed'
  return complete && couldNotRun === 0 && passed > 0 ? 'passed' : 'incomplete'
}

/** Milliseconds between checks for silent runs. */
const CHECK_EVERY_MS = 6000

export function conformanceIngestHandlers({ store, background }: ServiceContext): Handlers['conformanceIngest'] {
  background.every(CHECK_EVERY_MS, () => settleSilentConformanceRuns(store, Date.now()))
  return {
    report({ project, body }) {
      const { reports, ...opening } = readDocument(ConformanceDocument(), body)
      return store.write(() => {
        const { run, reused } = openConformanceRun(store, project.id, opening)
        for (const [suiteKind, report] of Object.entries(reports)) putReport(store, run, suiteKind, report)
        return { ...toConformanceReply(store, endConformanceRun(store, run, 'completed')), reused }
      })
    },
    start({ project, body }) {
      const opening = readDocument(ConformanceOpening(), body)
      return store.write(() => {
        const { run, reused } = openConformanceRun(store, project.id, opening)
        return { ...toConformanceReply(store, run), reused }
      })
    },
    upsertReport({ project, body }) {
      const { runId, suiteKind, report } = readDocument(ConformanceUpsert(), body)
      return store.write(() => {
        const stored = putReport(store, store.conformanceRuns.require(project.id, runId), suiteKind, report)
        return { ok: true, runId, suiteKind, ...stored }
      })
    },
    heartbeat({ project, body }) {
      const { runId } = readDocument(ConformanceName(), body)
      return store.write(() => {
        const run = store.conformanceRuns.require(project.id, runId)
        renewConformanceRun(store, run)
        return { ok: true, runId, status: run.status }
      })
    },
    finalize({ project, body }) {
      const { runId } = readDocument(ConformanceName(), body)
      return store.write(() => {
        const run = store.conformanceRuns.require(project.id, runId)
        return toConformanceReply(store, endConformanceRun(store, run, 'completed'))
      })
    },
  }
}
