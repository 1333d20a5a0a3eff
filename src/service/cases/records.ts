import type * as z from 'zod'
import type { EvalTestStep } from '../../api/contract/eval-shapes.ts'
import {
  type EvalCase,
  EvalCaseCreateRequest,
  type EvalCaseUpdateRequest,
  type EvalSuiteCreated,
  type EvalSuiteCreateRequest,
  type EvalCasesBatchCreateRequest,
  type EvalCasesBatchResult,
} from '../../api/contract/suites.ts'
import { ServiceError } from '../core/errors.ts'
import { newId, digest } from '../core/ids.ts'
import { toMatchOptions } from '../evals/call-matching.ts'
import type { Store } from '../core/database/store.ts'
import type { SuiteRow } from '../suites/rows.ts'
import { requireAssertion, requireAssertions, withProvider } from '../suites/records.ts'
import { invalidField, issuesOf } from '../core/validation.ts'
import type { Assertion } from '../evals/types.ts'
import type { Database } from '../../lib/sqlite.ts'
import { json, optional, tableOf } from '../core/database/table.ts'
import { BOUNDS } from '../../lib/bounds.ts'

/** The steps of a case and the rules for judging it. */
export type CaseDefinition = {
  steps: EvalTestStep[]
  expectedOutput?: string
  iterations: number
  isNegative: boolean
  scenario?: string
  models: { model: string; provider?: string }[]
  /** Match options in the vocabulary in which they were written. */
  matchOptions?: Record<string, unknown>
  checks?: { mode: 'inherit' | 'replace' | 'extend'; list?: Assertion[] }
  /** System prompt, temperature and tool choice of inline cases. */
  advancedConfig?: Record<string, unknown>
}

export type CaseRow = {
  id: string
  suiteId: string
  declaredId: string
  title: string
  definition: CaseDefinition
  /** Equal for cases that have the same steps and are judged in the same way. */
  contentDigest: string
  /** Why a case was written although another case has the same content. */
  overrideReason?: string
  /** The client's key and the entry of the batch request that wrote the case. */
  request?: { key: string; index: number; digest: string }
  createdAt: number
  updatedAt: number
}

/** A case as stored: the columns of its batch entry are separate. */
type StoredCase = Omit<CaseRow, 'request'> & {
  idempotencyKey: string | null
  idempotencyIndex: number | null
  requestDigest: string | null
}

export function createCaseRows(database: Database) {
  const cases = tableOf<StoredCase>(database, 'suiteCase', {
    kinds: { definition: json(), overrideReason: optional() },
  })
  const find = (match: Partial<StoredCase>, order = 'ORDER BY id LIMIT 1') => {
    const row = cases.one(match, order)
    return row && read(row)
  }
  return {
    get: (suiteId: string, id: string) => find({ suiteId, id }),
    findDeclared: (suiteId: string, declaredId: string) => find({ suiteId, declaredId }),
    findContent: (suiteId: string, contentDigest: string) => find({ suiteId, contentDigest }),
    findRequest: (suiteId: string, idempotencyKey: string, idempotencyIndex: number) =>
      find({ suiteId, idempotencyKey, idempotencyIndex }, ''),
    list: (suiteId: string) => cases.all({ suiteId }, 'ORDER BY id').map(read),
    insert: ({ request, ...row }: CaseRow) =>
      cases.basics.insert({
        ...row,
        idempotencyKey: request?.key ?? null,
        idempotencyIndex: request?.index ?? null,
        requestDigest: request?.digest ?? null,
      }),
    update: ({ id, declaredId, title, definition, contentDigest, updatedAt }: CaseRow) =>
      cases.change({ id }, { declaredId, title, definition, contentDigest, updatedAt }),
    delete: cases.delete,
  }
}

function read({ idempotencyKey, idempotencyIndex, requestDigest, ...row }: StoredCase): CaseRow {
  if (idempotencyKey === null || idempotencyIndex === null || requestDigest === null) return row
  return { ...row, request: { key: idempotencyKey, index: idempotencyIndex, digest: requestDigest } }
}

