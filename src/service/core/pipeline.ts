import { BOUNDS } from '../../lib/bounds.ts'
import { API_PREFIX, IDEMPOTENCY_HEADER, allEndpoints } from '../../api/contract/contract.ts'
import { type AnyEndpoint, requiredRole, successorOf, pathParameters } from '../../api/contract/endpoint.ts'
import { type ApiHeaders, type ApiRequest, type ApiResponse, plainHeaders } from '../../api/contract/message.ts'
import { settlesWithin } from './deadline.ts'
import { ServiceError } from './errors.ts'
import { inCallersVocabulary, inFirstVocabulary, type EvalVocabulary } from './vocabulary.ts'
import type { Handlers, InnerRequest } from './context.ts'
import { newId } from './ids.ts'
import { callerOf, createAuthentication, nobody, type Caller, namedProject, projectFor } from './access.ts'
import { GATES } from './limits.ts'
import { createRateLimiter, type OrganizationLimits } from './organization-limits.ts'
import { requireAllowedHost } from './urls.ts'
import { JsonText, Reply, type Answer } from './reply.ts'
import { notServed } from './refusals.ts'
import { isBusy } from '../../lib/sqlite.ts'
import { storageProblem } from './database/storage-problem.ts'
import type { Store } from './database/store.ts'
import { invalidField, parseBody, parseQuery } from './validation.ts'
import { TrieRouter } from 'hono/router/trie-router'

/** A request, or a failure that no caller sees; neither contains keys or bodies. */
export type LogEntry =
  | {
      kind: 'request'
      requestId: string
      method: string
      path: string
      status: number
      durationMs: number
      keyId?: string
      error?: unknown
    }
  | { kind: 'failure'; error: unknown }

type PipelineOptions = {
  store: Store
  handlers: Handlers
  /** Answers visitors below a separate path, without API keys. */
  visitors: { prefix: string; answer: (request: ApiRequest, path: string, closing: AbortSignal) => Promise<Answer> }
  limits: OrganizationLimits
  maxBodyBytes: number
  validateResponses: boolean
  vocabularyHeader: string
  /** Host names of the service besides loopback; undefined = any. */
  allowedHosts: readonly string[] | undefined
  /** Whether lists that the contract declares as bare are returned as an array; otherwise as a page. */
  bareLists: boolean
  log: ((entry: LogEntry) => void) | undefined
}

/** An answer that is complete when it leaves the service. */
export type WholeResponse = ApiResponse & { readonly body: string | null }

type Pipeline = {
  answer(request: ApiRequest): Promise<WholeResponse>
  /** Answers a request of a handler for its caller, who is looked up again and needs no key. */
  perform(request: ApiRequest, inner: InnerRequest): Promise<WholeResponse>
  /** Refuses new requests and resolves when all others are answered; slow ones are aborted after a while. */
  close(): Promise<void>
}

type UntypedHandler = (call: object) => unknown

const MAX_IDEMPOTENCY_KEY_LENGTH = BOUNDS.idempotencyKey.most
/** For refusals by others that do not give a wait, such as a model endpoint that is asked too often. */
const UNSTATED_WAIT_SECONDS = 5
/** How long answers may take to finish when the service closes, in milliseconds; then they are aborted. */
const CLOSING_GRACE_MS = 2000
/** Total time to wait for them, in milliseconds. */
const CLOSING_MS = 5000

