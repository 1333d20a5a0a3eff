import { chmodSync, closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { StorageError } from '../../contract/error.ts'
import { makeDirectory } from '../../../lib/files/make-directory.ts'

type Values = Record<string, SQLInputValue>

/** One row of `entries`. JSON columns are text; `open` is 1 as long as the outcome has to be found out. */
export type EntryRow = {
  id: number
  operation: string
  place: string
  digest: string
  input: string | null
  complete: number
  key: string | null
  owner: string
  state: 'intended' | 'sent' | 'settled'
  intendedAt: number
  sentAt: number | null
  settledAt: number | null
  claimOwner: string | null
  claimedUntil: number | null
  readBack: string | null
}

/** The journal's file with its prepared statements. */
export type JournalDatabase = {
  /** Number of rows changed. */
  run: (sql: string, values: Values) => number
  /** Id of the new row. */
  insert: (sql: string, values: Values) => number
  all: <T>(sql: string, values: Values) => T[]
  /** Everything in `work` happens or nothing, and no other process writes meanwhile. */
  write: <T>(work: () => T) => T
  close: () => void
}

const VERSION = 2
/** How long to wait for another process, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000

const SCHEMA = `
  CREATE TABLE entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    profile TEXT NOT NULL,
    operation TEXT NOT NULL,
    place TEXT NOT NULL,
    digest TEXT NOT NULL,
    input TEXT,
    complete INTEGER NOT NULL,
    key TEXT,
    owner TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('intended', 'sent', 'settled')),
    open INTEGER NOT NULL,
    outcome TEXT,
    code TEXT,
    result TEXT,
    finding TEXT,
    intendedAt INTEGER NOT NULL,
    sentAt INTEGER,
    settledAt INTEGER,
    claimToken TEXT,
    claimOwner TEXT,
    claimedUntil INTEGER,
    readBack TEXT
  ) STRICT;
  CREATE INDEX entriesOpen ON entries (profile, open, id);
  PRAGMA user_version = ${VERSION};
`

/**
 * Opens the file, made on first use with rights for its owner only. SQLite loads here, because most sessions
 * never write.
 * @throws when the file cannot be used
 */
export async function openDatabase(file: string): Promise<JournalDatabase> {
  const { DatabaseSync } = await import('node:sqlite')
  const directory = dirname(file)
  makeDirectory(directory)
  chmodSync(directory, 0o700)
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
  const connection = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
  try {
    // A home directory may lie on a network file system, where a write-ahead log does not work.
    connection.exec(`
      PRAGMA journal_mode = TRUNCATE;
      PRAGMA synchronous = FULL;
      PRAGMA secure_delete = ON;
    `)
    const database = withStatements(connection)
    database.write(() => prepareSchema(connection, file))
    return database
  } catch (error) {
    connection.close()
    throw error
  }
}

function prepareSchema(connection: DatabaseSync, file: string): void {
  const version = Number(connection.prepare('PRAGMA user_version').get()?.['user_version'])
  if (version > VERSION)
    throw new StorageError(`${file} was written by a newer version of mcpdeck.`, 'Install that version again.')
  if (version === 0) connection.exec(SCHEMA)
  if (version === 1) connection.exec(`ALTER TABLE entries ADD COLUMN readBack TEXT; PRAGMA user_version = ${VERSION};`)
}

function withStatements(connection: DatabaseSync): JournalDatabase {
  const statements = new Map<string, StatementSync>()
  const prepared = (sql: string): StatementSync => {
    const known = statements.get(sql) ?? connection.prepare(sql)
    statements.set(sql, known)
    return known
  }
  return {
    run: (sql, values) => Number(prepared(sql).run(values).changes),
    insert: (sql, values) => Number(prepared(sql).run(values).lastInsertRowid),
    all: <T>(sql: string, values: Values) => prepared(sql).all(values) as T[],
    write: work => transaction(connection, work),
    close: () => connection.close(),
  }
}

function transaction<T>(connection: DatabaseSync, work: () => T): T {
  connection.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    connection.exec('COMMIT')
    return result
  } catch (error) {
    // Some failures, as a full disk, have rolled back already.
    if (connection.isTransaction) connection.exec('ROLLBACK')
    throw error
  }
}
