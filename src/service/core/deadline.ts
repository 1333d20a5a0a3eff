import { ServiceError } from './errors.ts'

/** One time limit for everything that an operation does, such as connecting, sending requests and reading all pages. */
export type Deadline = {
  /** Aborts when the time is up or the caller gives up. Its reason is the error to throw. */
  readonly signal: AbortSignal
  readonly expired: boolean
  stage: string
  /** Returns further sentences for the message of the error. */
  remark?: (() => string) | undefined
  /** The deadline of shared work that the operation waits for. Its stage describes what is being done. */
  shared?: Deadline | undefined
  cancel(reason: ServiceError): void
  /**
   * Pauses the time limit while the server waits for a person. It continues when all returned functions were called.
   */
  hold(): () => void
  /** Restarts the time limit, for example when progress is reported. The total is at most {@link LONGEST_MS}. */
  prolong(): void
  /** Must be called at the end of the operation, so that no timer remains. */
  end(): void
}

/** Longest duration in milliseconds to which progress can extend an operation. */
export const LONGEST_MS = 60 * 60_000

/**
 * Starts a deadline. @param ms milliseconds until `TIMEOUT` @param signal the caller's signal, whose reason is passed
 * on
 */
export function startDeadline(ms: number, serverName: string, signal?: AbortSignal): Deadline {
  const controller = new AbortController()
  let expired = false
  const expire = () => {
    expired = true
    const { stage, remark } = deadline.shared ?? deadline
    const waitedFor = `${ms / 1000} s while waiting for ${stage}`
    const message = `The server "${serverName}" did not answer within ${waitedFor}. ${remark?.() ?? ''}`
    controller.abort(new ServiceError('TIMEOUT', message.trimEnd()))
  }
  const giveUp = () => controller.abort(signal?.reason)
  let remaining = ms
  const began = performance.now()
  let startedAt = began
  let holders = 0
  let hasEnded = false
  let timer = setTimeout(expire, ms)
  const deadline: Deadline = {
    signal: controller.signal,
    get expired() {
      return expired
    },
    stage: 'the connection',
    cancel: reason => controller.abort(reason),
    hold() {
      if (holders === 0) {
        clearTimeout(timer)
        remaining -= performance.now() - startedAt
      }
      holders += 1
      let isHeld = true
      return () => {
        if (isHeld) holders -= 1
        if (isHeld && holders === 0 && !hasEnded) {
          startedAt = performance.now()
          timer = setTimeout(expire, remaining)
        }
        isHeld = false
      }
    },
    prolong() {
      if (hasEnded || expired) return
      startedAt = performance.now()
      remaining = Math.min(ms, began + LONGEST_MS - startedAt)
      if (holders > 0) return
      clearTimeout(timer)
      timer = setTimeout(expire, remaining)
    },
    end() {
      hasEnded = true
      clearTimeout(timer)
      signal?.removeEventListener('abort', giveUp)
    },
  }
  if (signal?.aborted) giveUp()
  else signal?.addEventListener('abort', giveUp, { once: true })
  return deadline
}

/**
 * Returns the promise's outcome, or rejects with the signal's reason as soon as it aborts. The work behind the promise
 * continues, but nothing waits for it.
 */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: (() => void) | undefined
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    if (stop) signal.removeEventListener('abort', stop)
  }
}

export async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>(resolve => {
    timer = setTimeout(() => resolve(false), ms)
  })
  const settled = promise.then(
    () => true,
    () => true,
  )
  try {
    return await Promise.race([settled, late])
  } finally {
    clearTimeout(timer)
  }
}
