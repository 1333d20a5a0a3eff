import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** The schema version of the older workspace. */
export const OLDER = 14

/** Puts a workspace into a directory as a program with that schema left it, with its key; returns its file. */
export function putOlderWorkspace(dataDir: string): string {
  const sql = readFileSync(join(import.meta.dirname, 'older-workspace.sql'), 'utf8')
  const [, key = ''] = /^-- secret\.key: (\S+)$/m.exec(sql) ?? []
  writeFileSync(join(dataDir, 'secret.key'), Buffer.from(key, 'base64'), { mode: 0o600 })
  const file = join(dataDir, 'mcpdeck.sqlite')
  const database = new DatabaseSync(file)
  database.exec(`PRAGMA journal_mode = WAL; BEGIN; ${sql}; COMMIT; PRAGMA user_version = ${OLDER}`)
  database.close()
  return file
}
