import { closeSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { StorageError } from '../../../api/contract/error.ts'
import { BOUNDS } from '../../../lib/bounds.ts'
import type { DataDirectory } from './data-directory.ts'
import { type Database, openDatabase } from '../../../lib/sqlite.ts'
import type { Settings } from './rows.ts'
import { writeWherePossible } from './storage-problem.ts'
import { SCHEMA, schemaOf } from './migrations/migrations.ts'

const COPY = /^mcpdeck\.schema-(\d+)\.sqlite$/

/**
 * Backs up the workspace before a migration. Each older schema has one backup. The caller holds the write lock.
 * @returns the path of the backup; undefined if no migration is needed
 * @throws StorageError for a workspace of a newer version; also throws errors of the disk
 */
export function keepBeforeUpgrade(database: Database, { path, database: file }: DataDirectory): string | undefined {
  const schema = schemaOf(database)
  if (schema > SCHEMA) throw newer(path, schema)
  if (schema === 0 || schema === SCHEMA) return undefined
  const copy = join(path, `mcpdeck.schema-${schema}.sqlite`)
  const part = `${copy}.part`
  try {
    // SQLite uses an existing empty file and keeps its mode.
    closeSync(openSync(part, 'w', 0o600))
    const reader = openDatabase(file, { readOnly: true })
    try {
      reader.exec(`VACUUM INTO '${part.replaceAll("'", "''")}'`)
    } finally {
      reader.close()
    }
    renameSync(part, copy)
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
  for (const { name } of copiesIn(path).slice(BOUNDS.upgradeCopies.most)) rmSync(join(path, name))
  return copy
}

/** Returns the sentence about the last upgrade, once. */
export function takeUpgradeNotice({ write }: Database, settings: Settings): string | undefined {
  if (settings.get('upgradeCopy') === undefined) return undefined
  const copy = writeWherePossible(() => write(() => settings.take('upgradeCopy')))
  return copy === undefined ? undefined : `The workspace was upgraded. A backup of the old one is in ${copy}.`
}

/** Returns the backups in a data directory, latest schema first. */
function copiesIn(path: string): { name: string; schema: number }[] {
  return readdirSync(path)
    .flatMap(name => {
      const schema = COPY.exec(name)?.[1]
      return schema === undefined ? [] : [{ name, schema: Number(schema) }]
    })
    .toSorted((one, other) => other.schema - one.schema)
}

function newer(path: string, schema: number): StorageError {
  const copy = copiesIn(path).find(each => each.schema <= SCHEMA)
  return new StorageError(
    `The workspace in ${path} was written by a newer version of mcpdeck (schema ${schema}, known ${SCHEMA}).`,
    copy === undefined
      ? 'Install that version again, or name another directory with --data-dir.'
      : 'Install that version again. Or stop mcpdeck, move mcpdeck.sqlite, its -wal and -shm elsewhere, and rename ' +
          `${copy.name} to mcpdeck.sqlite, which is the workspace before the upgrade.`,
  )
}
