import { BOUNDS } from '../../../lib/bounds.ts'
import { ApiError, abortedError } from '../errors/api-error.ts'
import { type Clock, systemClock } from '../../../lib/clock.ts'
import type { AnyEndpoint, InputOf } from '../../contract/endpoint.ts'
import type { OnProgress } from '../../contract/message.ts'
import type { Fetch } from './fetch.ts'
import { createLastAnswers, type LastAnswers } from './last-answers.ts'
import { networkError } from '../errors/network-fault.ts'
import { type PreparedRequest, prepareRequest, type RequestTarget } from './request.ts'
import { readServiceTime } from './service-time.ts'
import type { Vocabulary } from './vocabulary.ts'
import { type Answer, httpError, invalidResponse, parseAnswer, readText } from './response.ts'

export type Deprecation = {
  endpoint: AnyEndpoint
  /** The `Link` header, which names the successor of some paths. */
  link: string | undefined
}

export type TransportOptions = RequestTarget & {
  fetch: Fetch
  /** Milliseconds to wait while nothing of an answer arrives. */
  deadlineMs?: number
  /** Minimum deadline of requests that are forwarded to an MCP server, in milliseconds. */
  serverDeadlineMs?: number
  /** Maximum number of decoded bytes of any answer, whatever its endpoint allows. */
  maxResponseBytes?: number
  clock?: Clock
  /** Called for each answer with a `Deprecation` header. */
  onDeprecation?: (deprecation: Deprecation) => void
  /** Called for each answer that has the same text as the previous one. */
  onSame?: () => void
}

type SendOptions = {
  signal?: AbortSignal | undefined
  deadlineMs?: number | undefined
  onProgress?: OnProgress | undefined
  /** Called for the headers of an answer, and for each piece of its body. */
  onBytes?: (bytes: number) => void
}

export type Transport = {
  /** Validates an input and builds its request; see {@link prepareRequest}. */
  prepare: <E extends AnyEndpoint>(
    endpoint: E,
    input: InputOf<E>,
    idempotencyKey?: string,
    vocabulary?: Vocabulary,
  ) => PreparedRequest<E>
  /** Sends a request once; every rejection is an {@link ApiError}. */
  send: <E extends AnyEndpoint>(request: PreparedRequest<E>, options?: SendOptions) => Promise<Answer<E>>
}

/** Milliseconds without an answer after which a request is aborted. */
export const DEADLINE_MS = 30_000
const MAX_RESPONSE_BYTES = BOUNDS.answer.most
/** Maximum number of bytes that are read of an error body. */
const MAX_ERROR_BYTES = 256 * 1024

/**
 * Creates the transport: one endpoint and one input make one request and one answer. Retries and rates belong to the
 * client.
 */
export function createTransport(options: TransportOptions): Transport {
  const { clock = systemClock, deadlineMs = DEADLINE_MS, serverDeadlineMs = 0 } = options
  const deadlineOf = (endpoint: AnyEndpoint) =>
    endpoint.deadlineMs === undefined ? deadlineMs : Math.max(endpoint.deadlineMs, serverDeadlineMs)
  const last = createLastAnswers(options.onSame)
  const hideKey = (text: string) => (options.key ? text.replaceAll(options.key, '[key]') : text)
  return {
    prepare: (endpoint, input, idempotencyKey, vocabulary = options.vocabulary) =>
      prepareRequest({ ...options, vocabulary }, endpoint, input, idempotencyKey),
    send: (request, limits = {}) => {
      const { endpoint } = request
      const ms = limits.deadlineMs ?? deadlineOf(endpoint)
      return withDeadline({ ms, clock, signal: limits.signal, endpoint }, (signal, restart) => {
        const report = (bytes: number) => {
          restart()
          limits.onBytes?.(bytes)
        }
        // Reported progress shows that the request is being worked on.
        const onProgress: OnProgress | undefined =
          limits.onProgress &&
          (progress => {
            restart()
            limits.onProgress?.(progress)
          })
        return exchange(request, signal, { ...options, clock }, { hideKey, last, onBytes: report, onProgress })
      })
    },
  }
}

