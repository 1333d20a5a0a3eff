import { ApiError, inCall, isMissing, refusal } from './errors/api-error.ts'
import { type Budget, createBudget } from './budget/budget.ts'
import { systemClock, wallClock } from '../../lib/clock.ts'
import type { ItemOf, AnyEndpoint, InputOf, OutputOf } from '../contract/endpoint.ts'
import { type Contract, contract } from '../contract/contract.ts'
import type { OnProgress } from '../contract/message.ts'
import type { Intent, Journal } from './journal/journal.ts'
import { pagesOf, type ListBounds } from './pages.ts'
import type { PreparedRequest } from './transport/request.ts'
import type { Answer } from './transport/response.ts'
import { defaultRetryRule, isRepeatable, type RetryRule, withRetry } from './transport/retry.ts'
import { createNegotiation } from './transport/vocabulary.ts'
import { createServiceMonitor, type ServiceMonitor } from './transport/service-monitor.ts'
import { sharedWait, createTransport, type Transport, type TransportOptions } from './transport/transport.ts'
import type { Priority } from './budget/waiting-queue.ts'
import type { Purpose } from './budget/gauge.ts'
import { resultOf } from './journal/entry.ts'

type Attempts = {
  /** Called just before a request may be sent. */
  leaving: () => void
  failed: (error: unknown) => void
}

export type ClientOptions = TransportOptions & {
  /** Budget that all clients of one key share. Default: a separate budget with the limits of the contract. */
  budget?: Budget
  /** Whether every request but a read is refused before it is sent. */
  readOnly?: boolean
  /**
   * Service name in `x-<service>-eval-vocabulary`. If given, the deployment is asked once for the vocabulary of its
   * reads.
   */
  negotiate?: string
  /** Records every write from before it is sent until its outcome is known. Reads are not recorded. */
  journal?: Journal
  retry?: Partial<RetryRule>
  /** Names the state that the answers of an operation depend on. A remote service cannot tell it. */
  stateOf?: (endpoint: AnyEndpoint) => string | undefined
  /** Aborts when the connections close. Failed requests are not repeated after that. */
  closing?: AbortSignal
  random?: () => number
}

export type CallOptions = {
  signal?: AbortSignal | undefined
  /** Priority in the request budget. Default: `foreground`, since a person waits for calls made by name. */
  priority?: Priority | undefined
  /** Owner of the request, such as a pane. Owners with the same priority take turns. */
  owner?: string | undefined
  /** Purpose of the request, if the priority does not tell it. */
  purpose?: Purpose | undefined
  /** Key of the caller's intent, kept across retries. Only for endpoints with `idempotency: 'header'`. */
  idempotencyKey?: string | undefined
  /** Milliseconds to wait while nothing of an answer arrives. */
  deadlineMs?: number | undefined
  /** Receives progress if a local workspace of this process does the work. Otherwise it is never called. */
  onProgress?: OnProgress | undefined
  /** Receives the time at which the request of an answer was sent, in epoch milliseconds. */
  leftAt?: ((at: number) => void) | undefined
  /**
   * Whether the caller knows that the call changes nothing, such as a call of a read-only tool. It then has no journal
   * entry, and its outcome is never in doubt.
   */
  changesNothing?: boolean | undefined
  /** Existing entry of this write in the journal. Without it the write gets a new one. */
  intent?: Intent | undefined
}

/** One operation as a function. The input may be omitted if nothing in it is required. */
type Call<E> =
  {} extends InputOf<E>
    ? (input?: InputOf<E>, options?: CallOptions) => Promise<OutputOf<E>>
    : (input: InputOf<E>, options?: CallOptions) => Promise<OutputOf<E>>

type ResourceCalls = {
  [R in keyof Contract]: { [N in keyof Contract[R]]: Call<Contract[R][N]> }
}

/** All operations of the contract. All rejections are {@link ApiError}. */
export type Client = ResourceCalls & {
  readonly budget: Budget
  readonly monitor: ServiceMonitor
  /**
   * Names the state that the answers depend on: the same state gives the same answer. Undefined if only a read can
   * tell.
   */
  stateOf: (endpoint: AnyEndpoint) => string | undefined
  call: <E extends AnyEndpoint>(endpoint: E, input: InputOf<E>, options?: CallOptions) => Promise<OutputOf<E>>
  /** Like `call`, but also returns the body as received. */
  exchange: <E extends AnyEndpoint>(endpoint: E, input: InputOf<E>, options?: CallOptions) => Promise<Answer<E>>
  /**
   * Reads all pages of a list, each when it is needed. A list that exceeds the bounds throws instead of being cut
   * short.
   */
  pages: <E extends AnyEndpoint>(
    endpoint: E,
    input: InputOf<E>,
    options?: CallOptions & { bounds?: ListBounds | undefined },
  ) => AsyncGenerator<OutputOf<E>, void>
  items: <E extends AnyEndpoint>(endpoint: E, input: InputOf<E>, options?: CallOptions) => Promise<ItemOf<E>[]>
}