/** Key, limit, validation, rights, handler, check of the answer: in this order for every request. */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { visitors } = options
  const router = createRouter()
  const limiter = createRateLimiter(options.store, options.limits)
  const authenticate = createAuthentication(options.store)
  const open = new Set<Promise<WholeResponse>>()
  const closing = new AbortController()
  let closed = false

  const answer = async (
    request: ApiRequest,
    requestId: string,
    url: URL,
    match: Match | undefined,
    noteCaller: (caller: Caller) => void,
  ): Promise<Answer> => {
    const path = url.pathname
    if (closed) throw new ServiceError('INTERNAL_ERROR', 'The workspace is closing.')
    if (options.allowedHosts) requireAllowedHost(url, options.allowedHosts)
    if (path.startsWith(visitors.prefix)) return visitors.answer(request, path, closing.signal)
    if (request.method === 'OPTIONS') return optionsAnswer(router.methods(path))
    const key = request.headers.get('authorization')
    const caller = match?.endpoint.public && key === null ? nobody(options.store) : authenticate(key)
    noteCaller(caller)
    if (!match?.endpoint.ownBudget) limiter.take(caller)
    if (!match) return unknownPath(router.methods(path))
    return operate({ request, requestId, url, match, caller, closing: closing.signal }, options)
  }

  const perform = async (
    operation: Pick<Operation, 'request' | 'requestId' | 'url'>,
    match: Match | undefined,
    inner: InnerRequest,
    noteCaller: (caller: Caller) => void,
  ): Promise<Answer> => {
    if (closed) throw new ServiceError('INTERNAL_ERROR', 'The workspace is closing.')
    if (!match) return unknownPath([])
    const caller = callerOf(options.store.keys.get(inner.caller.keyId), options.store)
    noteCaller(caller)
    return operate({ ...operation, match, caller, closing: closing.signal, inner }, options)
  }

  const respond = async (request: ApiRequest, inner?: InnerRequest): Promise<WholeResponse> => {
    const requestId = newId('req')
    const started = performance.now()
    const url = new URL(request.url)
    const path = url.pathname
    const match = router.match(request.method, path)
    let keyId: string | undefined
    let error: unknown
    const noteCaller = (caller: Caller) => (keyId = caller.keyId)
    // A refusal on a deprecated path also has the deprecation.
    const deprecation = match ? deprecationOf(match.endpoint) : {}
    const encode = (result: Answer) =>
      toResponse({ ...result, headers: { ...result.headers, ...deprecation } }, requestId, request.method === 'HEAD')
    const answering = inner
      ? perform({ request, requestId, url }, match, inner, noteCaller)
      : answer(request, requestId, url, match, noteCaller)
    const response = await answering
      .then(encode)
      .catch((thrown: unknown) => {
        error = request.signal.aborted ? hungUp(thrown) : thrown
        return encode(errorAnswer(error))
      })
      // A refusal whose details cannot be encoded is an internal error.
      .catch((thrown: unknown) => encode(errorAnswer((error = thrown))))
    const { status } = response
    const durationMs = performance.now() - started
    options.log?.({
      kind: 'request',
      requestId,
      method: request.method,
      // The address of a visit contains the secret of its link.
      path: path.startsWith(visitors.prefix) ? visitors.prefix : path,
      status,
      durationMs,
      ...(keyId !== undefined && { keyId }),
      ...(error !== undefined && { error }),
    })
    return response
  }

  return {
    answer(request) {
      const response = respond(request)
      open.add(response)
      const forget = () => open.delete(response)
      response.then(forget, forget)
      return response
    },
    perform: respond,
    async close() {
      closed = true
      const reason = new ServiceError('SERVER_UNREACHABLE', 'The workspace is closing.')
      const cut = setTimeout(() => closing.abort(reason), CLOSING_GRACE_MS)
      const finished = async () => {
        while (open.size > 0) await Promise.allSettled(open)
      }
      await settlesWithin(finished(), CLOSING_MS)
      clearTimeout(cut)
    },
  }
}

type Operation = {
  request: ApiRequest
  requestId: string
  url: URL
  match: Match
  caller: Caller
  closing: AbortSignal
  inner?: InnerRequest
}