type Reception = Pick<SendOptions, 'onProgress'> & {
  hideKey: (text: string) => string
  last: LastAnswers
  onBytes: (bytes: number) => void
}

async function exchange<E extends AnyEndpoint>(
  request: PreparedRequest<E>,
  signal: AbortSignal,
  options: TransportOptions & { clock: Clock },
  { hideKey, last, onBytes, onProgress }: Reception,
): Promise<Answer<E>> {
  const { endpoint, url, headers, body } = request
  const asNetworkError = (error: unknown): never => {
    throw error instanceof ApiError ? error : networkError(error, endpoint, hideKey)
  }
  const sentAt = options.clock.now()
  const { method } = endpoint
  const response = await options.fetch({ method, url, headers, body, signal, onProgress }).catch(asNetworkError)
  onBytes(0)
  const took = options.clock.now() - sentAt
  const receivedAt = Date.now()
  const received = { endpoint, response, hideKey }
  if (response.headers.has('deprecation'))
    options.onDeprecation?.({ endpoint, link: response.headers.get('link') ?? undefined })
  if (response.status < 200 || response.status > 299) {
    // The status alone already says what happened, so an incomplete body is no second error.
    const { text } = await readText(response, MAX_ERROR_BYTES, onBytes).catch(() => ({ text: '' }))
    throw httpError({ ...received, keySource: options.keySource }, text)
  }
  const limit = options.maxResponseBytes ?? endpoint.maxAnswerBytes ?? MAX_RESPONSE_BYTES
  const { text, complete } = await readText(response, limit, onBytes).catch(asNetworkError)
  if (!complete) throw invalidResponse(received, 'too-large', `The answer is larger than ${limit} bytes.`)
  const answer = parseAnswer(received, text, url, last)
  readServiceTime(response.headers, receivedAt - took, receivedAt)
  return answer
}

/** Maximum number of deadlines that an answer may take while parts of it arrive. */
const MOST_DEADLINES = 20

/**
 * Runs work with a deadline on inactivity, which `restart` restarts. It settles after twenty deadlines in any case,
 * even if the work ignores its signal.
 */
export async function withDeadline<T>(
  limits: { ms: number; clock: Clock; signal?: AbortSignal | undefined; endpoint: AnyEndpoint },
  work: (signal: AbortSignal, restart: () => void) => Promise<T>,
): Promise<T> {
  const { ms, clock, signal, endpoint } = limits
  if (signal?.aborted) throw abortedError(false, endpoint)
  const controller = new AbortController()
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const stop = (error: ApiError) => {
    reject(error)
    controller.abort(error)
  }
  const giveUp = () => stop(abortedError(true, endpoint))
  const stopAfter = (time: number, message: string) => clock.after(time, () => stop(deadlineError(message, endpoint)))
  const silence = () => stopAfter(ms, `Nothing arrived for ${ms / 1000} s.`)
  let cancelSilence = silence()
  let hasEnded = false
  const restart = () => {
    cancelSilence()
    // An answer that nobody waits for must not keep the process alive while it arrives.
    if (!hasEnded) cancelSilence = silence()
  }
  const whole = ms * MOST_DEADLINES
  const cancelWhole = stopAfter(whole, `The answer was not complete after ${whole / 1000} s.`)
  signal?.addEventListener('abort', giveUp, { once: true })
  try {
    return await Promise.race([work(controller.signal, restart), stopped])
  } finally {
    hasEnded = true
    cancelSilence()
    cancelWhole()
    signal?.removeEventListener('abort', giveUp)
  }
}

/** Waits for a shared request. A signal ends only its own caller's wait. @throws ApiError of kind `aborted` */
export async function sharedWait<T>(
  work: Promise<T>,
  { signal, endpoint }: { signal?: AbortSignal | undefined; endpoint: AnyEndpoint },
): Promise<T> {
  if (!signal) return await work
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const giveUp = () => reject(abortedError(false, endpoint))
  if (signal.aborted) giveUp()
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    return await Promise.race([work, stopped])
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

function deadlineError(message: string, endpoint: AnyEndpoint): ApiError {
  return new ApiError({ kind: 'timeout', code: 'deadline', message, endpoint, sent: true })
}
