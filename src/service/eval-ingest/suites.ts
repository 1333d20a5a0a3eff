import { contentDigestOf, defineCase, insertCase } from '../cases/records.ts'
import type { CaseSnapshot } from '../evals/types.ts'
import type { CaseRow } from '../cases/rows.ts'
import type { Store } from '../core/database/store.ts'
import type { SuiteRow } from '../suites/rows.ts'
import { insertSuite } from '../suites/records.ts'
import { invalidField } from '../core/validation.ts'
import type { ReportedResult, RunOpening } from './document.ts'
import { caseOf } from './outcome.ts'

/** Ids that a case may be declared under (limits-and-errors, section 4: "Declared case id"). */
const DECLARABLE = /^[A-Za-z0-9_-]{1,128}$/

/**
 * The suite that a report belongs to: the named record, else the one that the declaring file owns, else the one that
 * earlier reports of this name made; made now where there is none. A suite that was authored here is joined by its
 * id only, so that a report of the same name never mixes into it.
 * @throws ServiceError `VALIDATION_ERROR` when nothing names a suite or two ids name different ones, `NOT_FOUND`
 */
export function suiteOf(
  store: Store,
  projectId: string,
  createdBy: string,
  opening: RunOpening,
  now: number,
): SuiteRow {
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

/** Those of the program's servers that the project knows by the same name. */
export function namedServers(store: Store, projectId: string, names: readonly string[] | null | undefined) {
  return store.servers
    .list(projectId)
    .filter(({ name }) => names?.includes(name))
    .map(({ id, name }) => ({ id, name }))
}

/**
 * Whether a run's new and changed cases are written into its suite: one that reports made, and that no file owns but
 * the declaring one. One that was authored here is never changed by a report.
 */
export function mayWriteCases(store: Store, suite: SuiteRow, { declaredSuiteId }: RunOpening): boolean {
  const ownership = store.suiteOwnership.get(suite.id)
  return ownership !== undefined && (ownership.declaredId ?? declaredSuiteId) === declaredSuiteId
}

type CaseBook = { of(result: ReportedResult): Pick<CaseSnapshot, 'caseId' | 'caseKey'> }

/**
 * The cases of a suite by the program's own ids, else by their titles; where it may, it adds new and edits changed
 * ones.
 */
export function createCaseBook(store: Store, suite: SuiteRow, writable: boolean, now: number): CaseBook {
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
