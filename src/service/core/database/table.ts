import type { SQLInputValue, SQLOutputValue } from 'node:sqlite'
import { assignments, fromJson, insertInto, toJson, type Database } from '../../../lib/sqlite.ts'
import { ServiceError } from '../errors.ts'
import { urlPlace, type Sealer } from './sealer.ts'

/**
 * How the value of a column is converted. `id` is the id of the row. The value of a `lazy` kind is converted when it is
 * first read.
 */
type Kind<T> = {
  read(stored: SQLOutputValue, id: string): T
  write(value: T, id: string): SQLInputValue
  isLazy?: true
}

type Plain = string | number | null | Uint8Array

/** The columns whose type SQLite cannot store. Each needs a kind; other columns may have one. */
type Needed<Row> = { [Name in keyof Row as Row[Name] extends Plain ? never : Name]-?: Kind<Row[Name]> }
type Kinds<Row> = Needed<Row> & { [Name in keyof Row]?: Kind<Row[Name]> }

type Values = Record<string, SQLInputValue | boolean | undefined>

/** A row with its position in the order of creation. Cursors of lists contain the position. */
export type Placed<Row> = Row & { position: number }

/** Reads rows of one owner, such as a project, latest first. `before` is the position after which to continue. */
export type LatestFirst<Row> = (ownerId: string, before: number | undefined, limit: number) => Placed<Row>[]

export function boolean(): Kind<boolean> {
  return { read: stored => stored === 1, write: Number }
}

/** Declares a JSON column. `absent` is the value that is stored as NULL, by default undefined. */
export function json<T>(absent?: null): Kind<T> {
  return {
    read: stored => (stored === null ? absent : fromJson(stored as string)) as T,
    write: value => toJson(value === absent ? undefined : value),
  }
}

/** Declares a column in which undefined is stored as NULL. */
export function optional<T extends Plain>(): Kind<T | undefined> {
  return { read: stored => (stored ?? undefined) as T | undefined, write: value => value ?? null }
}

/** Declares a column of JSON that is encrypted for its table, row and column. Undefined is stored as NULL. */
export function sealed<T>(sealer: Sealer, table: string, column: string): Kind<T> {
  const place = (id: string) => `${table}/${id}/${column}`
  return {
    read: (stored, id) => (stored === null ? undefined : sealer.open(stored as Uint8Array, place(id))) as T,
    write: (value, id) => (value === undefined ? null : sealer.seal(value, place(id))),
    isLazy: true,
  }
}

/** Declares a column with an address that is encrypted if it may contain secrets. Undefined is stored as NULL. */
export function url<T extends string | undefined>(sealer: Sealer, table: Parameters<typeof urlPlace>[0]): Kind<T> {
  return {
    read: (stored, id) => (stored === null ? undefined : sealer.openUrl(stored as string, urlPlace(table, id))) as T,
    write: (value, id) => (value === undefined ? null : sealer.sealUrl(value, urlPlace(table, id))),
  }
}

type Options<Row> = {
  /** The column that identifies a row. Default: `id`. */
  key?: keyof Row & string
  /** The column that names the owner of a row. Default: `projectId`. */
  owner?: keyof Row & string
  /** Columns that `update` does not change, besides key and `position`. Default: owner and `createdAt`. */
  fixed?: readonly (keyof Row & string)[]
} & (keyof Needed<Row> extends never ? { kinds?: Kinds<Row> } : { kinds: Kinds<Row> })

/**
 * Statements for a table whose columns are the fields of `Row`. They apply to rows whose fields equal those of `match`.
 * `rest` is SQL that is appended to the condition, and `values` are its parameters.
 */
export type Table<Row, Read extends Row = Row> = {
  one(match: Partial<Row>, rest?: string, values?: Values): Read | undefined
  all(match: Partial<Row>, rest?: string, values?: Values): Read[]
  /** Returns rows, latest first. `before` is the position after which to continue. */
  latest(match: Partial<Row>, before: number | undefined, limit: number, rest?: string): Placed<Read>[]
  /** Like `latest`, for rows of an owner to which the condition `rest` applies. */
  page(rest?: string): LatestFirst<Read>
  basics: {
    get(ownerId: string, id: string): Read | undefined
    /** @throws ServiceError `NOT_FOUND` */
    require(ownerId: string, id: string): Read
    insert(row: Row): void
    update(row: Row): void
  }
  /** Sets the fields in `changes` and no others. Returns the number of rows to which `match` and `rest` apply. */
  change(match: Partial<Row>, changes: Partial<Row>, rest?: string): number
  /** Inserts a row, or replaces the row with the same key. */
  put(row: Row): void
  delete(id: string): void
  /** Converts a row that was read with another statement. It may have columns of other tables too. */
  read<Found>(stored: object): Found & Read
}

