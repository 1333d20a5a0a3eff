import { IDEMPOTENCY_HEADER } from '../api/contract/contract.ts'
import type { AnyEndpoint, Gate } from '../api/contract/endpoint.ts'
import { ServiceError } from './errors.ts'
import type { Handlers } from './handlers/handler.ts'
import { newId } from './ids.ts'
import { authenticate, type Caller } from './keys.ts'
import type { OrganizationLimits } from './limits/limits.ts'
import { createRateLimiter, type RateLimit } from './rate-limiter.ts'
import { Reply } from './reply.ts'
import { projectFor, REQUIRED_ROLES } from './rights.ts'
import { createRouter, type Match } from './router.ts'
import type { ProjectRole } from './store/keys.ts'
import type { Store } from './store/store.ts'
import { invalidField, parseBody, parseQuery } from './validation.ts'

/** One line about a request, or a failure that no caller sees; neither holds keys or bodies. */
export type LogEntry =
  | {
      kind: 'request'
      requestId: string
      method: string
      path: string
      status: number
      durationMs: number
      error?: unknown
    }
  | { kind: 'failure'; error: unknown }

export type PipelineOptions = {
  store: Store
  handlers: Handlers
  rateLimit: RateLimit | undefined
  limits: OrganizationLimits
  maxBodyBytes: number
  validateResponses: boolean
  vocabularyHeader: string
  /** Lists that are answered as a bare array. */
  bareLists: readonly unknown[]
  log: (entry: LogEntry) => void
}

export type Pipeline = {
  fetch(request: Request): Promise<Response>
  /** Refuses new requests and resolves when the others are answered; slow ones are cut short after a while. */
  close(): Promise<void>
}

type UntypedHandler = (call: object) => unknown
type Answer = { status: number; body?: unknown; headers?: Record<string, string> }

const GATE_NAMES: Record<Gate, string> = { swarms: 'Swarms', 'user-testing': 'User testing' }
const MAX_IDEMPOTENCY_KEY_LENGTH = 256
/** How long answers may take to finish when the service closes, in milliseconds. */
const CLOSING_GRACE_MS = 2000

/** Key, limit, validation, rights, handler, check of the answer: in this order for every request. */
export function createPipeline(options: PipelineOptions): Pipeline {
  const router = createRouter()
  const limiter = options.rateLimit && createRateLimiter(options.rateLimit)
  const open = new Set<Promise<Response>>()
  const closing = new AbortController()
  let closed = false

  const answer = async (request: Request, path: string): Promise<Answer> => {
    if (closed) throw new ServiceError('INTERNAL_ERROR', 'The workspace is closing.')
    if (request.method === 'OPTIONS') return optionsAnswer(router.methods(path))
    const caller = authenticate(options.store, request.headers.get('authorization'))
    limiter?.take(caller.keyId, performance.now())
    const match = router.match(request.method, path)
    if (!match) return unknownPath(router.methods(path))
    return operate(request, match, caller, closing.signal, options)
  }

  const respond = async (request: Request): Promise<Response> => {
    const requestId = newId('req')
    const started = performance.now()
    const path = new URL(request.url).pathname
    let error: unknown
    const result = await answer(request, path).catch((thrown: unknown) => {
      error = request.signal.aborted ? hungUp(thrown) : thrown
      return errorAnswer(error)
    })
    const { status } = result
    const durationMs = performance.now() - started
    options.log({
      kind: 'request',
      requestId,
      method: request.method,
      path,
      status,
      durationMs,
      ...(error !== undefined && { error }),
    })
    return toResponse(result, requestId, request.method === 'HEAD')
  }

  return {
    fetch(request) {
      const response = respond(request)
      open.add(response)
      const forget = () => open.delete(response)
      response.then(forget, forget)
      return response
    },
    async close() {
      closed = true
      const reason = new ServiceError('SERVER_UNREACHABLE', 'The workspace is closing.')
      const cut = setTimeout(() => closing.abort(reason), CLOSING_GRACE_MS)
      while (open.size > 0) await Promise.allSettled(open)
      clearTimeout(cut)
    },
  }
}

