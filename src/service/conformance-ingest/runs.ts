import { ServiceError } from '../core/errors.ts'
import { digest, newId } from '../core/ids.ts'
import type { ConformanceCounts, ConformanceOutcome, ConformanceReportRow, ConformanceRunRow } from './rows.ts'
import type { Store } from '../core/database/store.ts'
import { invalidField } from '../core/validation.ts'
import * as z from 'zod'
import { openObject, record, shape } from '../../api/contract/shapes.ts'
import { label } from '../eval-ingest/document.ts'

/** What a report is asked for when a program names nothing. */
const DEFAULT_SUITES = ['protocol', 'apps', 'tasks']
const MAX_SUITES = 20

const suiteKind = shape(() => label().regex(/^[A-Za-z0-9_-]{1,64}$/))

const Check = shape(() =>
  record({ id: z.string().min(1), status: z.enum(['passed', 'failed', 'skipped']), skipReason: z.string().nullish() }),
)

/** One suite's report: its checks are read, everything else is kept as it came. */
const SuiteReport = shape(() => record({ groups: z.array(record({ cases: z.array(Check()) })) }))
type SuiteReport = z.output<typeof SuiteReport>

/** What a conformance run is opened with; undeclared fields are let through and not kept, whatever they hold. */
export const ConformanceOpening = shape(() =>
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
export type ConformanceOpening = z.output<typeof ConformanceOpening>

/** A finished run with every report in one document. */
export const ConformanceDocument = shape(() =>
  z.object({ ...ConformanceOpening().shape, reports: z.record(suiteKind(), SuiteReport()) }),
)

const runId = label()
export const ConformanceName = shape(() => record({ runId }))
export const ConformanceUpsert = shape(() => record({ runId, suiteKind: suiteKind(), report: SuiteReport() }))

/** How often each verdict occurs; a skipped check that does not say it was inapplicable left something untested. */
export function countChecks(report: SuiteReport): ConformanceCounts {
  const counts: ConformanceCounts = { passed: 0, failed: 0, couldNotRun: 0, notApplicable: 0 }
  for (const { status, skipReason } of report.groups.flatMap(({ cases }) => cases)) {
    if (status !== 'skipped') counts[status]++
    else if (skipReason === 'not-applicable') counts.notApplicable++
    else counts.couldNotRun++
  }
  return counts
}

/** How long a program may go without a heartbeat before its run is ended, in milliseconds. */
const SILENCE_MS = 30 * 60 * 1000

/**
 * Opens a run, or finds the one that was opened under the same `externalRunId`; runs inside the caller's transaction.
 * @throws ServiceError `CONFLICT` when that run was asked for other suites
 */
export function openConformanceRun(
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

/** Marks an open run as alive. @throws ServiceError `CONFLICT` when it has ended */
export function hearConformanceRun(store: Store, run: ConformanceRunRow): void {
  requireOpen(run)
  store.conformanceRuns.hear(run.id, Date.now())
}

/**
 * Stores the report of one requested suite; the same content again changes nothing, whatever state the run is in.
 * Runs inside the caller's transaction.
 * @throws ServiceError `VALIDATION_ERROR` for a suite that was not asked for, `CONFLICT` for other content under its
 *   name and for an ended run
 */
export function putReport(
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
  hearConformanceRun(store, run)
  const counts = countChecks(report)
  store.conformanceRuns.insertReport({ runId: run.id, suiteKind, contentHash, counts, report, createdAt: Date.now() })
  return { contentHash, unchanged: false }
}

/** Ends an open run by what its checks say; one that has ended stays as it is. Runs inside the caller's transaction. */
export function endConformanceRun(
  store: Store,
  run: ConformanceRunRow,
  status: 'completed' | 'abandoned',
): ConformanceRunRow {
  if (run.status !== 'running') return run
  const reports = store.conformanceRuns.reports(run.id)
  const missing = run.requestedSuites.filter(kind => !reports.some(({ suiteKind }) => suiteKind === kind))
  const counts = poolCounts(reports)
  const outcome = outcomeOf(counts, status === 'completed' && missing.length === 0)
  const ending = { status, outcome, counts, endedAt: Date.now() }
  store.conformanceRuns.end(run.id, ending)
  return { ...run, ...ending }
}

/** Ends open runs whose program fell silent; a failure that it reported stands, anything less is incomplete. */
export function settleSilentConformanceRuns(store: Store, now: number): void {
  if (store.conformanceRuns.silentSince(now - SILENCE_MS).length === 0) return
  store.write(() => {
    for (const run of store.conformanceRuns.silentSince(now - SILENCE_MS)) endConformanceRun(store, run, 'abandoned')
  })
}

/** A run in the envelope that reporters parse (contract: ConformanceIngestResponse, `{ ok: true, … }`). */
export function toConformanceReply(store: Store, run: ConformanceRunRow) {
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

function outcomeOf({ failed, couldNotRun }: ConformanceCounts, complete: boolean): ConformanceOutcome {
  if (failed > 0) return 'failed'
  return complete && couldNotRun === 0 ? 'passed' : 'incomplete'
}

/** How often runs of silent programs are looked for, in milliseconds. */
export const LOOK_MS = 6000
