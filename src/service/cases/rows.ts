import type { EvalTestStep } from '../../api/contract/eval-shapes.ts'
import type { Assertion } from '../evals/types.ts'
import type { Database } from '../../lib/sqlite.ts'
import { json, optional, tableOf } from '../core/database/table.ts'

/** How a case is executed and judged. */
export type CaseDefinition = {
  steps: EvalTestStep[]
  expectedOutput?: string
  iterations: number
  isNegative: boolean
  scenario?: string
  models: { model: string; provider?: string }[]
  /** In the vocabulary in which it was written. */
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
  /** Equal for cases that do the same and are judged alike. */
  contentDigest: string
  /** Why a case with known content was written all the same. */
  overrideReason?: string
  /** Entry of the batch request that wrote it, under the caller's key. */
  request?: { key: string; index: number; digest: string }
  createdAt: number
  updatedAt: number
}

/** As it is stored: the request's entry in columns of its own. */
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
    /** Oldest first. */
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
