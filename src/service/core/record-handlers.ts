import { ServiceError } from './errors.ts'
import { digest } from './ids.ts'
import type { Store } from './database/store.ts'
import type * as z from 'zod'
import { contract } from '../../api/contract/contract.ts'
import { type AnyEndpoint, type OutputOf, type ParsedInputOf, pathParameters } from '../../api/contract/endpoint.ts'
import type { Caller } from './access.ts'
import type { Handlers } from './context.ts'
import type { ProjectRow } from './database/rows.ts'
import type { LatestFirst } from './database/table.ts'
import { latestPage, pageOf, type PageQuery } from './list-page.ts'
import type { Served } from './refusals.ts'
import { invalidField } from './validation.ts'
import type { Shape } from '../../api/contract/shapes.ts'

/** What a create request asks for. `scope` names the operation and who may repeat it; `key` is the caller's own key. */
type Intent = { scope: string; key: string | undefined; body: unknown }

/**
 * Creates a record once. A repeat with the same key returns the first answer (limits-and-errors, section 5).
 * @throws ServiceError `CONFLICT` for another body, and the errors of `make`
 */
export function createOnce<T>(store: Store, { scope, key, body }: Intent, make: () => T): T {
  if (key === undefined) return store.write(make)
  const bodyDigest = digest(body)
  return store.write(() => {
    const earlier = store.idempotency.find(scope, key)
    if (earlier) {
      if (earlier.digest === bodyDigest) return earlier.reply as T
      throw new ServiceError('CONFLICT', 'This idempotency key was already used with another body.', {
        details: { field: 'idempotencyKey' },
      })
    }
    const made = make()
    store.idempotency.insert(scope, key, bodyDigest, made)
    return made
  })
}

/** Nouns of a project whose records are stored, listed and read in the same way. */
type Noun = 'personas' | 'journeys' | 'swarms' | 'clients' | 'hosts' | 'environments' | 'scenarios'

type Operation<N extends Noun, O extends string> = Served[N] extends Record<O, infer E> ? E : never
type BodyOf<N extends Noun, O extends string> = ParsedInputOf<Operation<N, O>>['body']

type Declaration<N extends Noun, Row> = {
  rows: { require(projectId: string, id: string): Row }
  /** A list has pages, latest first, or is everything that `all` returns. */
  list:
    | { latest: LatestFirst<Row> }
    | { all: (projectId: string, query: ParsedInputOf<Served[N]['list']>['query']) => Row[] }
  toItem(row: Row): OutputOf<Served[N]['get']>
  /** Converts a record for a list; absent if it looks the same there. */
  toListed?(row: Row): OutputOf<Served[N]['list']>['items'][number]
  insert?(store: Store, projectId: string, body: BodyOf<N, 'create'>): Row
  update?(store: Store, row: Row, body: BodyOf<N, 'update'>): Row
}

type Call = { project: ProjectRow; params: Record<string, string>; query: PageQuery & object; body: unknown }
type Creation = Call & { caller: Caller; idempotencyKey: string | undefined }

/**
 * Creates the handlers of a noun from its declaration: they store, list, read and change records, each in one
 * transaction. `write` creates a handler for a further operation on a record.
 */
export function recordHandlers<N extends Noun, Row>(store: Store, noun: N, declared: Declaration<N, Row>) {
  const { rows, list, toItem, toListed = toItem, insert, update } = declared as Declaration<'personas', Row>
  const operations: { get: AnyEndpoint; create?: AnyEndpoint } = contract[noun]
  const param = pathParameters(operations.get.path).at(-1)!
  const find = ({ project, params }: Pick<Call, 'project' | 'params'>) => rows.require(project.id, params[param]!)
  const write =
    <Body, Answer>(work: (row: Row, body: Body) => Answer) =>
    (call: { project: ProjectRow; params: Record<string, string>; body: Body }): Answer =>
      store.write(() => work(find(call), call.body))
  const handlers = {
    list: ({ project, query }: Call) =>
      store.read(() =>
        'latest' in list
          ? latestPage(store, { name: noun, ownerId: project.id, query, page: list.latest }, toListed)
          : pageOf(
              store.cursors,
              { list: `${noun}/${project.id}`, rows: list.all(project.id, query), query },
              toListed,
            ),
      ),
    get: (call: Call) => store.read(() => toItem(find(call))),
    create({ project, caller, idempotencyKey, body }: Creation) {
      const scope = `${noun}.create/${project.id}/${caller.keyId}`
      const key = operations.create?.idempotency === 'header' ? idempotencyKey : undefined
      return createOnce(store, { scope, key, body }, () => toItem(insert!(store, project.id, body as never)))
    },
    update: write((row: Row, body: never) => toItem(update!(store, row, body))),
  }
  type Made = Extract<keyof Handlers[N], keyof typeof handlers>
  return { ...(handlers as unknown as Pick<Handlers[N], Made>), write }
}

/** Returns the fields of a row that are declared for the record. */
export function declaredFields<S extends z.ZodRawShape, Row extends object>(
  record: Shape<z.ZodObject<S>>,
  row: Row,
): Pick<Row, keyof S & keyof Row> {
  const fields = Object.keys(record().shape).filter(name => name in row) as (keyof S & keyof Row)[]
  return Object.fromEntries(fields.map(name => [name, row[name]])) as Pick<Row, keyof S & keyof Row>
}

/** @throws ServiceError `VALIDATION_ERROR` for a text of only white space; an absent text is accepted */
export function requireNotBlank(field: string, text: string | null | undefined): void {
  if (text?.trim() === '') throw invalidField(field, 'must not be blank')
}

/** @throws ServiceError `CONFLICT` if the project has a record with this name; `noun` includes its article */
export function requireFreeName(
  rows: { findByName(projectId: string, name: string): unknown },
  noun: string,
  projectId: string,
  name: string,
): void {
  if (!rows.findByName(projectId, name)) return
  throw new ServiceError('CONFLICT', `The project has ${noun} named "${name}" already.`, { details: { field: 'name' } })
}

type Archivable = { id: string; projectId: string; archivedAt: number | null; updatedAt: number }

/** Archives a record: lists no longer show it, but it can be read. Archiving it again changes nothing. */
export function archiveRecord<Row extends Archivable>(rows: { update(row: Row): void }, row: Row) {
  const now = Date.now()
  if (row.archivedAt === null) rows.update({ ...row, archivedAt: now, updatedAt: now })
  return { id: row.id, projectId: row.projectId, archived: true }
}

/** @throws ServiceError `CONFLICT` */
export function requireNotArchived(noun: string, { archivedAt }: Pick<Archivable, 'archivedAt'>): void {
  if (archivedAt !== null) throw new ServiceError('CONFLICT', `The ${noun} is archived.`)
}
