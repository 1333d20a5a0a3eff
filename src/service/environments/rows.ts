import type { Database } from '../../lib/sqlite.ts'
import { tableOf } from '../core/database/table.ts'

export type EnvironmentRow = {
  id: string
  projectId: string
  /** Null = nameless, found by its content. */
  name: string | null
  description: string | null
  /** May name a client that was deleted since. */
  clientId: string
  /** Null = the client's model. */
  modelId: string | null
  /** Of nameless ones only: equal for equal content. */
  contentDigest: string | null
  /** Grows by one with every change. */
  revision: number
  /** Null = live. */
  archivedAt: number | null
  createdAt: number
  updatedAt: number
}

export function createEnvironmentRows(database: Database) {
  const environments = tableOf<EnvironmentRow>(database, 'environment')
  const live = { archivedAt: null }
  return {
    ...environments.basics,
    findByName: (projectId: string, name: string) => environments.one({ projectId, name, ...live }),
    /** The live nameless one of this content. */
    findByContent: (projectId: string, contentDigest: string) =>
      environments.one({ projectId, contentDigest, ...live }),
    /** Named ones, oldest first. */
    list: (projectId: string, includeArchived: boolean) =>
      environments.all({ projectId, ...(!includeArchived && live) }, 'AND name IS NOT NULL ORDER BY id'),
    /** Live ones of a client, nameless ones too. */
    listByClient: (projectId: string, clientId: string) =>
      environments.all({ projectId, clientId, ...live }, 'ORDER BY id'),
  }
}