async function operate(operation: Operation, options: PipelineOptions): Promise<Answer> {
  const { request, requestId, url, match, caller, closing, inner } = operation
  const { endpoint, params } = match
  const { store, handlers, maxBodyBytes } = options
  const vocabulary = readVocabulary(request.headers, options.vocabularyHeader)
  const idempotencyKey = readIdempotencyKey(request.headers, endpoint)
  const query = parseQuery(endpoint, url.searchParams)
  const speech = { vocabulary, header: options.vocabularyHeader }
  const translate = endpoint.casesInBody && ((value: unknown) => inFirstVocabulary(speech, value))
  const body = await parseBody(endpoint, request, { maxBytes: maxBodyBytes, signal: closing }, translate)
  const handler = declared<UntypedHandler>(handlers, endpoint)
  if (!handler) throw notServed(endpoint)
  const role = requiredRole(endpoint)
  const { projectId } = params
  const project =
    projectId !== undefined && role !== null
      ? projectFor(store, caller, namedProject(store, caller, endpoint, projectId), role)
      : undefined
  const closed = closedGateReply(endpoint, caller, options.limits)
  const call = {
    params,
    query,
    body,
    caller,
    project,
    requestId,
    idempotencyKey,
    vocabulary,
    onProgress: request.onProgress,
    // Created on use, since most handlers end before a caller could disconnect.
    get signal() {
      return AbortSignal.any([request.signal, closing])
    },
  }
  if (inner?.checkOnly) return { status: 204 }
  const work = () => handler(call)
  const result = closed ?? (await (inner?.carry ? inner.carry(work) : work()))
  const { body: reply, headers } = result instanceof Reply ? result : { body: result, headers: {} }
  if (options.validateResponses) endpoint.response.parse(reply instanceof JsonText ? JSON.parse(reply.text) : reply)
  const bare = options.bareLists && endpoint.bareList
  const spelt = endpoint.casesInAnswer ? inCallersVocabulary(vocabulary, reply) : reply
  return {
    status: endpoint.status ?? 200,
    body: bare ? (spelt as { items: unknown }).items : spelt,
    headers: { ...headers, ...((endpoint.varies ?? endpoint.casesInAnswer) && { vary: options.vocabularyHeader }) },
    // If answers are checked at all, their readers check them too.
    asDeclared: !bare && !options.validateResponses,
  }
}

/** The answer of a gated operation while its feature is off: lists are empty, everything else is refused. */
function closedGateReply(endpoint: AnyEndpoint, caller: Caller, limits: OrganizationLimits): unknown {
  const { gate, risk } = endpoint
  if (!gate || limits.isOn(caller.organizationId, gate)) return undefined
  const { response } = endpoint
  const empty = { items: [] }
  const isList = response.safeParse(empty).success && !response.safeParse({}).success
  if (risk === 'read' && isList) return empty
  throw new ServiceError('FORBIDDEN', `${GATES[gate]} is switched off for this organization.`)
}

/** The replaced path may be one of a newer deployment, so the link keeps it as a template. */
function deprecationOf({ path }: AnyEndpoint): Record<string, string> {
  const successor = successorOf(path)
  if (successor === undefined) return {}
  return { deprecation: 'true', link: `<${API_PREFIX}${successor}>; rel="successor-version"` }
}

/** The entry of a table organized by resource and operation. */
function declared<T>(table: object, { resource, name }: AnyEndpoint): T | undefined {
  return (table as Record<string, Record<string, T>>)[resource]?.[name]
}

/** Absent means 1 (contract: "Versioning"). */
function readVocabulary(headers: ApiHeaders, name: string): EvalVocabulary {
  const value = headers.get(name) ?? '1'
  if (value === '1' || value === '2') return value
  throw invalidField(name, 'must be 1 or 2')
}