type CaseEdit = Omit<z.output<typeof EvalCaseUpdateRequest>, 'title'>
/** Fields that are stored for a case from a batch, beside its definition. */
type CaseOrigin = Pick<CaseRow, 'overrideReason' | 'request'>

/** Applies the fields of a body to a definition, or to an empty one for a new case. */
export function defineCase(body: CaseEdit, base?: CaseDefinition): CaseDefinition {
  const steps = body.steps ?? base?.steps ?? []
  requireExecutable(steps)
  const definition: CaseDefinition = {
    ...base,
    steps,
    iterations: body.iterations ?? base?.iterations ?? 1,
    isNegative: body.isNegative ?? base?.isNegative ?? false,
    models: body.models?.map(withProvider) ?? base?.models ?? [],
  }
  if (body.expectedOutput !== undefined) definition.expectedOutput = body.expectedOutput
  if (body.scenario !== undefined) definition.scenario = body.scenario
  editOverrides(definition, body)
  return definition
}

function editOverrides(definition: CaseDefinition, { matchOptions, checks }: CaseEdit): void {
  if (matchOptions === null) delete definition.matchOptions
  else if (matchOptions) {
    toMatchOptions(matchOptions, 'matchOptions')
    definition.matchOptions = matchOptions
  }
  if (checks === null) delete definition.checks
  else if (checks) {
    const list = checks.list && requireAssertions(checks.list, 'checks.list')
    // A list without a mode would be ignored in favor of the suite's list, which no author intends.
    const mode = checks.mode ?? (list ? 'replace' : 'inherit')
    definition.checks = { mode, ...(list && { list }) }
  }
}

/** Returns a digest that is equal for cases that have the same steps and judgment, whatever the names of the steps. */
export function contentDigestOf({ steps, expectedOutput, isNegative, matchOptions, checks }: CaseDefinition): string {
  const content = steps.map(({ id: _id, ...step }) => step)
  return digest({ steps: content, expectedOutput, isNegative, matchOptions, checks })
}

/**
 * Writes a case in the caller's transaction.
 * @throws ServiceError `CONFLICT` if the declared id is taken
 */
export function insertCase(
  store: Store,
  suite: SuiteRow,
  input: { title: string; declaredId?: string; definition: CaseDefinition },
  origin: CaseOrigin = {},
  now: number = Date.now(),
): CaseRow {
  const id = newId('cas')
  const declaredId = input.declaredId ?? id
  if (store.cases.findDeclared(suite.id, declaredId))
    throw new ServiceError('CONFLICT', `The suite has a case "${declaredId}" already.`, { details: { field: 'id' } })
  const { title, definition } = input
  const contentDigest = contentDigestOf(definition)
  const row = { id, suiteId: suite.id, declaredId, title, definition, contentDigest, createdAt: now, updatedAt: now }
  store.cases.insert({ ...row, ...origin })
  return row
}

/** Edits a case. If steps are sent, they replace all its steps. */
export function updateCase(store: Store, row: CaseRow, body: z.output<typeof EvalCaseUpdateRequest>): CaseRow {
  const { title, ...edit } = body
  const definition = defineCase(edit, row.definition)
  const contentDigest = contentDigestOf(definition)
  const updated = { ...row, title: title ?? row.title, definition, contentDigest, updatedAt: Date.now() }
  store.cases.update(updated)
  return updated
}

/** Splits the body of a create request into the input of {@link insertCase}. */
export function caseInput({ title, id, ...body }: EvalCaseCreateRequest) {
  return { title, ...(id !== undefined && { declaredId: id }), definition: defineCase(body) }
}

export function toEvalCase(row: CaseRow): EvalCase {
  const { id, declaredId, title, definition, createdAt, updatedAt } = row
  const { advancedConfig: _internal, ...shown } = definition
  return { id, declaredId, title, ...shown, createdAt, updatedAt }
}

