import { parseStored } from '../../lib/json.ts'
import type { ServerTarget } from '../connections/types.ts'
import type { SeenTool } from '../evals/seen-tools.ts'
import { readStored, storedProject, storedServer } from '../servers/stored-command.ts'
import { accessTokenOf, targetOf } from '../servers/targets.ts'

/** A name with a description that distinguishes it from others. */
export type StoredName = { name: string; says?: string }

type Run = { id: string; suiteName: string; number: number; status: string; result: string | null }

/** Number of runs, newest first, that are searched for the tools of their servers. */
const RUNS = 50

/**
 * Reads the names of one kind in a local workspace without opening it; none if the project is not certain.
 * @param project id or name
 * @param most runs, the newest first; other kinds are listed whole
 */
export function storedNames(
  dataDir: string,
  kind: 'projects' | 'servers' | 'suites' | 'runs',
  { project, most }: { project: string | undefined; most: number },
): StoredName[] {
  const names = readStored(dataDir, (database): StoredName[] => {
    if (kind === 'projects') return database.all('SELECT name FROM project ORDER BY id', {})
    const projectId = storedProject(database, project)
    if (projectId === undefined) return []
    if (kind !== 'runs') {
      const table = kind === 'servers' ? 'server' : 'suite'
      return database.all(`SELECT name FROM ${table} WHERE projectId = :projectId ORDER BY id`, { projectId })
    }
    const runs = database.all<Run>(
      `SELECT id, suiteName, number, status, result FROM run
       WHERE projectId = :projectId ORDER BY createdAt DESC, id DESC LIMIT :most`,
      { projectId, most },
    )
    return runs.map(({ id, suiteName, number, status, result }) => ({
      name: id,
      says: `${suiteName} #${number}, ${result ?? status}`,
    }))
  })
  return names ?? []
}

/**
 * Returns a server's tools as its last run listed them, else what is needed to list them; nothing if the server is not
 * certain.
 */
export function storedTools(
  dataDir: string,
  server: string,
  project: string | undefined,
): { known: StoredName[] } | { target: ServerTarget } {
  const stored = readStored(dataDir, (database, servers) => {
    const row = storedServer({ database, servers }, server, storedProject(database, project))
    if (!row) return undefined
    const listing = database.get<{ tools: string }>(
      `SELECT tools FROM runTools WHERE serverName = :name AND runId IN
         (SELECT id FROM run WHERE projectId = :projectId ORDER BY id DESC LIMIT ${RUNS})
       ORDER BY seenAt DESC LIMIT 1`,
      { name: row.name, projectId: row.projectId },
    )
    if (listing) return { known: (parseStored(listing.tools) as SeenTool[]).map(toStoredName) }
    // An expired token is not renewed, since the new one would have to be stored.
    return { target: targetOf(row, async () => accessTokenOf(row.tokens)) }
  })
  return stored ?? { known: [] }
}

function toStoredName({ name, description }: SeenTool): StoredName {
  return { name, ...(description !== undefined && { says: description }) }
}