function readIdempotencyKey(headers: ApiHeaders, endpoint: AnyEndpoint): string | undefined {
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

/** The contract has no code for a wrong method; `Allow` lists those of the path. */
function unknownPath(methods: string[]): Answer {
  const answer = errorAnswer(new ServiceError('NOT_FOUND', 'There is no such operation.'))
  return methods.length === 0 ? answer : { ...answer, headers: { allow: [...methods, 'OPTIONS'].join(', ') } }
}

/** Nobody reads this answer, and nothing is broken. */
function hungUp(cause: unknown): ServiceError {
  return new ServiceError('TIMEOUT', 'The caller disconnected before the answer.', { cause })
}

/** The contract has no code for a locked database; a read may be repeated, and a write with its key. */
function databaseBusy(cause: unknown): ServiceError {
  return new ServiceError('TIMEOUT', 'Another process keeps the workspace’s database busy; try again.', { cause })
}

/** The contract has no code for disk errors; the sentence says what to do. */
function storageRefusal(cause: unknown): ServiceError | undefined {
  const problem = storageProblem(cause)
  return problem && new ServiceError('INTERNAL_ERROR', `${problem.message} ${problem.next}`, { cause })
}

/** A refusal in the contract's terms; everything else is an internal error whose cause is only logged. */
function errorAnswer(thrown: unknown): Answer {
  const error = isBusy(thrown) ? databaseBusy(thrown) : (storageRefusal(thrown) ?? thrown)
  if (!(error instanceof ServiceError))
    return { status: 500, body: { code: 'INTERNAL_ERROR', message: 'The service failed; see its log.' } }
  const { status, code, message, details } = error
  const wait = waitOf(error)
  return {
    status,
    body: { code, message, ...(details && { details }) },
    ...(wait !== undefined && { headers: { 'retry-after': String(wait) } }),
  }
}

/** Whole seconds; the limit of runs clears only when a run ends, everything else with time. */
function waitOf({ code, details, retryAfterSeconds }: ServiceError): number | undefined {
  if (code !== 'RATE_LIMITED' || details?.['reason'] === 'CONCURRENT_RUN_LIMIT') return retryAfterSeconds
  return retryAfterSeconds ?? UNSTATED_WAIT_SECONDS
}

function toResponse(answer: Answer, requestId: string, headersOnly: boolean): WholeResponse {
  const { status, body, headers } = answer
  const all = { ...headers, 'x-request-id': requestId, 'cache-control': 'no-store' }
  if (answer.text !== undefined) return whole(status, all, headersOnly ? null : answer.text)
  if (body === undefined) return whole(status, all, null)
  const text = body instanceof JsonText ? body.text : JSON.stringify(body)
  const length = String(Buffer.byteLength(text))
  const typed = { ...all, 'content-type': 'application/json; charset=utf-8', 'content-length': length }
  return { ...whole(status, typed, headersOnly ? null : text), asDeclared: answer.asDeclared }
}

function whole(status: number, headers: Record<string, string>, body: string | null): WholeResponse {
  return { status, headers: plainHeaders(headers), body }
}

type Match = { endpoint: AnyEndpoint; params: Record<string, string> }

export type Router = {
  match(method: string, path: string): Match | undefined
  /** Methods declared for a path, `HEAD` with every `GET`; none for an unknown path. */
  methods(path: string): string[]
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** The contract's paths below the version prefix, in tries by method and length that are built on first use. */
export function createRouter(): Router {
  const byShape = Map.groupBy(allEndpoints(), ({ method, path }) => shapeOf(method, API_PREFIX + path))
  const tries = new Map<string, TrieRouter<AnyEndpoint>>()
  const trieOf = (shape: string): TrieRouter<AnyEndpoint> | undefined => {
    const endpoints = byShape.get(shape)
    const trie = tries.get(shape) ?? (endpoints && trieFor(endpoints))
    if (trie) tries.set(shape, trie)
    return trie
  }
  const match = (method: string, path: string): Match | undefined => {
    const found = trieOf(shapeOf(method, path))?.match(method, path)[0][0]
    if (!found) return undefined
    const [endpoint, values] = found
    const params: Record<string, string> = {}
    for (const name of pathParameters(endpoint.path)) {
      const value = decoded(String(values[name]))
      if (value === undefined) return undefined
      params[name] = value
    }
    return { endpoint, params }
  }
  return {
    match: (method, path) => match(method === 'HEAD' ? 'GET' : method, path),
    methods: path =>
      METHODS.filter(method => match(method, path)).flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method])),
  }
}

/** Key of both a declared path and a matching one: the method and the number of segments. */
function shapeOf(method: string, path: string): string {
  return `${method} ${path.split('/').length}`
}

function trieFor(endpoints: AnyEndpoint[]): TrieRouter<AnyEndpoint> {
  const trie = new TrieRouter<AnyEndpoint>()
  for (const endpoint of literalsFirst(endpoints))
    trie.add(endpoint.method, API_PREFIX + endpoint.path.replaceAll(/\{([^}]+)\}/g, ':$1'), endpoint)
  return trie
}

/** `…/capabilities` must take precedence over `…/{id}`, and the first path added wins. */
function literalsFirst(endpoints: AnyEndpoint[]): AnyEndpoint[] {
  const rank = ({ path }: AnyEndpoint) => path.replaceAll(/\{[^}]+\}/g, '~')
  return endpoints.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value)
  } catch {
    return undefined
  }
}