/** Creates the client of one service and one key. */
export function createClient(options: ClientOptions): Client {
  const clock = options.clock ?? systemClock
  const budget = options.budget ?? createBudget({ clock })
  const rule = { ...defaultRetryRule, ...options.retry }
  const random = options.random ?? Math.random
  const transport = createTransport({ ...options, clock, onSame: () => budget.spare('same') })
  const monitor = createServiceMonitor(clock, options.clock ?? wallClock)
  // On a slow connection bodies are read one by one. A request that has become silent does not block the others.
  monitor.subscribe(() => budget.setOneByOne(monitor.slowLine() !== undefined && monitor.silentSince() === undefined))
  const exchange: Client['exchange'] = async (endpoint, input, call = {}) => {
    try {
      return await exchangeOnce(endpoint, input, call)
    } catch (error) {
      // Many deployments have no capabilities, so their 404 says nothing about the path.
      const mayLack = endpoint.operation === contract.capabilities.get.operation
      if (!isMissing(error) || mayLack || monitor.hasSucceeded()) throw error
      const { signal } = call
      const isWrongPath =
        endpoint.operation === contract.account.me.operation ||
        (await sharedWait(lacksAccount(call), { signal, endpoint }))
      throw isWrongPath ? new ApiError({ ...error, message: error.message, endpoint, isWrongPath }) : error
    }
  }
  /** A 404 before any other answer may come from a wrong base path. One further read decides. */
  let lacking: Promise<boolean> | undefined
  const lacksAccount = ({ priority, owner }: CallOptions): Promise<boolean> =>
    (lacking ??= exchange(contract.account.me, {}, { priority, owner }).then(
      () => false,
      error => {
        const isWrongPath = error instanceof ApiError && error.isWrongPath
        if (!isWrongPath) lacking = undefined
        return isWrongPath
      },
    ))
  const exchangeOnce: Client['exchange'] = async (endpoint, input, { priority = 'foreground', ...call } = {}) => {
    if (options.readOnly && endpoint.risk !== 'read')
      throw refusal('read-only', `Read-only: ${endpoint.operation} was not sent.`, { endpoint })
    const { signal } = call
    if (endpoint.local && !(await sharedWait(offered(), { signal, endpoint })).has(endpoint.operation))
      throw refusal('local-only', `${endpoint.operation} is offered by local workspaces only.`, { endpoint })
    const vocabulary =
      negotiated && endpoint.varies === 'eval-vocabulary'
        ? await sharedWait(negotiated(), { signal, endpoint })
        : undefined
    const request = transport.prepare(endpoint, input, call.idempotencyKey, vocabulary)
    const repeatable = isRepeatable(endpoint, call.idempotencyKey)
    const send = async (attempts?: Attempts) => {
      const attempt = () => sendWithPermit({ transport, budget, monitor }, request, { ...call, priority, attempts })
      const pausing = (error: ApiError, delay: number) => monitor.pausing({ endpoint, error, at: clock.now() + delay })
      const { closing } = options
      return await withRetry(attempt, { endpoint, repeatable, rule, clock, random, signal, closing, pausing })
    }
    if (endpoint.risk === 'read') {
      const refusal = priority === 'foreground' ? undefined : monitor.keyRefusal()
      if (refusal) throw inCall(refusal, endpoint, false)
      return await send()
    }
    if (call.changesNothing) {
      const harmless = { operation: endpoint.operation, risk: 'read' } as const
      return await send().catch((error: unknown) => {
        throw error instanceof ApiError ? new ApiError({ ...error, message: error.message, endpoint: harmless }) : error
      })
    }
    const note = async () =>
      endpoint.leavesNothing === undefined
        ? await options.journal?.begin({ endpoint, input, idempotencyKey: call.idempotencyKey })
        : undefined
    const { intent = await note() } = call
    return intent ? await recorded(intent, send) : await send()
  }
  const call: Client['call'] = async (endpoint, input, callOptions) =>
    (await exchange(endpoint, input, callOptions)).value
  const offered = createLocalOffer(() => call(contract.capabilities.get, {}))
  const negotiated =
    options.negotiate === undefined
      ? undefined
      : createNegotiation(options.negotiate, () => call(contract.capabilities.get, {}))
  const pages: Client['pages'] = (endpoint, input, { bounds, ...callOptions } = {}) =>
    pagesOf(
      endpoint,
      input,
      async pageInput => {
        const { value, text } = await exchange(endpoint, pageInput, callOptions)
        return { value, size: text.length }
      },
      bounds,
    )
  const items: Client['items'] = async (endpoint, input, callOptions) => {
    const all = []
    for await (const page of pages(endpoint, input, callOptions))
      for (const item of (page as { items: readonly ItemOf<typeof endpoint>[] }).items) all.push(item)
    return all
  }
  const { stateOf = () => undefined } = options
  return Object.assign(resourceCalls(call), { budget, monitor, stateOf, call, exchange, pages, items })
}

