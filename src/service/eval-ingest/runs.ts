import { randomUUID } from 'node:crypto'
import { variantKey } from '../../api/contract/runs.ts'
import { ServiceError } from '../core/errors.ts'
import { passThreshold } from '../evals/grading.ts'
import type { PatternTest } from '../evals/pattern.ts'
import type { CaseSnapshot } from '../evals/types.ts'
import { newId } from '../core/ids.ts'
import { endRun, gradeOf } from '../runs/settlement.ts'
import type { ProjectRow } from '../core/database/rows.ts'
import type { Lease } from '../core/lease.ts'
import type { RunRow } from '../runs/rows.ts'
import type { Store } from '../core/database/store.ts'
import type { SuiteRow } from '../suites/rows.ts'
import { invalidField } from '../core/validation.ts'
import type { ReportedResult, RunOpening } from './document.ts'
import { caseOf, outcomeOf } from './outcome.ts'
import { createCaseBook, mayWriteCases, namedServers, suiteOf } from './suites.ts'
import { defined } from '../../lib/json.ts'

/** How long a program may stay silent before its run is ended, in milliseconds. */
const SILENCE_MS = 60 * 60 * 1000

const SILENT = 'The program that reported this run stopped reporting before it finalized the run.'

/** Nobody here executes the run, so no process's end can abandon it: `settleSilentRuns` watches it instead. */
const elsewhere = (): Lease => ({
  token: randomUUID(),
  host: 'another program',
  pid: 0,
  expiresAt: Number.MAX_SAFE_INTEGER,
})

/**
 * Opens a run that another program executes, or finds the one that it opened under the same `externalRunId`. It takes
 * no slot. Runs inside the caller's transaction.
 * @throws ServiceError `VALIDATION_ERROR`, `NOT_FOUND`
 */
export function openIngestRun(
  store: Store,
  project: ProjectRow,
  keyId: string,
  opening: RunOpening,
  now: number = Date.now(),
): { run: RunRow; reused: boolean } {
  const externalRunId = opening.externalRunId ?? null
  const earlier = externalRunId === null ? undefined : store.ingestRuns.findExternal(project.id, externalRunId)
  const known = earlier && store.runs.get(project.id, earlier.runId)
  if (known) {
    if (isOfAnotherSuite(store, known, opening))
      throw invalidField('externalRunId', 'names a run of another suite already')
    return { run: known, reused: true }
  }
  const suite = suiteOf(store, project.id, keyId, opening, now)
  const run = newRun(store, project, suite, opening, now)
  store.runs.insert(run, [])
  store.ingestRuns.insert({
    runId: run.id,
    projectId: project.id,
    externalRunId,
    writesCases: mayWriteCases(store, suite, opening),
    heardAt: run.createdAt,
  })
  return { run, reused: false }
}

function isOfAnotherSuite(store: Store, run: RunRow, { suiteId, declaredSuiteId, suiteName }: RunOpening): boolean {
  if (suiteId != null) return suiteId !== run.suiteId
  if (declaredSuiteId == null) return suiteName != null && suiteName !== run.suiteName
  // The suite may be gone since, and its owner with it.
  return (store.suiteOwnership.get(run.suiteId)?.declaredId ?? declaredSuiteId) !== declaredSuiteId
}

function newRun(store: Store, project: ProjectRow, suite: SuiteRow, opening: RunOpening, now: number): RunRow {
  const { framework, passCriteria, serverNames } = opening
  const notes = opening.notes ?? describeCi(opening.ci)
  return {
    id: newId('run'),
    projectId: project.id,
    organizationId: project.organizationId,
    suiteId: suite.id,
    suiteName: suite.name,
    number: store.runs.nextNumber(suite.id),
    status: 'running',
    result: null,
    source: 'sdk',
    ...defined({ notes }),
    plan: {
      servers: namedServers(store, project.id, serverNames),
      threshold: passThreshold({
        minimumPassRate: passCriteria?.minimumPassRate,
        minimumAccuracy: suite.settings.minimumAccuracy,
      }),
      ...(framework != null && { client: { id: null, name: framework, source: 'sdk' } }),
    },
    createdAt: now,
    startedAt: now,
    lease: elsewhere(),
  }
}

/** Where a run comes from, for its notes; undefined when the program does not say. */
function describeCi(ci: RunOpening['ci']): string | undefined {
  const { branch, commitSha, runUrl } = ci ?? {}
  const parts = [branch, commitSha, runUrl].filter(part => part != null && part !== '')
  return parts.length > 0 ? parts.join(' · ') : undefined
}

/**
 * The run that a request names by either id.
 * @throws ServiceError `NOT_FOUND`, `VALIDATION_ERROR` when it was not opened by a program or the ids disagree
 */
export function requireIngestRun(
  store: Store,
  projectId: string,
  { runId, externalRunId }: { runId?: string | null | undefined; externalRunId?: string | null | undefined },
): RunRow {
  const named = externalRunId == null ? undefined : store.ingestRuns.findExternal(projectId, externalRunId)
  const id = runId ?? named?.runId
  if (runId == null && externalRunId == null) throw invalidField('runId', 'must name the run')
  const run = id === undefined ? undefined : store.runs.get(projectId, id)
  if (!run) throw new ServiceError('NOT_FOUND', 'There is no such run in this project.')
  const ingested = store.ingestRuns.get(run.id)
  if (!ingested) throw invalidField('runId', 'names a run that is executed here, not one that is reported')
  if (externalRunId != null && ingested.externalRunId !== externalRunId)
    throw invalidField('externalRunId', 'names another run than runId')
  return run
}

