import { existsSync } from 'node:fs'
import type { ServerCommand } from '../connections/server-process.ts'
import { dataDirectory, readSecretFile } from '../core/database/data-directory.ts'
import { openDatabase } from '../core/database/database.ts'
import { createSealer } from '../core/database/sealer.ts'
import { createServerRows } from './rows.ts'

type Stored = { name: string; command: ServerCommand }

/**
 * Name and command of the one enabled server with this id or name, without opening the workspace. A guess: undefined
 * wherever it is not certain, since whoever opens the workspace says what is wrong.
 */
export function storedCommand(dataDir: string, wanted: string): Stored | undefined {
  try {
    return readCommand(dataDir, wanted)
  } catch {
    return undefined
  }
}

function readCommand(dataDir: string, wanted: string): Stored | undefined {
  const { database: file, sealingKey } = dataDirectory(dataDir)
  const key = readSecretFile(sealingKey)
  if (!key || !existsSync(file)) return undefined
  const database = openDatabase(file, { readOnly: true })
  try {
    const found = database.all<{ id: string }>('SELECT id FROM server WHERE id = :wanted OR name = :wanted', { wanted })
    const row = found.length === 1 ? createServerRows(database, createSealer(key)).find(found[0]!.id) : undefined
    const { command, args = [], env = {} } = row?.secrets ?? {}
    return row?.enabled && command !== undefined ? { name: row.name, command: { command, args, env } } : undefined
  } finally {
    database.close()
  }
}
