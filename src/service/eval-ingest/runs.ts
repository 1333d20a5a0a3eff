import { randomUUID } from 'node:crypto'
import { variantKey } from '../../api/contract/runs.ts'
import { ServiceError } from '../core/errors.ts'
import { passThreshold } from '../evals/grading.ts'
import { type PatternTest, judgeWithPatternsApart } from '../evals/pattern.ts'
import type { CaseSnapshot } from '../evals/types.ts'
import { newId } from '../core/ids.ts'
import { endRun, gradeOf } from '../runs/settlement.ts'
import type { ProjectRow } from '../core/database/rows.ts'
import type { Lease } from '../core/lease.ts'
import type { RunRow } from '../runs/rows.ts'
import type { Store } from '../core/database/store.ts'
import type { SuiteRow } from '../suites/rows.ts'
import { invalidField } from '../core/validation.ts'
import { type ReportedResult, RunOpening, readDocument, RunBatch, RunName, RunReport } from './document.ts'
import { caseOf, outcomeOf } from './outcome.ts'
import { defined } from '../../lib/json.ts'
import type { Database } from '../../lib/sqlite.ts'
import { boolean, tableOf } from '../core/database/table.ts'
import { contentDigestOf, defineCase, insertCase, type CaseRow } from '../cases/records.ts'
import { insertSuite } from '../suites/records.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

/** A run that another program executes and whose results it reports. */
type IngestRunRow = {
  runId: string
  projectId: string
  externalRunId: string | null
  /** Whether the run's cases are also written to its suite. */
  writesCases: boolean
  /** Time of the last report. */
  heardAt: number
}

export function createIngestRunRows(database: Database) {
  const runs = tableOf<IngestRunRow>(database, 'ingestRun', { key: 'runId', kinds: { writesCases: boolean() } })
  return {
    get: (runId: string) => runs.one({ runId }),
    findExternal: (projectId: string, externalRunId: string) => runs.one({ projectId, externalRunId }),
    insert: runs.basics.insert,
    hear: (runId: string, heardAt: number) => runs.change({ runId }, { heardAt }),
    /** Returns the runs in progress that have reported nothing since that time. */
    silentSince: (at: number) =>
      runs.all(
        {},
        `AND heardAt < :at AND runId IN (SELECT id FROM run WHERE status IN ('pending', 'running')) ORDER BY heardAt`,
        { at },
      ),
    appendCase: (runId: string, position: number, snapshot: CaseSnapshot) =>
      void database.run('INSERT INTO runCase (runId, position, snapshot) VALUES (:runId, :position, :snapshot)', {
        runId,
        position,
        snapshot: JSON.stringify(snapshot),
      }),
    /** Records the program's own id of an iteration. Returns false if the run already has an iteration with this id. */
    insertIteration: (runId: string, externalId: string) =>
      database.run(
        `INSERT INTO ingestIteration (runId, externalId) VALUES (:runId, :externalId)
         ON CONFLICT DO NOTHING`,
        { runId, externalId },
      ) > 0,
  }
}

/** Milliseconds without a report after which a run is ended. */
const SILENCE_MS = 60 * 60 * 1000

const SILENT = 'The program that reported this run stopped reporting before it finalized the run.'

/**
 * Returns a lease for a run that no process here executes. The lease never expires; `settleSilentRuns` ends the run
 * instead.
 */
const elsewhere = (): Lease => ({
  token: randomUUID(),
  host: 'another program',
  pid: 0,
  expiresAt: Number.MAX_SAFE_INTEGER,
})

/**
 * Opens a run of another program, or returns the run with the same `externalRunId`. Such runs do not count against the
 * limit on runs.
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
  // The suite may have been deleted in the meantime, together with its declared id.
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

/** Returns a note about the origin of a run; undefined if the program does not report it. */
function describeCi(ci: RunOpening['ci']): string | undefined {
  const { branch, commitSha, runUrl } = ci ?? {}
  const parts = [branch, commitSha, runUrl].filter(part => part != null && part !== '')
  return parts.length > 0 ? parts.join(' · ') : undefined
}