/** Adds a field to a row. Its value is read when it is first used, also by a copy of the row, and then kept. */
function readLater(row: object, name: string, read: () => unknown): void {
  const own = { enumerable: true, configurable: true }
  const settle = (value: unknown) => Object.defineProperty(row, name, { ...own, writable: true, value })
  const get = () => {
    const value = read()
    settle(value)
    return value
  }
  Object.defineProperty(row, name, { ...own, get, set: settle })
}

/** Creates the statements of a table. Each is prepared when it is first used. */
export function tableOf<Row extends object, Read extends Row = Row>(
  database: Database,
  table: string,
  ...[options]: keyof Needed<Row> extends never ? [options?: Options<Row>] : [options: Options<Row>]
): Table<Row, Read> {
  const { key = 'id', owner = 'projectId', fixed = [owner, 'createdAt'] } = options ?? {}
  const kinds = Object.entries<Kind<unknown>>(options?.kinds ?? {})
  const unchanged = new Set<string>([key, 'position', ...fixed])
  const idOf = (row: object) => (row as Record<string, unknown>)[key]
  const read = (stored: object) => {
    if (kinds.length === 0) return stored as never
    const row = { ...stored } as Record<string, SQLOutputValue>
    for (const [name, kind] of kinds) {
      const value = row[name] ?? null
      const open = () => kind.read(value, row[key] as string) as SQLOutputValue
      if (kind.isLazy && value !== null) readLater(row, name, open)
      else row[name] = open()
    }
    return row as never
  }
  const write = (row: object, id: unknown, written = kinds): Values => {
    const values = { ...row } as Values
    for (const [name, kind] of written) values[name] = kind.write(values[name], String(id))
    return values
  }
  const select = (match: object, rest: string) => `SELECT * FROM ${table} WHERE ${conditionOf(match)} ${rest}`
  const all = (match: Partial<Row>, rest = '', values: Values = {}): Read[] =>
    database.all<object>(select(match, rest), { ...boundOf(match), ...values }).map(read)
  const one = (match: Partial<Row>, rest = '', values: Values = {}): Read | undefined => {
    const stored = database.get<object>(select(match, rest), { ...boundOf(match), ...values })
    return stored && read(stored)
  }
  const set = (match: object, stored: Values, rest = '') => {
    // A column may be in both the condition and the changes, so parameters for changes have their own names.
    const columns = Object.keys(stored).map(name => `${name} = :new_${name}`)
    const changes = Object.entries(stored).map(([name, value]) => [`new_${name}`, value] as const)
    return database.run(`UPDATE ${table} SET ${columns.join(', ')} WHERE ${conditionOf(match)} ${rest}`, {
      ...boundOf(match),
      ...Object.fromEntries(changes),
    })
  }
  const latest: Table<Row, Read>['latest'] = (match, before = Number.MAX_SAFE_INTEGER, limit, rest = '') =>
    all(match, `AND position < :before ${rest} ORDER BY position DESC LIMIT :limit`, {
      before,
      limit,
    }) as Placed<Read>[]
  const get = (ownerId: string, id: string) => one({ [key]: id, [owner]: ownerId } as never)
  const words = table.replaceAll(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
  return {
    one,
    all,
    latest,
    page: rest => (ownerId, before, limit) => latest({ [owner]: ownerId } as never, before, limit, rest),
    basics: {
      get,
      require: (ownerId, id) => requireRow(get(ownerId, id), `${words} ${id} in this project`),
      insert(row) {
        const values = write(row, idOf(row))
        database.run(insertInto(table, Object.keys(values)), values)
      },
      update(row) {
        const stored = Object.entries(write(row, idOf(row))).filter(([name]) => !unchanged.has(name))
        set({ [key]: idOf(row) }, Object.fromEntries(stored))
      },
    },
    change(match, changes, rest) {
      const written = kinds.filter(([name]) => name in changes)
      return set(match, write(changes, idOf(match), written), rest)
    },
    put(row) {
      const values = write(row, idOf(row))
      const columns = Object.keys(values)
      const changed = assignments(columns.filter(name => name !== key))
      database.run(`${insertInto(table, columns)} ON CONFLICT (${key}) DO UPDATE SET ${changed}`, values)
    },
    delete: id => void database.run(`DELETE FROM ${table} WHERE ${key} = :id`, { id }),
    read,
  }
}

/** Returns a condition in SQL. A literal `IS NULL` lets SQLite use an index of such rows. */
function conditionOf(match: object): string {
  const terms = Object.entries(match).map(([name, value]) =>
    value === null ? `${name} IS NULL` : `${name} = :${name}`,
  )
  return terms.join(' AND ') || 'TRUE'
}

function boundOf(match: object): Values {
  const values: Values = { ...match }
  if (!Object.values(values).includes(null)) return values
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
}

/**
 * Returns the row, or throws if there is none.
 * @param what names the row in the error, such as `run run_1 in this project`
 * @throws ServiceError `NOT_FOUND`
 */
export function requireRow<T>(row: T | undefined, what: string): T {
  if (row === undefined) throw new ServiceError('NOT_FOUND', `There is no ${what}.`)
  return row
}
