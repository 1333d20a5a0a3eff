import { BOUNDS } from '../../lib/bounds.ts'
import type * as z from 'zod'
import {
  EvalCaseCreateRequest,
  type EvalCasesBatchCreateRequest,
  type EvalCasesBatchResult,
} from '../../api/contract/suites.ts'
import { caseInput, contentDigestOf, insertCase } from './records.ts'
import { digest } from '../core/ids.ts'
import { ServiceError } from '../core/errors.ts'
import type { CaseRow } from './rows.ts'
import type { Store } from '../core/database/store.ts'
import type { SuiteRow } from '../suites/rows.ts'
import { invalidField, issuesOf } from '../core/validation.ts'

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
 * Writes the entries that can be written and answers each one apart; runs inside the caller's transaction.
 * @param idempotencyKey under a known key an entry lands on the case that it wrote the first time
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

/**
 * The id of the suite file that syncs itself: in the query by preference, in the body all the same.
 * @throws ServiceError `VALIDATION_ERROR` when the two differ
 */
export function declaredSuiteIdOf(query: { declaredSuiteId?: string | undefined }, body: Batch): string | undefined {
  const [preferred, other] = [query.declaredSuiteId, body.declaredSuiteId]
  if (preferred !== undefined && other !== undefined && preferred !== other)
    throw invalidField('declaredSuiteId', 'differs between query and body')
  return preferred ?? other
}

/** An unknown policy becomes `block`, and the answer says so. */
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
  // JSON writes a lone surrogate as an escape; SQLite could not give it back.
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

/** What a refused entry calls itself, where it says so. */
function namesOf({ title, id }: Entry) {
  return { ...(typeof title === 'string' && { title }), ...(typeof id === 'string' && { declaredId: id }) }
}