function requireExecutable(steps: readonly EvalTestStep[]): void {
  const seen = new Set<string>()
  steps.forEach((step, index) => {
    const field = `steps.${index}`
    if (seen.has(step.id)) throw invalidField(`${field}.id`, `"${step.id}" names an earlier step already`)
    seen.add(step.id)
    if (step.kind === 'prompt' && !step.prompt) throw invalidField(`${field}.prompt`, 'a prompt step needs a prompt')
    if (step.kind === 'toolCall' && !step.toolName)
      throw invalidField(`${field}.toolName`, 'a toolCall step needs a tool')
    if (step.kind === 'interact' && !step.action)
      throw invalidField(`${field}.action`, 'an interact step needs an action')
    if (step.kind === 'assert') requireAssertion(step.assertion ?? {}, `${field}.assertion`)
  })
}

/** A case in the body of a suite or run. */
export type InlineCase = z.output<typeof EvalSuiteCreateRequest>['tests'][number]

/**
 * Writes inline cases into a suite. A case with the same title is edited and keeps the fields that the entry omits.
 * Unusable entries are reported instead of written.
 */
export function upsertCases(store: Store, suite: SuiteRow, tests: readonly InlineCase[]) {
  const committed: { id: string; name: string }[] = []
  const failed: { name: string; error: string }[] = []
  const known = new Map(store.cases.list(suite.id).map(row => [row.title, row]))
  for (const test of tests) {
    try {
      const row = upsertCase(store, suite, test, known.get(test.title))
      known.set(row.title, row)
      committed.push({ id: row.id, name: row.title })
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      failed.push({ name: test.title, error: error.message })
    }
  }
  return { committed, failed } satisfies EvalSuiteCreated['caseUpsert']
}

function upsertCase(store: Store, suite: SuiteRow, test: InlineCase, known: CaseRow | undefined): CaseRow {
  const { title, steps, expectedOutput, scenario, model, provider, advancedConfig } = test
  const models = model === undefined ? undefined : [{ model, ...(provider !== undefined && { provider }) }]
  const definition: CaseDefinition = {
    ...defineCase(
      { steps, iterations: test.runs, isNegative: test.isNegativeTest, expectedOutput, scenario, models },
      known?.definition,
    ),
    ...(advancedConfig && { advancedConfig }),
  }
  if (!known) return insertCase(store, suite, { title, definition })
  const updated = { ...known, definition, contentDigest: contentDigestOf(definition), updatedAt: Date.now() }
  store.cases.update(updated)
  return updated
}

type Batch = z.output<typeof EvalCasesBatchCreateRequest>
type Policy = 'block' | 'warn' | 'create_anyway'
type Written = {
  id: string
  declaredId: string
  title: string
  replayed: boolean
  warnings?: { code: string; message: string }[]
}
type Failed = EvalCasesBatchResult['failed'][number]
type Entry = Record<string, unknown>

/** Codes of refused entries (contract: EvalCasesBatchResult). */
type EntryCode =
  | 'INVALID_ITEM'
  | 'INVALID_CASE_ID'
  | 'DUPLICATE_CASE_ID'
  | 'IDEMPOTENCY_CONFLICT'
  | 'DUPLICATE_CONTENT'
  | 'OVERRIDE_REASON_REQUIRED'
  | 'INVALID_CASE'
  | 'UNSTORABLE_ITEM'
  | 'ITEM_TOO_LARGE'

/** Longest JSON text of one entry, in characters. */
const MAX_ENTRY_LENGTH = BOUNDS.batchCase.most

class EntryRefusal extends Error {
  readonly code: EntryCode