/**
 * Writes reported iterations; one that was sent before under the same `externalIterationId` is left alone, so that a
 * batch may be repeated. Runs inside the caller's transaction.
 * @throws ServiceError `VALIDATION_ERROR` when the run has ended and something is new
 */
export function appendResults(
  store: Store,
  run: RunRow,
  results: readonly ReportedResult[],
  now: number = Date.now(),
  test?: PatternTest,
) {
  const isNew = ({ externalId }: ReportedResult) =>
    externalId === undefined || store.ingestRuns.insertIteration(run.id, externalId)
  const fresh = results.filter(isNew)
  const ended = run.status !== 'running'
  if (ended && fresh.length > 0) throw invalidField('runId', `names a run that has ended (${run.status})`)
  store.ingestRuns.hear(run.id, now)
  const place = createPlaces(store, run, now)
  for (const result of fresh) {
    const { snapshot, ...where } = place(result)
    const outcome = outcomeOf(result, snapshot, now, test)
    const id = newId('itr')
    const { startedAt } = outcome
    store.trials.insert([
      {
        id,
        runId: run.id,
        ...where,
        caseId: snapshot.caseId,
        title: snapshot.title,
        status: 'running',
        class: 'pending',
        result: null,
        error: null,
        startedAt,
        durationMs: null,
        tokensUsed: null,
      },
    ])
    store.trials.end(id, outcome)
  }
  return { inserted: fresh.length, skipped: results.length - fresh.length, total: results.length }
}

/** Finds the place of each result among the run's cases and trials, and adds cases that the run has not seen. */
function createPlaces(store: Store, run: RunRow, now: number) {
  const suite = store.suites.get(run.projectId, run.suiteId)
  const { writesCases = false } = store.ingestRuns.get(run.id) ?? {}
  const book = suite && createCaseBook(store, suite, writesCases, now)
  const checks = suite?.settings.checks ?? []
  const cases = store.runs.cases(run.id)
  const trials = store.trials.list(run.id)
  const done = new Map<number, number>()
  for (const { casePosition } of trials) done.set(casePosition, (done.get(casePosition) ?? 0) + 1)
  let position = trials.length
  return (result: ReportedResult) => {
    const { title, model, provider } = result
    const identity = book?.of(result) ?? { caseId: result.caseKey ?? title, caseKey: result.caseKey ?? title }
    const variant = variantKey({ caseId: identity.caseId, model, provider })
    let casePosition = cases.findIndex(each => variantKey(each) === variant)
    if (casePosition < 0) {
      casePosition = cases.length
      const snapshot = snapshotOf(result, identity, cases)
      cases.push({ ...snapshot, checks: [...checks, ...snapshot.checks] })
      store.ingestRuns.appendCase(run.id, casePosition, cases[casePosition]!)
    }
    const iterationNumber = (done.get(casePosition) ?? 0) + 1
    done.set(casePosition, iterationNumber)
    return { casePosition, iterationNumber, position: position++, snapshot: cases[casePosition]! }
  }
}

/** A case that runs on several models has one key for each, as in runs that are executed here. */
function snapshotOf(
  result: ReportedResult,
  identity: Pick<CaseSnapshot, 'caseId' | 'caseKey'>,
  cases: readonly CaseSnapshot[],
): CaseSnapshot {
  const { title, model, provider, isNegative, expectedOutput } = result
  const variant = [provider, model].filter(part => part !== undefined).join('/') || 'default'
  const taken = cases.some(({ caseKey }) => caseKey === identity.caseKey)
  return {
    caseId: identity.caseId,
    caseKey: taken ? `${identity.caseKey}@${variant}` : identity.caseKey,
    title,
    ...caseOf(result),
    iterations: 1,
    isNegative,
    ...defined({ expectedOutput, model, provider }),
  }
}

/** Grades a reported run and ends it; one that has ended stays as it is. Runs inside the caller's transaction. */
export function finalizeIngestRun(store: Store, run: RunRow, now: number = Date.now()): RunRow {
  endRun(store, run, { executionFailed: SILENT }, now)
  return store.runs.get(run.projectId, run.id) ?? run
}

/**
 * Ends runs whose program fell silent: as failed and without a verdict, since nobody knows what it did not report.
 * @param now epoch milliseconds
 */
export function settleSilentRuns(store: Store, now: number): void {
  if (store.ingestRuns.silentSince(now - SILENCE_MS).length === 0) return
  store.write(() => {
    for (const { projectId, runId } of store.ingestRuns.silentSince(now - SILENCE_MS)) {
      const run = store.runs.get(projectId, runId)
      if (!run) continue
      const { summary, decisionSummary } = gradeOf(store, run, 'cancelled')
      store.runs.end(run.id, {
        status: 'failed',
        result: null,
        summary,
        decisionSummary: { ...decisionSummary, undecided: { reason: 'stopped_early', message: SILENT } },
        completedAt: now,
      })
    }
  })
}

/** A run in the envelope that reporters parse (contract: EvalIngestResponse, `{ ok: true, … }`). */
export function toIngestReply({ id, projectId, suiteId, status, result, summary }: RunRow, reused: boolean) {
  return { ok: true, runId: id, projectId, suiteId, status, result, summary: summary ?? null, reused }
}