async function sendWithPermit<E extends AnyEndpoint>(
  { transport, budget, monitor }: { transport: Transport; budget: Budget; monitor: ServiceMonitor },
  request: PreparedRequest<E>,
  options: CallOptions & { attempts: Attempts | undefined },
): Promise<Answer<E>> {
  const { priority, owner, purpose, signal, deadlineMs, onProgress, attempts } = options
  const { endpoint } = request
  const cause = { what: endpoint.operation, purpose: endpoint.risk === 'read' ? purpose : ('write' as const) }
  const permit = await budget.acquire({ priority, owner, signal, ...cause })
  const exchange = monitor.begin(endpoint)
  try {
    attempts?.leaving()
    const at = Date.now()
    const answer = await transport.send(request, { signal, deadlineMs, onProgress, onBytes: exchange.received })
    exchange.ended('answered')
    options.leftAt?.(at)
    return answer
  } catch (error) {
    attempts?.failed(error)
    exchange.ended(error)
    if (error instanceof ApiError && error.limit === 'key-rate') permit.limited(error.retryAfterMs)
    if (error instanceof ApiError && error.kind === 'network' && !error.sent) permit.unused()
    throw error
  } finally {
    permit.release()
  }
}

/** Returns the functions of a resource, created when it is first used. */
function resourceCalls(call: Client['call']): ResourceCalls {
  const calls = {}
  for (const [name, endpoints] of Object.entries<Record<string, AnyEndpoint>>(contract)) {
    let made: Record<string, unknown> | undefined
    const make = () =>
      Object.fromEntries(
        Object.entries(endpoints).map(([key, endpoint]) => [
          key,
          (input: InputOf<AnyEndpoint> = {}, options?: CallOptions) => call(endpoint, input, options),
        ]),
      )
    Object.defineProperty(calls, name, { enumerable: true, get: () => (made ??= make()) })
  }
  return calls as ResourceCalls
}

/** Runs the attempts of a write under its entry in the journal. Answers and errors are passed on unchanged. */
async function recorded<T extends { value: unknown }>(
  intent: Intent,
  send: (attempts: Attempts) => Promise<T>,
): Promise<T> {
  let left = false
  // After a lost answer a later refusal proves nothing, since the earlier attempt may have had an effect.
  let doubtful = false
  const attempts: Attempts = {
    leaving() {
      if (!left) intent.sent()
      left = true
    },
    failed(error) {
      doubtful ||= !(error instanceof ApiError) || error.leavesDoubt
    },
  }
  let answer: T
  try {
    answer = await send(attempts)
  } catch (error) {
    const code = error instanceof ApiError ? (error.code ?? error.kind) : 'fault'
    intent.settle({ outcome: doubtful ? 'unknown' : 'refused', code })
    throw error
  }
  intent.settle({ outcome: 'succeeded', result: resultOf(answer.value) })
  return answer
}

const NONE: ReadonlySet<string> = new Set()

/** Reads once which local operations a deployment offers; none without capabilities. Other failures are retried. */
export function createLocalOffer(readCapabilities: () => Promise<unknown>): () => Promise<ReadonlySet<string>> {
  let known: Promise<ReadonlySet<string>> | undefined
  const ask = async (): Promise<ReadonlySet<string>> => {
    try {
      const { local } = (await readCapabilities()) as { local?: unknown }
      return new Set(Array.isArray(local) ? local.filter(name => typeof name === 'string') : [])
    } catch (error) {
      if (isMissing(error)) return NONE
      known = undefined
      throw error
    }
  }
  return () => (known ??= ask())
}