async function operate(
  request: Request,
  { endpoint, params }: Match,
  caller: Caller,
  closing: AbortSignal,
  options: PipelineOptions,
): Promise<Answer> {
  const { store, handlers, maxBodyBytes } = options
  const signal = AbortSignal.any([request.signal, closing])
  requireVocabulary(request.headers.get(options.vocabularyHeader), options.vocabularyHeader)
  const idempotencyKey = readIdempotencyKey(request.headers, endpoint)
  const query = parseQuery(endpoint, new URL(request.url).searchParams)
  const body = await parseBody(endpoint, request, maxBodyBytes)
  const handler = declared<UntypedHandler>(handlers, endpoint)
  if (!handler) throw notServed(endpoint)
  const role = declared<ProjectRole | null>(REQUIRED_ROLES, endpoint) ?? null
  const { projectId } = params
  const project =
    projectId !== undefined && role !== null ? projectFor(store, caller, projectId, role) : undefined
  const closed = closedGateReply(endpoint, caller, options.limits)
  const result = closed ?? (await handler({ params, query, body, caller, project, idempotencyKey, signal }))
  const { body: reply, headers } = result instanceof Reply ? result : new Reply(result, {})
  if (options.validateResponses) endpoint.response.parse(reply)
  const bare = options.bareLists.includes(endpoint)
  return {
    status: endpoint.status ?? 200,
    body: bare ? (reply as { items: unknown }).items : reply,
    headers: { ...headers, ...(endpoint.deprecated && { deprecation: 'true' }) },
  }
}

/**
 * What a gated operation answers while its feature is off: writes are refused, lists are empty, other reads are refused
 * too (limits-and-errors, section 7).
 */
function closedGateReply(endpoint: AnyEndpoint, caller: Caller, limits: OrganizationLimits): unknown {
  const { gate, risk, response } = endpoint
  if (!gate || limits.isOn(caller.organizationId, gate)) return undefined
  const empty = { items: [] }
  if (risk === 'read' && response.safeParse(empty).success) return empty
  throw new ServiceError('FORBIDDEN', `${GATE_NAMES[gate]} is switched off for this organization.`)
}

/** The entry of a table that is written per resource and operation. */
function declared<T>(table: object, { resource, name }: AnyEndpoint): T | undefined {
  return (table as Record<string, Record<string, T>>)[resource]?.[name]
}

function notServed({ operation, summary }: AnyEndpoint): ServiceError {
  return new ServiceError(
    'FEATURE_NOT_SUPPORTED',
    `The local workspace does not offer ${operation} (${summary.replace(/\.$/, '')}).`,
  )
}

/** Vocabularies 1 and 2 differ only in records that are not served here, so both read the same answers. */
function requireVocabulary(value: string | null, header: string): void {
  if (value !== null && value !== '1' && value !== '2') throw invalidField(header, 'must be 1 or 2')
}

/** The first of the operation's key headers that was sent. */
function readIdempotencyKey(headers: Headers, endpoint: AnyEndpoint): string | undefined {
  const name = (endpoint.idempotencyHeaders ?? [IDEMPOTENCY_HEADER]).find(header => headers.has(header))
  const value = name === undefined ? null : headers.get(name)
  if (name === undefined || value === null) return undefined
  if (value.length === 0 || value.length > MAX_IDEMPOTENCY_KEY_LENGTH)
    throw invalidField(name, `must have 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} characters`)
  return value
}

function optionsAnswer(methods: string[]): Answer {
  if (methods.length === 0) return unknownPath(methods)
  return { status: 204, headers: { allow: [...methods, 'OPTIONS'].join(', ') } }
}

/** The contract has no code for a wrong method; `Allow` tells what the path takes. */
function unknownPath(methods: string[]): Answer {
  const answer = errorAnswer(new ServiceError('NOT_FOUND', 'There is no such operation.'))
  return methods.length === 0 ? answer : { ...answer, headers: { allow: [...methods, 'OPTIONS'].join(', ') } }
}

/** Nobody reads this answer, and nothing is broken. */
function hungUp(cause: unknown): ServiceError {
  return new ServiceError('TIMEOUT', 'The caller hung up before the answer.', { cause })
}

/** A refusal in the contract's words; everything else is a fault whose cause only the log sees. */
function errorAnswer(error: unknown): Answer {
  if (!(error instanceof ServiceError))
    return { status: 500, body: { code: 'INTERNAL_ERROR', message: 'The service failed; see its log.' } }
  const { status, code, message, details, retryAfterSeconds } = error
  return {
    status,
    body: { code, message, ...(details && { details }) },
    ...(retryAfterSeconds !== undefined && { headers: { 'retry-after': String(retryAfterSeconds) } }),
  }
}

function toResponse({ status, body, headers }: Answer, requestId: string, headersOnly: boolean): Response {
  const all = { ...headers, 'x-request-id': requestId, 'cache-control': 'no-store' }
  if (body === undefined) return new Response(null, { status, headers: all })
  const text = JSON.stringify(body)
  const length = String(Buffer.byteLength(text))
  const typed = { ...all, 'content-type': 'application/json; charset=utf-8', 'content-length': length }
  return new Response(headersOnly ? null : text, { status, headers: typed })
}
