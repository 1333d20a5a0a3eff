import { parseStored } from '../../lib/json-depth.ts'
import type { EvalTestStep } from '../../api/contract/eval-shapes.ts'
import type { Assertion } from '../evals/types.ts'
import { assignments, insertInto, type Database } from '../core/database/database.ts'

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

export type CaseRows = {
  get(suiteId: string, id: string): CaseRow | undefined
  /** Oldest first. */
  list(suiteId: string): CaseRow[]
  findDeclared(suiteId: string, declaredId: string): CaseRow | undefined
  findContent(suiteId: string, contentDigest: string): CaseRow | undefined
  findRequest(suiteId: string, key: string, index: number): CaseRow | undefined
  insert(row: CaseRow): void
  update(row: CaseRow): void
  delete(id: string): void
}

type StoredCase = {
  id: string
  suiteId: string
  declaredId: string
  title: string
  definition: string
  contentDigest: string
  overrideReason: string | null
  idempotencyKey: string | null
  idempotencyIndex: number | null
  requestDigest: string | null
  createdAt: number
  updatedAt: number
}

export function createCaseRows(database: Database): CaseRows {
  const find = (column: string, suiteId: string, value: string) => {
    const row = database.get<StoredCase>(
      `SELECT * FROM suiteCase WHERE suiteId = :suiteId AND ${column} = :value ORDER BY id LIMIT 1`,
      { suiteId, value },
    )
    return row && read(row)
  }
  const editable = ['declaredId', 'title', 'definition', 'contentDigest', 'updatedAt'] as const
  return {
    get: (suiteId, id) => find('id', suiteId, id),
    findDeclared: (suiteId, declaredId) => find('declaredId', suiteId, declaredId),
    findContent: (suiteId, contentDigest) => find('contentDigest', suiteId, contentDigest),
    findRequest(suiteId, key, index) {
      const row = database.get<StoredCase>(
        `SELECT * FROM suiteCase
         WHERE suiteId = :suiteId AND idempotencyKey = :key AND idempotencyIndex = :index`,
        { suiteId, key, index },
      )
      return row && read(row)
    },
    list: suiteId =>
      database
        .all<StoredCase>('SELECT * FROM suiteCase WHERE suiteId = :suiteId ORDER BY id', { suiteId })
        .map(read),
    insert(row) {
      const values = stored(row)
      database.run(insertInto('suiteCase', Object.keys(values)), values)
    },
    update(row) {
      const { id, declaredId, title, definition, contentDigest, updatedAt } = stored(row)
      const values = { id, declaredId, title, definition, contentDigest, updatedAt }
      database.run(`UPDATE suiteCase SET ${assignments(editable)} WHERE id = :id`, values)
    },
    delete: id => void database.run('DELETE FROM suiteCase WHERE id = :id', { id }),
  }
}

function read(stored: StoredCase): CaseRow {
  const { definition, overrideReason, idempotencyKey, idempotencyIndex, requestDigest, ...plain } = stored
  const row: CaseRow = { ...plain, definition: parseStored(definition) as CaseDefinition }
  if (overrideReason !== null) row.overrideReason = overrideReason
  if (idempotencyKey !== null && idempotencyIndex !== null && requestDigest !== null)
    row.request = { key: idempotencyKey, index: idempotencyIndex, digest: requestDigest }
  return row
}

function stored({ definition, request, overrideReason, ...plain }: CaseRow) {
  return {
    ...plain,
    definition: JSON.stringify(definition),
    overrideReason,
    idempotencyKey: request?.key,
    idempotencyIndex: request?.index,
    requestDigest: request?.digest,
  }
}
