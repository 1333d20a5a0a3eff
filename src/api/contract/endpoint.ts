import type * as z from 'zod'
import type { ErrorCode } from './error.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * What a call can do, in rising order of care. Read-only mode refuses everything except `read`, which can always be
 * repeated. `spend` and everything below it in this list ask first.
 * - `read`: changes nothing, even if it uses POST
 * - `write`: changes records that can be changed back
 * - `external`: side effects on someone else's server
 * - `spend`: costs credits or occupies a run slot
 * - `end`: stops something that is running
 * - `expose`: opens data to more people
 * - `delete`: cannot be undone
 */
export type Risk = 'read' | 'write' | 'external' | 'spend' | 'end' | 'expose' | 'delete'

/**
 * How a repeat of one intent is recognized (limits-and-errors, section 5).
 * - `header`: `Idempotency-Key`
 * - `caller`: `Idempotency-Key` of the caller, who may send it again after a refusal; it is never repeated
 * automatically
 * - `natural`: a repeat is harmless by nature
 * - `none`: must never be repeated blindly
 */
export type Idempotency = 'header' | 'caller' | 'natural' | 'none'

/** Returns a new key for one intent. */
export function newIdempotencyKey(): string {
  return crypto.randomUUID()
}

/** Features that are switched on for each organization (limits-and-errors, section 7). */
export type Gate = 'swarms' | 'user-testing'

/** Source of a declaration: the prose document, the OpenAPI file, or only local workspaces. */
export type Source = 'prose' | 'openapi' | 'local'

type Schema = z.ZodType
/** Names of the `{…}` segments of a path. */
export type PathParameter<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never

type Operation<Path extends string> = Described & {
  /** The operation's name in the contract's documents and in `mcpdeck api`. */
  operation: string
  method: Method
  /** Path below the base address, in which `{name}` marks a parameter. */
  path: Path
  risk: Risk
  source: Source
}

type Described = {
  /** One sentence for lists and documentation. */
  summary: string
  status?: 200 | 201 | 202
  /** Codes in addition to those of every operation (401, 403, 404, 429, 500). Default with a body: VALIDATION_ERROR. */
  errors?: readonly ErrorCode[]
  /**
   * Lowest role in the project that may use the operation, if member is not enough: editor for servers and scenario
   * access, admin where the contract requires it.
   */
  role?: ProjectRole
  idempotency?: Idempotency
  /** Headers for the key of an intent, the preferred one first, if there are others than `Idempotency-Key`. */
  idempotencyHeaders?: readonly string[]
  /** Fields of the input that are secrets, such as `body.env`. They are never written to disk. */
  secrets?: readonly string[]
  /** Refused with 403, or answered empty on reads, if the organization has this feature off. */
  gate?: Gate
  /**
   * Whether only local workspaces offer the operation. They announce it in their capabilities, and its path begins with
   * `/local/`.
   */
  local?: true
  /** Whether it is answered without a key too, according to the OpenAPI file (differences, row 31). */
  public?: true
  /** Resources that are outdated after this write, in addition to its own. */
  refreshes?: readonly string[]
  /** Place of the next page's cursor in the request, and the response header that contains it if the body does not. */
  cursor?: { in: 'query' | 'body'; name: string; fromHeader?: string }
  /** Set if the answer depends on the eval vocabulary that the request names (contract: "Versioning"). */
  varies?: 'eval-vocabulary'
  /** Whether the body contains cases or their assertions, which each eval vocabulary writes in its own way. */
  casesInBody?: true
  /** Whether the answer contains cases or their assertions. */
  casesInAnswer?: true
  /** Whether the list is a bare array in the service document but a page in the OpenAPI file (differences, row 3). */
  bareList?: true
  /**
   * Whether the operation has a separate request limit, kept by its handler, and does not count against the rate of the
   * key.
   */
  ownBudget?: true
  /** Whether this is a long list that depends only on stored records, not on the time or on what a process is doing. */
  fromRecords?: true
  /** Whether `default` in place of the project's id names the Default project of the key's organization. */
  defaultProject?: true
  /** Whether the work continues after the answer although the status is not 202; see {@link outlivesAnswer}. */
  goesOn?: true
  /**
   * Why a lost answer needs no check: the effect is seen at once and lasts no longer than its subject, so that it can
   * be repeated or left. The journal does not record such a write.
   */
  leavesNothing?: string
  /** Milliseconds to wait without any data, if the default is too short. */
  deadlineMs?: number
  /**
   * Maximum number of decoded bytes of an answer, if the usual limit is too small for what servers returned in a trial.
   */
  maxAnswerBytes?: number
}

/** An operation with its schemas, each of which is created when it is first used. */
export type EndpointDeclaration<
  Path extends string = string,
  Query extends Schema | undefined = Schema | undefined,
  Body extends Schema | undefined = Schema | undefined,
  Response extends Schema = Schema,
> = Operation<Path> & { readonly query?: Query; readonly body?: Body; readonly response: Response }

/** A declaration as it is written. A GET is a read, and an operation without a source comes from the OpenAPI file. */
type Written<
  M extends Method,
  Query extends Schema | undefined,
  Body extends Schema | undefined,
  Response extends Schema,
> = Described & { source?: Source } & (M extends 'GET' ? { risk?: 'read' } : { risk: Risk }) & {
    query?: () => Query
    /** Strict, because the service refuses undeclared fields. */
    body?: () => Body
    response: () => Response
  }

/** A declared operation that knows its place in the contract, such as resource `runs` and name `list`. */
export type Endpoint<
  Path extends string = string,
  Query extends Schema | undefined = Schema | undefined,
  Body extends Schema | undefined = Schema | undefined,
  Response extends Schema = Schema,
