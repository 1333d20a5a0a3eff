import { chmodSync, closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { makeDirectory } from './files/make-directory.ts'
import { parseStored } from './json.ts'

/** Named values of a statement. Booleans are stored as 0 and 1. */
type SqlValues = Record<string, SQLInputValue | boolean | undefined>

/** A connection to the database with its prepared statements. */
export type Database = {
  /** Returns the first row, or undefined. `T` is the type of the selected columns. */
  get<T>(sql: string, values?: SqlValues): T | undefined
  all<T>(sql: string, values?: SqlValues): T[]
  /** Runs a statement and returns the number of changed rows. */
  run(sql: string, values?: SqlValues): number
  /** Runs a statement with `?` for each row of values, at a fraction of the cost of separate `run` calls. */
  runEach(sql: string, rows: Iterable<readonly SQLInputValue[]>): void
  /** Runs statements without values, such as a migration. */
  exec(sql: string): void
  /** Runs `work` in a transaction. Inside another `write` it joins that one. */
  write<T>(work: () => T): T
  /** Runs `work` on one unchanging state of the database. */
  read<T>(work: () => T): T
  /**
   * Returns a text that identifies the state of the whole database: while it is the same, nothing has changed.
   * Undefined inside a `write`, which may still be rolled back.
   */
  state(): string | undefined
  close(): void
}

type Options = {
  /** Whether to leave the file unchanged, and to wait for no lock. */
  readOnly?: boolean
  /** Milliseconds that a writer waits for another process. */
  patienceMs?: number
  /** Statements that configure the database and create what is missing. */
  setup?: string
}

/** SQLite's code for a database that another process has locked. */
const SQLITE_BUSY = 5

const STATE = 'SELECT data_version AS theirs, total_changes() AS own FROM pragma_data_version'

/** Statements after which writes do not wait for the disk. The log is moved into the file from time to time. */
export const WRITE_AHEAD_LOG = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;'

/**
 * Opens a file, or `:memory:`. SQLite is loaded here instead of at startup, because most commands need no database.
 * @throws errors of SQLite
 */
export function openDatabase(location: string, options: Options = {}): Database {
  const { readOnly = false, patienceMs = 5000, setup = WRITE_AHEAD_LOG } = options
  const sqlite = process.getBuiltinModule('node:sqlite')
  const connection = new sqlite.DatabaseSync(location, { readOnly, timeout: readOnly ? 0 : patienceMs })
  try {
    if (!readOnly) connection.exec(setup)
    return withStatements(connection)
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Like `openDatabase`, but creates the file and its directory on first use, accessible only to their owner. */
export function openForOwner(file: string, options: Options): Database {
  const directory = dirname(file)
  makeDirectory(directory)
  chmodSync(directory, 0o700)
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
  return openDatabase(file, options)
}

function withStatements(connection: DatabaseSync): Database {
  const statements = new Map<string, StatementSync>()
  const prepared = (sql: string): StatementSync => {
    const known = statements.get(sql)
    if (known) return known
    const statement = connection.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  let inside: 'read' | 'write' | undefined
  const transaction = <T>(kind: 'read' | 'write', work: () => T): T => {
    if (inside === 'read' && kind === 'write') throw new Error('A read cannot turn into a write.')
    if (inside) return work()
    connection.exec(kind === 'write' ? 'BEGIN IMMEDIATE' : 'BEGIN DEFERRED')
    inside = kind
    try {
      const result = work()
      connection.exec('COMMIT')
      return result
    } catch (error) {
      rollBack(connection)
      throw error
    } finally {
      inside = undefined
    }
  }
  return {
    get: <T>(sql: string, values?: SqlValues) => prepared(sql).get(bindable(values)) as T | undefined,
    all: <T>(sql: string, values?: SqlValues) => prepared(sql).all(bindable(values)) as T[],
    run: (sql, values) => Number(prepared(sql).run(bindable(values)).changes),
    runEach(sql, rows) {
      const statement = prepared(sql)
      for (const row of rows) statement.run(...row)
    },
    exec: sql => connection.exec(sql),
    write: work => transaction('write', work),
    read: work => transaction('read', work),
    state() {
      if (inside === 'write') return undefined
      // The first value counts commits of other connections, the second changes of this one.
      const { theirs, own } = prepared(STATE).get() as { theirs: number; own: number }
      return `${theirs}/${own}`
    },
    close: () => connection.close(),
  }
}

/** Returns SQLite's primary result code, which is the lower eight bits of the error's code; 0 for other errors. */
export function resultCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0
}

/** Whether another process locked the database for longer than a writer waits. */
export function isBusy(error: unknown): boolean {
  return resultCode(error) === SQLITE_BUSY
}

function rollBack(connection: DatabaseSync): void {
  try {
    connection.exec('ROLLBACK')
  } catch {
    // Some failures, such as a full disk, have already rolled back the transaction.
  }
}

function bindable(values: SqlValues = {}): Record<string, SQLInputValue> {
  if (isBindable(values)) return values
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'boolean' ? Number(value) : (value ?? null)]),
  )
}

/** Whether SQLite accepts the values as they are. Most need no copy. */
function isBindable(values: SqlValues): values is Record<string, SQLInputValue> {
  for (const name in values) if (typeof values[name] === 'boolean' || values[name] === undefined) return false
  return true
}

/** Returns `INSERT INTO table (a, b) VALUES (:a, :b)` for the given columns. */
export function insertInto(table: string, columns: readonly string[]): string {
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(name => `:${name}`).join(', ')})`
}

/** Returns `INSERT INTO table (a, b) VALUES (?, ?)` for the given columns, in their order. */
export function insertEachInto(table: string, columns: readonly string[]): string {
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
}

/** Returns `a = :a, b = :b` for the given columns. */
export function assignments(columns: readonly string[]): string {
  return columns.map(name => `${name} = :${name}`).join(', ')
}

/** Parses a JSON column; undefined if it is NULL. */
export function fromJson<T>(text: string | null): T | undefined {
  return text === null ? undefined : (parseStored(text) as T)
}

/** Returns a value for a JSON column. Undefined becomes NULL. */
export function toJson(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value)
}

/**
 * Keeps a value for each key until anything in the database changes. Inside a `write`, which may still be rolled back,
 * the value is computed every time.
 */
export function whileUnchanged<Key, Made>(store: Pick<Database, 'state'>): (key: Key, make: () => Made) => Made {
  let last: { state: string; made: Map<Key, Made> } | undefined
  return (key, make) => {
    const state = store.state()
    if (state === undefined) return make()
    if (last?.state !== state) last = { state, made: new Map() }
    const known = last.made.get(key)
    if (known !== undefined) return known
    const made = make()
    last.made.set(key, made)
    return made
  }
}
