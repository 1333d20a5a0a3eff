import { parseStored } from '../../lib/json-depth.ts'
import type { Assertion } from '../evals/types.ts'
import { assignments, insertInto, type Database } from '../core/database/database.ts'

/** Everything about a suite that is edited as one piece. */
export type SuiteSettings = {
  /** The saved server selection, in order. */
  serverIds: string[]
  /** Attached environments, in the order in which they were attached. */
  environmentIds?: string[]
  /** Attached clients; without `serverIds` each brings its own servers. */
  clients?: { clientId: string; serverIds?: string[] }[]
  executionConfig?: { model?: string; provider?: string; systemPrompt?: string; temperature?: number }
  /** Per cent of trials that must pass; absent = every case decides by itself. */
  minimumAccuracy?: number
  /** Every case runs at least this often. */
  minimumIterations?: number
  matchOptions?: Record<string, unknown>
  checks?: Assertion[]
  judge?: { enabled?: boolean; model?: string; autoRun?: boolean; threshold?: number }
}

export type SuiteRow = {
  id: string
  projectId: string
  name: string
  description: string | null
  settings: SuiteSettings
  /** Key that made it; its maker may always delete it. */
  createdBy: string
  createdAt: number
  updatedAt: number
}

export type SuiteRows = {
  get(projectId: string, id: string): SuiteRow | undefined
  /** Oldest first. */
  list(projectId: string): SuiteRow[]
  insert(row: SuiteRow): void
  update(row: SuiteRow): void
  /** Takes its cases with it; its runs stay. */
  delete(id: string): void
}

type StoredSuite = Omit<SuiteRow, 'settings'> & { settings: string }

export function createSuiteRows(database: Database): SuiteRows {
  const read = (stored: StoredSuite): SuiteRow => ({
    ...stored,
    settings: parseStored(stored.settings) as SuiteSettings,
  })
  const stored = (row: SuiteRow) => ({ ...row, settings: JSON.stringify(row.settings) })
  const editable = ['name', 'description', 'settings', 'updatedAt'] as const
  return {
    get(projectId, id) {
      const row = database.get<StoredSuite>('SELECT * FROM suite WHERE id = :id AND projectId = :projectId', {
        id,
        projectId,
      })
      return row && read(row)
    },
    list: projectId =>
      database
        .all<StoredSuite>('SELECT * FROM suite WHERE projectId = :projectId ORDER BY id', { projectId })
        .map(read),
    insert(row) {
      const values = stored(row)
      database.run(insertInto('suite', Object.keys(values)), values)
    },
    update(row) {
      const { id, name, description, settings, updatedAt } = stored(row)
      const values = { id, name, description, settings, updatedAt }
      database.run(`UPDATE suite SET ${assignments(editable)} WHERE id = :id`, values)
    },
    delete: id => void database.run('DELETE FROM suite WHERE id = :id', { id }),
  }
}
