import { existsSync } from 'node:fs'
import type { ServerCommand } from '../connections/server-process.ts'
import { dataDirectory, readSecretFile } from '../core/database/data-directory.ts'
import { openDatabase, type Database } from '../../lib/sqlite.ts'
import { createSealer } from '../core/database/sealer.ts'
import { createServerRows, type ServerRow } from './rows.ts'

type Stored = { name: string; command: ServerCommand }

/**
 * Returns the only enabled server with this id or name, read without opening the workspace; undefined if there is
 * not exactly one.
 * @param project id or name; optional with one project
 */
export function storedCommand(dataDir: string, wanted: string, project: string | undefined): Stored | undefined {
  return readStored(dataDir, (database, servers) => {
    const row = storedServer({ database, servers }, wanted, storedProject(database, project))
    const { command, args = [], env = {} } = row?.secrets ?? {}
    return row?.enabled && command !== undefined ? { name: row.name, command: { command, args, env } } : undefined
  })
}

type ServerRows = ReturnType<typeof createServerRows>

/**
 * Reads a workspace without opening it, since opening may change it. Returns undefined if there is none or it cannot be
 * read.
 */
export function readStored<T>(dataDir: string, read: (database: Database, servers: ServerRows) => T): T | undefined {
  try {
    const { database: file, sealingKey } = dataDirectory(dataDir)
    const key = readSecretFile(sealingKey)
    if (!key || !existsSync(file)) return undefined
    const database = openDatabase(file, { readOnly: true })
    try {
      return read(database, createServerRows(database, createSealer(key)))
    } finally {
      database.close()
    }
  } catch {
    return undefined
  }
}

/**
 * Returns the id of the only project with this id or name, or of the only project if `project` is undefined; undefined
 * if there is not exactly one.
 */
export function storedProject(database: Database, project: string | undefined): string | undefined {
  const projects = database.all<{ id: string; name: string }>('SELECT id, name FROM project', {})
  const meant = projects.filter(({ id, name }) => project === undefined || id === project || name === project)
  return meant.length === 1 ? meant[0]!.id : undefined
}

/** Returns the only server with this id or name in the project; undefined if there is not exactly one. */
export function storedServer(
  { database, servers }: { database: Database; servers: ServerRows },
  wanted: string,
  projectId: string | undefined,
): ServerRow | undefined {
  if (projectId === undefined) return undefined
  const [found, ...others] = database.all<{ id: string }>(
    'SELECT id FROM server WHERE projectId = :projectId AND (id = :wanted OR name = :wanted)',
    { projectId, wanted },
  )
  return found && others.length === 0 ? servers.find(found.id) : undefined
}