/**
 * Returns the run with the given id or external id.
 * @throws ServiceError `NOT_FOUND`, `VALIDATION_ERROR` if the ids are of different runs
 */
function requireIngestRun(
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
 * Writes reported iterations. An iteration whose `externalIterationId` is stored already is skipped, so that a batch
 * may be repeated. An iteration without such an id is always written.
 * @throws ServiceError `VALIDATION_ERROR` for a new iteration in an ended run
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

/** Finds the case and trial of each result in the run. A case that the run does not have is added. */
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

/** Returns a snapshot of a case. The first model of a case has its key, each further one `key@provider/model`. */
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

/** Grades a reported run and ends it. A run that has ended is not changed. Runs inside the caller's transaction. */
export function finalizeIngestRun(store: Store, run: RunRow, now: number = Date.now()): RunRow {
  endRun(store, run, { executionFailed: SILENT }, now)
  return store.runs.get(run.projectId, run.id) ?? run
}

/**
 * Ends runs whose programs stopped reporting. They count as failed and have no verdict.
 * @param now epoch milliseconds
 */
function settleSilentRuns(store: Store, now: number): void {
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

/** Converts a run to the format that reporters parse (contract: EvalIngestResponse, `{ ok: true, … }`). */
function toIngestReply({ id, projectId, suiteId, status, result, summary }: RunRow, reused: boolean) {
  return { ok: true, runId: id, projectId, suiteId, status, result, summary: summary ?? null, reused }
}

/** Matches ids that a file may declare for a case (limits-and-errors, section 4: "Declared case id"). */
const DECLARABLE = /^[A-Za-z0-9_-]{1,128}$/

/**
 * Returns the suite of a report. It is found by its id, by its declared id, or by its name if the report has neither
 * id, and created if none is found. Declared id and name find only suites that reports created.
 * @throws ServiceError `VALIDATION_ERROR` for no or contradicting names, `NOT_FOUND`
 */
function suiteOf(store: Store, projectId: string, createdBy: string, opening: RunOpening, now: number): SuiteRow {
  const { suiteId, declaredSuiteId, suiteName } = opening
  if (suiteId != null) {
    const suite = store.suites.require(projectId, suiteId)
    const owner = store.suiteOwnership.get(suite.id)?.declaredId ?? null
    if (declaredSuiteId != null && owner !== null && owner !== declaredSuiteId)
      throw invalidField('declaredSuiteId', 'belongs to another suite than suiteId')
    return suite
  }
  const name = suiteName ?? declaredSuiteId
  if (name == null) throw invalidField('suiteName', 'must name the suite of the run')
  const known =
    declaredSuiteId == null
      ? store.suiteOwnership.findNamed(projectId, name)
      : store.suiteOwnership.findDeclared(projectId, declaredSuiteId)
  return known === undefined
    ? makeSuite(store, projectId, createdBy, { ...opening, suiteName: name }, now)
    : store.suites.require(projectId, known)
}

function makeSuite(
  store: Store,
  projectId: string,
  createdBy: string,
  { suiteName, suiteDescription, declaredSuiteId, serverNames, passCriteria }: RunOpening,
  now: number,
): SuiteRow {
  const { minimumPassRate } = passCriteria ?? {}
  const content = {
    name: suiteName ?? '',
    ...(suiteDescription != null && { description: suiteDescription }),
    serverIds: namedServers(store, projectId, serverNames).map(({ id }) => id),
    ...(minimumPassRate != null && { passCriteria: { minimumPassRate } }),
  }
  const { suite } = insertSuite(store, projectId, createdBy, content, now)
  const declaredId = declaredSuiteId ?? null
  store.suiteOwnership.insert({ suiteId: suite.id, projectId, declaredId, createdAt: suite.createdAt })
  return suite
}

/** Returns the project's servers with the names that the program reported. */
function namedServers(store: Store, projectId: string, names: readonly string[] | null | undefined) {
  return store.servers
    .list(projectId)
    .filter(({ name }) => names?.includes(name))
    .map(({ id, name }) => ({ id, name }))
}

/**
 * Whether a report may change the cases of the suite. It may not if the suite was created here or belongs to another
 * file.
 */
function mayWriteCases(store: Store, suite: SuiteRow, { declaredSuiteId }: RunOpening): boolean {
  const ownership = store.suiteOwnership.get(suite.id)
  return ownership !== undefined && (ownership.declaredId ?? declaredSuiteId) === declaredSuiteId
}

type CaseBook = { of(result: ReportedResult): Pick<CaseSnapshot, 'caseId' | 'caseKey'> }

/**
 * Finds the cases of a suite by the program's id, or by title if the id is missing or could not be declared in a file.
 * Cases are added and edited only if `writable`.
 */
function createCaseBook(store: Store, suite: SuiteRow, writable: boolean, now: number): CaseBook {
  const rows = store.cases.list(suite.id)
  const byTitle = new Map(rows.map(row => [row.title, row]))
  const byKey = new Map(rows.map(row => [row.declaredId, row]))
  const write = (result: ReportedResult, known: CaseRow | undefined): CaseRow | undefined => {
    if (!writable) return known
    const row = saved(store, suite, result, known, now)
    byTitle.set(row.title, row)
    byKey.set(row.declaredId, row)
    return row
  }
  return {
    of(result) {
      const { caseKey, title } = result
      const known = caseKey !== undefined && DECLARABLE.test(caseKey) ? byKey.get(caseKey) : byTitle.get(title)
      const row = write(result, known)
      return row ? { caseId: row.id, caseKey: row.declaredId } : { caseId: caseKey ?? title, caseKey: caseKey ?? title }
    },
  }
}

function saved(
  store: Store,
  suite: SuiteRow,
  result: ReportedResult,
  known: CaseRow | undefined,
  now: number,
): CaseRow {
  const { title, caseKey, model, provider, expectedOutput, isNegative } = result
  const { steps, checks } = caseOf(result)
  const definition = defineCase({
    steps,
    isNegative,
    ...(expectedOutput !== undefined && { expectedOutput }),
    ...(checks.length > 0 && { checks: { mode: 'extend', list: checks } }),
    ...(model !== undefined && { models: [{ model, ...(provider !== undefined && { provider }) }] }),
  })
  if (!known) {
    const declared = caseKey !== undefined && DECLARABLE.test(caseKey) ? { declaredId: caseKey } : {}
    return insertCase(store, suite, { title, definition, ...declared }, {}, now)
  }
  const contentDigest = contentDigestOf(definition)
  if (known.contentDigest === contentDigest && known.title === title) return known
  const updated = { ...known, title, definition, contentDigest, updatedAt: now }
  store.cases.update(updated)
  return updated
}

/** Milliseconds between two checks for runs whose programs stopped reporting. */
const CHECK_EVERY_MS = 6000

/**
 * Handles reports of evals. The project in the path takes precedence over `projectId` in the body, as the contract
 * says.
 */
export function evalIngestHandlers({ store, background }: ServiceContext): Handlers['evalIngest'] {
  background.every(CHECK_EVERY_MS, () => settleSilentRuns(store, Date.now()))
  return {
    report({ project, caller, body }) {
      const { results, ...opening } = readDocument(RunReport(), body)
      return judgeWithPatternsApart(test => {
        const { run, reused } = openIngestRun(store, project, caller.keyId, opening)
        if (run.status === 'running') appendResults(store, run, results, Date.now(), test)
        return toIngestReply(finalizeIngestRun(store, run), reused)
      }, store.write)
    },
    start({ project, caller, body }) {
      const opening = readDocument(RunOpening(), body)
      return store.write(() => {
        const { run, reused } = openIngestRun(store, project, caller.keyId, opening)
        return toIngestReply(run, reused)
      })
    },
    iterations({ project, body }) {
      const { results, ...name } = readDocument(RunBatch(), body)
      return judgeWithPatternsApart(test => {
        const run = requireIngestRun(store, project.id, name)
        return { ok: true, runId: run.id, ...appendResults(store, run, results, Date.now(), test) }
      }, store.write)
    },
    finalize({ project, body }) {
      const name = readDocument(RunName(), body)
      return store.write(() => {
        const run = requireIngestRun(store, project.id, name)
        return toIngestReply(finalizeIngestRun(store, run), run.status !== 'running')
      })
    },
  }
}
