import type { Database } from '../core/database/database.ts'

/** A suite that another program made; one that was authored here has no such row. */
export type SuiteOwnershipRow = {
  suiteId: string
  projectId: string
  /** The `suite.id` of the file that owns the suite; null = anybody may configure it. */
  declaredId: string | null
  createdAt: number
}

export type SuiteOwnershipRows = {
  get(suiteId: string): SuiteOwnershipRow | undefined
  /** The suite that the file with this id owns. */
  findDeclared(projectId: string, declaredId: string): string | undefined
  /** The oldest suite of this name that another program made and no file owns. */
  findNamed(projectId: string, name: string): string | undefined
  insert(row: SuiteOwnershipRow): void
}

export function createSuiteOwnershipRows(database: Database): SuiteOwnershipRows {
  const idOf = (row: { suiteId: string } | undefined) => row?.suiteId
  return {
    get: suiteId => database.get('SELECT * FROM suiteOwnership WHERE suiteId = :suiteId', { suiteId }),
    findDeclared: (projectId, declaredId) =>
      idOf(
        database.get(
          'SELECT suiteId FROM suiteOwnership WHERE projectId = :projectId AND declaredId = :declaredId',
          { projectId, declaredId },
        ),
      ),
    findNamed: (projectId, name) =>
      idOf(
        database.get(
          `SELECT suiteId FROM suiteOwnership JOIN suite ON suite.id = suiteId
           WHERE suiteOwnership.projectId = :projectId AND declaredId IS NULL AND suite.name = :name
           ORDER BY suiteId LIMIT 1`,
          { projectId, name },
        ),
      ),
    insert: row =>
      void database.run(
        `INSERT INTO suiteOwnership (suiteId, projectId, declaredId, createdAt)
         VALUES (:suiteId, :projectId, :declaredId, :createdAt)`,
        row,
      ),
  }
}
