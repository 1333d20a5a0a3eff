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

/** A request, or a failure that no answer reports. Neither contains keys or bodies. */
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
  /** Answers requests of visitors. They have a separate path and no API keys. */
  visitors: { prefix: string; answer: (request: ApiRequest, path: string, closing: AbortSignal) => Promise<Answer> }
  limits: OrganizationLimits
  maxBodyBytes: number
  validateResponses: boolean
  vocabularyHeader: string
  /** Host names that are accepted in addition to loopback; undefined for any. */
  allowedHosts: readonly string[] | undefined
  /** Whether the lists that are declared as bare are answered as an array instead of a page. */
  bareLists: boolean
  log: ((entry: LogEntry) => void) | undefined
}

/** A response whose whole body is known when it leaves the service. */
export type WholeResponse = ApiResponse & { readonly body: string | null }

type Pipeline = {
  answer(request: ApiRequest): Promise<WholeResponse>
  /** Answers a request that a handler makes for its caller. The caller's rights are read again; no key is needed. */
  perform(request: ApiRequest, inner: InnerRequest): Promise<WholeResponse>
  /**
   * Refuses new requests and resolves once the requests in progress are answered. Slow requests are ended. Resolves
   * after {@link CLOSING_MS} at the latest.
   */
  close(): Promise<void>
}

type UntypedHandler = (call: object) => unknown

const MAX_IDEMPOTENCY_KEY_LENGTH = BOUNDS.idempotencyKey.most
/** Seconds to wait after a refusal that names no time, for example of a model endpoint that got too many requests. */
const UNSTATED_WAIT_SECONDS = 5
/** Milliseconds for which requests in progress may continue when the service closes. Then they are ended. */
const CLOSING_GRACE_MS = 2000
/** Maximum milliseconds to wait for answers when the service closes. */
const CLOSING_MS = 5000

/**
 * Creates the pipeline. A request for an operation passes key, limit, validation, rights, feature switch, handler and
 * check of the answer, in this order. A request that a handler makes starts with the validation.
 */
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
    // A refusal on a deprecated path has the headers of the deprecation too.
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
      // A refusal whose details cannot be serialized is an internal error.
      .catch((thrown: unknown) => encode(errorAnswer((error = thrown))))
    const { status } = response
    const durationMs = performance.now() - started
    options.log?.({
      kind: 'request',
      requestId,
      method: request.method,
      // The path of a visit contains the secret of its link.
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
    // Created on demand: most handlers end before a caller could disconnect and never read it.
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
    // If `validateResponses` is set, the reader of the answer validates it too.
    asDeclared: !bare && !options.validateResponses,
  }
}

/**
 * Returns the answer of an operation whose feature is off: the list of a read is empty, everything else is refused.
 * Undefined if the feature is on.
 */
function closedGateReply(endpoint: AnyEndpoint, caller: Caller, limits: OrganizationLimits): unknown {
  const { gate, risk } = endpoint
  if (!gate || limits.isOn(caller.organizationId, gate)) return undefined
  const { response } = endpoint
  const empty = { items: [] }
  const isList = response.safeParse(empty).success && !response.safeParse({}).success
  if (risk === 'read' && isList) return empty
  throw new ServiceError('FORBIDDEN', `${GATES[gate]} is switched off for this organization.`)
}

/**
 * Returns the headers of a deprecated path. The link to its successor keeps the path's parameters as a template, since
 * the successor may be in a newer deployment.
 */
function deprecationOf({ path }: AnyEndpoint): Record<string, string> {
  const successor = successorOf(path)
  if (successor === undefined) return {}
  return { deprecation: 'true', link: `<${API_PREFIX}${successor}>; rel="successor-version"` }
}

/** Returns the entry of an operation in a table by resource and operation. */
function declared<T>(table: object, { resource, name }: AnyEndpoint): T | undefined {
  return (table as Record<string, Record<string, T>>)[resource]?.[name]
}

/** Returns the vocabulary that a header names, or 1 without the header (contract: "Versioning"). */
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

/**
 * Returns the answer for an unknown path or method. The contract has no code for a wrong method; `Allow` lists the
 * valid ones.
 */
function unknownPath(methods: string[]): Answer {
  const answer = errorAnswer(new ServiceError('NOT_FOUND', 'There is no such operation.'))
  return methods.length === 0 ? answer : { ...answer, headers: { allow: [...methods, 'OPTIONS'].join(', ') } }
}

/** Returns the error for a caller that disconnected. Nobody reads the answer, and it is no failure of the service. */
function hungUp(cause: unknown): ServiceError {
  return new ServiceError('TIMEOUT', 'The caller disconnected before the answer.', { cause })
}

/**
 * Returns the error for a locked database. The contract has no code for it. A read may be repeated; a write may be
 * repeated with its idempotency key.
 */
function databaseBusy(cause: unknown): ServiceError {
  return new ServiceError('TIMEOUT', 'Another process keeps the workspace’s database busy; try again.', { cause })
}

/** Returns the error for a full or broken disk. The contract has no code for it, so the message says what to do. */
function storageRefusal(cause: unknown): ServiceError | undefined {
  const problem = storageProblem(cause)
  return problem && new ServiceError('INTERNAL_ERROR', `${problem.message} ${problem.next}`, { cause })
}

/**
 * Converts a thrown value to an answer: a refusal in the contract's terms, or an internal error whose cause is logged
 * but not sent.
 */
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

/**
 * Returns the seconds to wait. A limit on concurrent runs ends only with a run, so it gives none; others end with time.
 */
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
  /** Returns the methods that are declared for a path, and `HEAD` if `GET` is; none if the path is unknown. */
  methods(path: string): string[]
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/**
 * Creates a router for the contract's paths below the version prefix, with a trie for each method and number of
 * segments, built when it is first needed.
 */
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

/**
 * Returns a text that is equal for a declared path and the requests that may match it: the method and the number of
 * segments.
 */
function shapeOf(method: string, path: string): string {
  return `${method} ${path.split('/').length}`
}

function trieFor(endpoints: AnyEndpoint[]): TrieRouter<AnyEndpoint> {
  const trie = new TrieRouter<AnyEndpoint>()
  for (const endpoint of literalsFirst(endpoints))
    trie.add(endpoint.method, API_PREFIX + endpoint.path.replaceAll(/\{([^}]+)\}/g, ':$1'), endpoint)
  return trie
}

/** Sorts endpoints so that `…/capabilities` is matched before `…/{id}`. If two match, the one added first is used. */
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
