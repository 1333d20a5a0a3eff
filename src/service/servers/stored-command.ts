import { existsSync } from 'node:fs'
import type { ServerCommand } from '../connections/server-process.ts'
import { dataDirectory, readSecretFile } from '../core/database/data-directory.ts'
import { openDatabase } from '../../lib/sqlite.ts'
import { createSealer } from '../core/database/sealer.ts'
import { createServerRows } from './rows.ts'

type Stored = { name: string; command: ServerCommand }

/**
 * Name and command of the one enabled server with this id or name in the project, without opening the workspace. A
 * guess: undefined wherever it is not certain, since whoever opens the workspace says what is wrong.
 * @param project id or name; without one the only project is meant
 */
export function storedCommand(dataDir: string, wanted: string, project: string | undefined): Stored | undefined {
  try {
    return readCommand(dataDir, wanted, project)
  } catch {
    return undefined
  }
}

function readCommand(dataDir: string, wanted: string, project: string | undefined): Stored | undefined {
  const { database: file, sealingKey } = dataDirectory(dataDir)
  const key = readSecretFile(sealingKey)
  if (!key || !existsSync(file)) return undefined
  const database = openDatabase(file, { readOnly: true })
  try {
    const projects = database.all<{ id: string; name: string }>('SELECT id, name FROM project', {})
    const meant = projects.filter(({ id, name }) => project === undefined || id === project || name === project)
    if (meant.length !== 1) return undefined
    const [found, ...others] = database.all<{ id: string }>(
      'SELECT id FROM server WHERE projectId = :projectId AND (id = :wanted OR name = :wanted)',
      { projectId: meant[0]!.id, wanted },
    )
    if (!found || others.length > 0) return undefined
    const row = createServerRows(database, createSealer(key)).find(found.id)
    const { command, args = [], env = {} } = row?.secrets ?? {}
    return row?.enabled && command !== undefined ? { name: row.name, command: { command, args, env } } : undefined
  } finally {
    database.close()
  }
}