  constructor(code: EntryCode, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Writes the usable entries in the caller's transaction, and returns a result for each entry.
 * @param idempotencyKey identifies entries of an earlier request
 */
export function createCaseBatch(
  store: Store,
  suite: SuiteRow,
  body: Batch,
  idempotencyKey: string | undefined,
): EvalCasesBatchResult {
  const policy = effectivePolicy(body.duplicatePolicy)
  const created: (Written & { index: number })[] = []
  const failed: Failed[] = []
  body.cases.forEach((entry, index) => {
    try {
      const request = idempotencyKey === undefined ? undefined : { key: idempotencyKey, index, digest: digest(entry) }
      const options = { policy: policy.effectivePolicy, overrideReason: body.overrideReason, request }
      created.push({ index, ...writeEntry(store, suite, entry, options) })
    } catch (error) {
      if (!(error instanceof EntryRefusal)) throw error
      failed.push({ index, ...namesOf(entry), code: error.code, message: error.message })
    }
  })
  return { created, failed, duplicatePolicy: policy }
}

/** Returns the declared id of the suite, which the query or the body may contain. */
export function declaredSuiteIdOf(query: { declaredSuiteId?: string | undefined }, body: Batch): string | undefined {
  const [preferred, other] = [query.declaredSuiteId, body.declaredSuiteId]
  if (preferred !== undefined && other !== undefined && preferred !== other)
    throw invalidField('declaredSuiteId', 'differs between query and body')
  return preferred ?? other
}

/**
 * Returns the requested policy and the applied one. An unknown policy is replaced by `block`, which `coerced` reports.
 */
function effectivePolicy(requestedPolicy: string | undefined) {
  const known = (['block', 'warn', 'create_anyway'] as const).find(policy => policy === requestedPolicy)
  const coerced = requestedPolicy !== undefined && known === undefined
  const effectivePolicy: Policy = known ?? 'block'
  return { ...(requestedPolicy !== undefined && { requestedPolicy }), effectivePolicy, coerced }
}

type EntryOptions = { policy: Policy; overrideReason: string | undefined; request: CaseRow['request'] | undefined }

function writeEntry(store: Store, suite: SuiteRow, entry: Entry, options: EntryOptions): Written {
  const { policy, overrideReason, request } = options
  const earlier = request && store.cases.findRequest(suite.id, request.key, request.index)
  if (earlier?.request?.digest === request?.digest && earlier) return { ...summaryOf(earlier), replayed: true }
  if (earlier) throw new EntryRefusal('IDEMPOTENCY_CONFLICT', 'This key was already used for another entry.')
  const input = readEntry(entry)
  if (policy !== 'block' && overrideReason === undefined)
    throw new EntryRefusal('OVERRIDE_REASON_REQUIRED', `duplicatePolicy "${policy}" needs an overrideReason.`)
  if (input.declaredId !== undefined && store.cases.findDeclared(suite.id, input.declaredId))
    throw new EntryRefusal('DUPLICATE_CASE_ID', `The suite has a case "${input.declaredId}" already.`)
  const twin = store.cases.findContent(suite.id, contentDigestOf(input.definition))
  const message = twin && `The case "${twin.title}" (${twin.declaredId}) has the same steps.`
  if (message && policy === 'block') throw new EntryRefusal('DUPLICATE_CONTENT', message)
  const row = insertCase(store, suite, input, { ...(twin && { overrideReason }), ...(request && { request }) })
  const warnings = message && policy === 'warn' ? { warnings: [{ code: 'DUPLICATE_CONTENT', message }] } : {}
  return { ...summaryOf(row), replayed: false, ...warnings }
}

function readEntry(entry: Entry) {
  const text = JSON.stringify(entry)
  if (text.length > MAX_ENTRY_LENGTH)
    throw new EntryRefusal('ITEM_TOO_LARGE', `The entry is longer than ${MAX_ENTRY_LENGTH} characters.`)
  // A lone surrogate, which SQLite cannot store and return, is an escape in JSON text.
  if (/(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(text))
    throw new EntryRefusal('UNSTORABLE_ITEM', 'The entry holds text that is not valid Unicode.')
  const parsed = EvalCaseCreateRequest().safeParse(entry)
  if (!parsed.success) {
    const issues = issuesOf(parsed.error)
    const [first] = issues
    const code = issues.every(({ path }) => path === 'id') ? 'INVALID_CASE_ID' : 'INVALID_ITEM'
    throw new EntryRefusal(code, `${first?.path ?? 'entry'}: ${first?.message ?? 'is not valid'}`)
  }
  try {
    return caseInput(parsed.data)
  } catch (error) {
    if (error instanceof ServiceError) throw new EntryRefusal('INVALID_CASE', error.message)
    throw error
  }
}

function summaryOf({ id, declaredId, title }: CaseRow) {
  return { id, declaredId, title }
}

/** Returns the title and id of a refused entry, if it has them. */
function namesOf({ title, id }: Entry) {
  return { ...(typeof title === 'string' && { title }), ...(typeof id === 'string' && { declaredId: id }) }
}
