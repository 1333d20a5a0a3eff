import { createListeners } from '../../../lib/listeners.ts'
import { ApiError, connectionFault, isKeyRefusal } from '../errors/api-error.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { AnyEndpoint } from '../../contract/endpoint.ts'

/** A request that waits before it is repeated, as the service or the retry rule requires. */
export type Repeat = {
  endpoint: AnyEndpoint
  error: ApiError
  /** Time of the failure in epoch milliseconds. */
  since: number
  /** Time of the repeat in the clock's milliseconds. */
  at: number
}

type Exchange = {
  /** Reports that headers (no bytes) or a part of the body arrived. */
  received: (bytes: number) => void
  /** Reports that the request ended, with `answered` or its error. */
  ended: (outcome: unknown) => void
}

/** Facts about the connection to one service, from all requests of its client. */
export type ServiceMonitor = {
  /** Returns when the service last answered, even with a refusal, in epoch milliseconds. */
  lastAnswerAt: () => number | undefined
  /** Whether any request has succeeded so far, so that address, path and key are right. */
  hasSucceeded: () => boolean
  /** Returns since when requests in progress have received nothing, if that is long, in the clock's milliseconds. */
  silentSince: () => number | undefined
  /** Returns the bytes per second of the connection while it is slow. */
  slowLine: () => number | undefined
  repeat: () => Repeat | undefined
  /** Returns the write that waits for its repeat. */
  waitingWrite: () => Repeat | undefined
  /** Returns the service's refusal of the key, if nothing was answered since. */
  keyRefusal: () => ApiError | undefined
  /** Lets the next read use the key again. */
  tryKeyAgain: () => void
  begin: (endpoint: AnyEndpoint) => Exchange
  /** Shows a pause before a repeat until the returned function is called. */
  pausing: (repeat: Omit<Repeat, 'since'>) => () => void
  /** Calls the listener when silence, a repeat or a slow connection starts, continues or ends. */
  subscribe: (listener: () => void) => () => void
}

/** Milliseconds up to which a wait is not reported. */
const SILENCE_MS = 5_000
const LEAST_PAUSE_MS = 2_000

/** @param day the time of day; the other clock measures waits */
export function createServiceMonitor(clock: Clock, day = clock): ServiceMonitor {
  const { subscribe, notify: publish } = createListeners()
  const underWay = new Map<object, number>()
  const repeats = new Set<Repeat>()
  let lastAnswerAt: number | undefined
  let hasSucceeded = false
  let lastHeardAt = -Infinity
  let silentSince: number | undefined
  let keyRefusal: ApiError | undefined
  let cancel: (() => void) | undefined
  const meter = createLineMeter(clock.now)
  const look = (): void => {
    cancel?.()
    cancel = undefined
    const since = Math.max(lastHeardAt, Math.min(...underWay.values()))
    const silence = clock.now() - since
    const wasSilent = silentSince !== undefined
    silentSince = underWay.size > 0 && silence >= SILENCE_MS ? since : undefined
    if (underWay.size > 0) cancel = clock.after(SILENCE_MS - (silence % SILENCE_MS), look)
    if (wasSilent || silentSince !== undefined) publish()
  }
  const received = (): void => {
    lastHeardAt = clock.now()
    if (silentSince !== undefined) look()
  }
  const ended = (outcome: unknown): void => {
    const error = outcome instanceof ApiError ? outcome : undefined
    if (outcome !== 'answered' && !(error && isAnswer(error))) return
    received()
    lastAnswerAt = day.now()
    hasSucceeded ||= outcome === 'answered'
    keyRefusal = error && isKeyRefusal(error) ? error : undefined
  }
  return {
    lastAnswerAt: () => lastAnswerAt,
    hasSucceeded: () => hasSucceeded,
    silentSince: () => silentSince,
    slowLine: meter.slow,
    repeat: () => longest([...repeats]),
    waitingWrite: () => longest([...repeats].filter(({ endpoint }) => endpoint.risk !== 'read')),
    keyRefusal: () => keyRefusal,
    tryKeyAgain: () => (keyRefusal = undefined),
    begin(endpoint) {
      const id = {}
      // A request that is forwarded to an MCP server may be silent for long although the connection works.
      if (endpoint.deadlineMs === undefined) underWay.set(id, clock.now())
      if (underWay.size === 1) look()
      const arrival = meter.begin()
      return {
        received(bytes) {
          arrival.received(bytes)
          received()
        },
        ended(outcome) {
          const before = meter.slow()
          arrival.ended()
          if (meter.slow() !== before) publish()
          if (underWay.delete(id) && (underWay.size === 0 || silentSince !== undefined)) look()
          ended(outcome)
        },
      }
    },
    pausing(failed) {
      const repeat = { ...failed, since: day.now() }
      if (repeat.at - clock.now() < LEAST_PAUSE_MS) return () => undefined
      repeats.add(repeat)
      publish()
      return () => {
        repeats.delete(repeat)
        publish()
      }
    },
    subscribe,
  }
}