> = EndpointDeclaration<Path, Query, Body, Response> & { resource: string; name: string }

export type AnyEndpoint = Endpoint

type PathInput<P extends string> = [PathParameter<P>] extends [never] ? unknown : Record<PathParameter<P>, string>
type QueryInput<Q> = Q extends Schema ? z.input<Q> : unknown
type BodyInput<B> = B extends Schema
  ? undefined extends z.input<B>
    ? { body?: z.input<B> }
    : { body: z.input<B> }
  : unknown
type Flatten<T> = { [K in keyof T]: T[K] }

/** The input that a caller passes: path parameters and query options on one level, the body under `body`. */
export type InputOf<E> =
  E extends EndpointDeclaration<infer P, infer Q, infer B, Schema>
    ? Flatten<PathInput<P> & QueryInput<Q> & BodyInput<B>>
    : never

/** The input that the service receives after validation. */
export type ParsedInputOf<E> =
  E extends EndpointDeclaration<infer P, infer Q, infer B, Schema>
    ? {
        params: Record<PathParameter<P>, string>
        query: Q extends Schema ? z.output<Q> : undefined
        body: B extends Schema ? z.output<B> : undefined
      }
    : never

export type OutputOf<E> =
  E extends EndpointDeclaration<string, Schema | undefined, Schema | undefined, infer R> ? z.output<R> : never

/** An item of a list's answer. */
export type ItemOf<E> = OutputOf<E> extends { items: readonly (infer Item)[] } ? Item : never

/** A path whose literal type is lost (a constant without `as const`) would silently lose its parameters. */
type LiteralPath<P extends string> = string extends P ? never : P

/** Declares one operation under its name in the contract. Everything else about it is derived. */
export function endpoint<
  const Path extends string,
  M extends Method,
  Response extends Schema,
  Query extends Schema | undefined = undefined,
  Body extends Schema | undefined = undefined,
>(
  operation: string,
  method: M,
  path: LiteralPath<Path>,
  { query, body, response, ...described }: Written<M, Query, Body, Response>,
): EndpointDeclaration<Path, Query, Body, Response> {
  return {
    source: described.local ? 'local' : 'openapi',
    risk: 'read',
    ...(body && { errors: ['VALIDATION_ERROR'] }),
    ...described,
    operation,
    method,
    path,
    get query() {
      return query?.()
    },
    get body() {
      return body?.()
    },
    get response() {
      return response()
    },
  }
}

type Named<D> = D extends EndpointDeclaration<infer P, infer Q, infer B, infer R> ? Endpoint<P, Q, B, R> : never

/** Whether an operation starts work that continues after its answer. Status 202 means so, and some others do it too. */
export function outlivesAnswer({ status, goesOn }: Pick<Endpoint, 'status' | 'goesOn'>): boolean {
  return status === 202 || goesOn === true
}

/** Groups a resource's operations and gives each its name. */
export function resource<const D extends Record<string, EndpointDeclaration>>(
  name: string,
  declarations: D,
): { [K in keyof D]: Named<D[K]> } {
  return Object.fromEntries(
    Object.entries(declarations).map(([key, value]) => [key, Object.assign(value, { resource: name, name: key })]),
  ) as { [K in keyof D]: Named<D[K]> }
}

/** Names of the path's parameters, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(match => match[1]!)
}

/**
 * Fills in a path, percent-encoded. Empty values, `.` and `..` are refused, because a proxy would read another path.
 */
export function fillPath(path: string, values: Record<string, unknown>): string {
  return path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const value = values[name]
    if (typeof value !== 'string' || value === '' || value === '.' || value === '..')
      throw new TypeError(`"${name}" must be an id, got ${JSON.stringify(value)}`)
    return encodeURIComponent(value)
  })
}

/** Roles of a key in a project, in rising order. */
export const PROJECT_ROLES = ['guest', 'member', 'editor', 'admin'] as const
export type ProjectRole = (typeof PROJECT_ROLES)[number]

/** Returns the lowest role in the project that an operation needs; `null` if it names no project. */
export function requiredRole({ path, role }: { path: string; role?: ProjectRole }): ProjectRole | null {
  return role ?? (path.includes('{projectId}') ? 'member' : null)
}

/** Whether a role, if any, is at least the needed one. */
export function isAtLeast(role: ProjectRole | undefined, needed: ProjectRole | null): boolean {
  if (needed === null) return true
  return role !== undefined && PROJECT_ROLES.indexOf(role) >= PROJECT_ROLES.indexOf(needed)
}

/** Returns why a role is not enough. `change` names what needs it. The caller's role is left out if it is unknown. */
export function roleSentence(needed: ProjectRole, role: string | undefined, change = 'This'): string {
  return `${change} needs the role ${needed} in the project${role ? `; yours is ${role}` : ''}.`
}

/** Segments of renamed paths, with their current names. */
const RENAMED: readonly (readonly [former: RegExp, successor: string])[] = [
  [/\/hosts(?=\/|$)/, '/clients'],
  [/(?:\/user-testing)?\/scenarios(?=\/|$)/, '/studies'],
  [/\/scenario$/, '/study'],
]

const PARAMETERS: Readonly<Record<string, string>> = { '{hostId}': '{client}', '{scenarioId}': '{studyId}' }

/** Returns the path that replaces a deprecated one, as a template (service-api, "Versioning"; newer.md, section 2). */
export function successorOf(path: string): string | undefined {
  const renamed = RENAMED.find(([former]) => former.test(path))
  if (!renamed) return undefined
  const named = path.replace(...renamed)
  return named.replace(/\{(?:hostId|scenarioId)\}/, parameter => PARAMETERS[parameter]!)
}