function longest(repeats: readonly Repeat[]): Repeat | undefined {
  return repeats.toSorted((one, other) => other.at - one.at)[0]
}

/**
 * Whether the service itself answered, as opposed to a web page, a proxy or nothing. "Unavailable" does not count as an
 * answer.
 */
function isAnswer(error: ApiError): boolean {
  const fault = connectionFault(error)
  if (fault !== undefined) return fault === 'key-refused'
  return error.kind === 'invalid-response' || (error.kind === 'http' && error.answer === 'contract')
}

/** One received body. Times are in milliseconds. */
type ArrivedBody = {
  bytes: number
  /** Time from the headers to the end: the minimum that the connection needed. */
  bodyMs: number
  /** Whole time minus that of the quickest headers so far: the maximum that the connection needed. */
  wholeMs: number
}

/**
 * Totals of the last bodies, in which older ones count less. `slow` is the speed in bytes per second while it is slow.
 */
type LineSpeed = ArrivedBody & { slow: number | undefined }

const UNKNOWN_SPEED: LineSpeed = { bytes: 0, bodyMs: 0, wholeMs: 0, slow: undefined }

/** Bytes per second below which a connection is slow, and above which it no longer is. */
const SLOW = 8 * 1024
const QUICK = 12 * 1024
/** Minimum size of a measured body in bytes. Smaller ones arrive in a piece or two, and do not show the speed. */
const LEAST_BYTES = 2 * 1024
/** Milliseconds in which bodies must have arrived before a connection is called slow. */
const LEAST_MS = 2_000
/** Weight of the earlier totals when another body is added. */
const KEPT = 0.7

/**
 * Returns the totals after one more body. The state changes only if a connection is certainly slow, or certainly fast
 * again.
 */
function nextSpeed(known: LineSpeed, body: ArrivedBody): LineSpeed {
  if (body.bytes < LEAST_BYTES) return known
  const bytes = KEPT * known.bytes + body.bytes
  const bodyMs = KEPT * known.bodyMs + body.bodyMs
  const wholeMs = KEPT * known.wholeMs + Math.max(body.bodyMs, body.wholeMs)
  const most = (bytes / bodyMs) * 1000
  const least = (bytes / wholeMs) * 1000
  const isSlow = known.slow === undefined ? bodyMs >= LEAST_MS && most < SLOW : least <= QUICK
  return { bytes, bodyMs, wholeMs, slow: isSlow ? Math.min(most, QUICK) : undefined }
}

type Arrival = {
  /** Reports the headers of an answer (no bytes), or a piece of its body. */
  received: (bytes: number) => void
  ended: () => void
}

/** Measures the connection by all bodies together, since they share it. Times are the clock's milliseconds. */
export function createLineMeter(now: () => number): { begin: () => Arrival; slow: () => number | undefined } {
  let speed = UNKNOWN_SPEED
  let quickestHeaders = Infinity
  let arriving = 0
  let since = 0
  let bytes = 0
  return {
    slow: () => speed.slow,
    begin() {
      const sentAt = now()
      let hasBegun = false
      return {
        received(piece) {
          if (!hasBegun) quickestHeaders = Math.min(quickestHeaders, now() - sentAt)
          if (!hasBegun && arriving === 0) [since, bytes] = [now(), 0]
          if (!hasBegun) arriving += 1
          hasBegun = true
          bytes += piece
        },
        ended() {
          if (!hasBegun) return
          arriving -= 1
          const wholeMs = now() - sentAt - quickestHeaders
          speed = nextSpeed(speed, { bytes, bodyMs: now() - since, wholeMs })
          ;[since, bytes] = [now(), 0]
        },
      }
    },
  }
}
