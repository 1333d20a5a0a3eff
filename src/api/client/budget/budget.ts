import { abortedError } from '../errors/api-error.ts'
import {
  accepted,
  advanced,
  pacedRule,
  paused,
  resume,
  sharersOf,
  slowed,
  type BucketRule,
  timeUntil,
  countRefused,
  countSettled,
  type Entry,
  type Ledger,
  memoryLedger,
} from './account.ts'
import { type Clock, systemClock, wallClock } from '../../../lib/clock.ts'
import { jitterOf, thisMachine } from '../../../lib/machine.ts'
import { Gauge, type BudgetReport, type Cause, type Purpose, type Spared } from './gauge.ts'
import { type Sharing, SharedLedger } from './shared-ledger.ts'
import { pausedTooLong, takePermit, type PermitDecision, type Priority, WaitingLine } from './waiting-queue.ts'

export type BudgetOptions = {
  /** Number of requests at once (contract: burst 10). */
  capacity?: number
  /** Average number of requests per second (contract: 60 per minute). */
  refillPerSecond?: number
  /** Whether the service is in the same process, so that requests are only counted. */
  unlimited?: boolean
  /** Shares the budget with other processes. Default: the budget is for this process alone. */
  sharing?: Sharing
  /** Longest pause that a caller waits for, in milliseconds. */
  longestPauseMs?: number
  clock?: Clock
  /**
   * Random numbers that spread pauses. Default: a series that differs between machines and is always the same on one
   * machine.
   */
  random?: () => number
}

export type BudgetSnapshot = {
  /** Number of requests that could be sent now. */
  tokens: number
  capacity: number
  unlimited: boolean
  waiting: number
  /** Number of requests of all processes that were sent and not yet answered or failed. */
  inFlight: number
  /** End of a pause that the service requested, in epoch milliseconds. */
  pausedUntil: number | undefined
  pollers: number
  /**
   * Steady rate that is currently assumed. After a refusal it is lower than the rate of the key, because others use the
   * key too.
   */
  refillPerSecond: number
  slowed: boolean
}

export type Permit = {
  /** Reports that the request was answered or failed. Further calls do nothing. */
  release: () => void
  /** Reports that the request was never sent, such as for a refused connection. It then costs nothing. */
  unused: () => void
  /** Reports that the service refused because of the key's rate. Empties the budget and pauses it. */
  limited: (retryAfterMs: number | undefined) => void
}

type AcquireOptions = {
  priority?: Priority | undefined
  /** Owner of the request, such as a pane. Owners with the same priority take turns. */
  owner?: string | undefined
  /** Name of the operation, for lists of waiting requests. */
  what?: string | undefined
  /** Default: derived from the priority. */
  purpose?: Purpose | undefined
  signal?: AbortSignal | undefined
}

export type Budget = {
  /** Waits for the right to send one request. @throws ApiError `aborted`, or `refused` with code `rate-paused` */
  acquire: (options?: AcquireOptions) => Promise<Permit>
  subscribe: (listener: () => void) => () => void
  /** Returns the gauge, the same object until something changes. */
  snapshot: () => BudgetSnapshot
  /** Counts one more poller, which shares the steady rate, until the returned function is called. */
  startPolling: () => () => void
  /** Attributes later requests to this screen or command. */
  placeIs: (place: string) => void
  /** Counts an event that needed no request. */
  spare: (kind: keyof Spared) => void
  report: () => BudgetReport
  /** Slows the display of other processes' requests by this factor. */
  setRest: (factor: number) => void
  /** Sets whether background requests are sent one at a time. */
  setOneByOne: (oneByOne: boolean) => void
  /**
   * Ends the pause of the key on this machine.
   * @returns whether there was one; undefined if the shared account is unreachable
   */
  reset: () => boolean | undefined
  /** Leaves a shared budget. Later requests count for this process only. */
  close: () => void
}

type Waiting = {
  priority: Priority
  owner: string
  cause: Cause
  what: string
  since: number
  grant: (pause: number) => void
  refuse: (retryAfterMs: number) => void
}

const MINUTE_MS = 60_000
const BACKOFF_BASE_MS = 2_000
const BACKOFF_CAP_MS = 60_000
/** Milliseconds within which requests of other processes are shown while someone is there. */
const OTHERS_SHOWN_MS = 1_000

/**
 * Creates the budget, which is the only way to a service: every request of a key takes a permit here. Its bucket never
 * holds more than the service's own (see `refilled`), so only users of the key on other machines can cause a 429.
 */
export function createBudget(options: BudgetOptions = {}): Budget {
  return new RequestBudget(options)
}

class RequestBudget implements Budget {
  readonly #rule: { capacity: number; refillPerSecond: number }
  readonly #unlimited: boolean
  readonly #longestPauseMs: number
  readonly #clock: Clock
  readonly #random: () => number
  readonly #line = new WaitingLine<Waiting>()
  readonly #gauge: Gauge<BudgetSnapshot>
  readonly #ledger: Ledger
  #cancelGrant: (() => void) | undefined
  #rest = 1
  #isOneByOne = false
  /** Number of requests in flight that nobody is waiting for. */
  #unawaited = 0
  #place = 'mcpdeck'
  readonly #spared: Spared = { fresh: 0, same: 0, pages: 0, givenUp: 0 }

  constructor(options: BudgetOptions) {
    this.#unlimited = options.unlimited ?? false
    this.#rule = { capacity: options.capacity ?? 10, refillPerSecond: options.refillPerSecond ?? 1 }
    this.#longestPauseMs = options.longestPauseMs ?? MINUTE_MS
    this.#clock = options.clock ?? wallClock
    this.#random = options.random ?? jitterOf(options.sharing?.machine ?? thisMachine)
    this.#ledger = options.sharing
      ? new SharedLedger(options.sharing, this.#rule, this.#clock)
      : memoryLedger(this.#rule, (options.clock ?? systemClock).now)
    const measured = { measure: () => this.#measure(), nextChange: () => this.#nextChange() }
    this.#gauge = new Gauge({ ...measured, clock: this.#clock })
  }

  acquire = (options: AcquireOptions = {}): Promise<Permit> => {
    const { priority = 'visible', owner = '', signal, what = '', purpose = priority } = options
    const cause = { place: this.#place, purpose }
    if (signal?.aborted) return Promise.reject(abortedError(false))
    const { promise, resolve, reject } = Promise.withResolvers<Permit>()
    const leave = () => {
      this.#line.remove(waiting)
      this.spare('givenUp')
      reject(abortedError(false))
      this.#serve()
    }
    const waiting: Waiting = {
      priority,
      owner,
      cause,
      what,
      since: this.#clock.now(),
      grant: pause => {
        signal?.removeEventListener('abort', leave)
        resolve(this.#permit(pause, cause, priority !== 'foreground'))
      },
      refuse: retryAfterMs => {
        signal?.removeEventListener('abort', leave)
        reject(pausedTooLong(retryAfterMs))
      },
    }
    signal?.addEventListener('abort', leave, { once: true })
    this.#line.add(waiting)
    if (this.#line.peek() === waiting) this.#serve()
    else this.#gauge.publish()
    return promise
  }

  subscribe = (listener: () => void) => this.#gauge.subscribe(listener)
  snapshot = () => this.#gauge.read()

  startPolling = (): (() => void) => {
    const count = (by: number) => {
      this.#ledger.update(entry => {
        entry.own = { ...entry.own, pollers: entry.own.pollers + by }
      })
      this.#gauge.publish()
    }
    let polling = true
    count(1)
    return () => {
      if (polling) count(-1)
      polling = false
    }
  }

  placeIs = (place: string): void => {
    this.#place = place
  }

  spare = (kind: keyof Spared): void => {
    this.#spared[kind] += 1
  }

  report = (): BudgetReport => {
    const now = this.#clock.now()
    const ledgerNow = this.#ledger.now()
    return {
      second: Math.floor(ledgerNow / 1000),
      spent: this.#ledger.spent(),
      waiting: this.#line.all().map(({ cause, what, since }) => ({ ...cause, what, sinceMs: now - since })),
      othersWaiting: this.#ledger.read().others.filter(({ claim }) => claim && claim.until > ledgerNow).length,
      lost: this.#ledger.lost,
      spared: { ...this.#spared },
    }
  }

  setRest = (factor: number): void => {
    this.#rest = factor
    this.#gauge.publish()
  }

  setOneByOne = (oneByOne: boolean): void => {
    if (oneByOne === this.#isOneByOne) return
    this.#isOneByOne = oneByOne
    this.#serve()
  }

  reset = (): boolean | undefined => {
    const wasPaused = this.#change(resume)
    this.#serve()
    return this.#ledger.lost ? undefined : wasPaused
  }

  close = (): void => {
    this.#ledger.close()
    this.#serve()
  }

  #measure(): BudgetSnapshot {
    const { now, entry } = this.#look()
    const { bucket, own, others, pace } = entry
    const paused = bucket.at > now
    const ready = this.#unlimited ? Infinity : Math.floor(bucket.level)
    return {
      tokens: paused ? 0 : ready,
      capacity: this.#unlimited ? Infinity : this.#rule.capacity,
      unlimited: this.#unlimited,
      waiting: this.#line.size,
      inFlight: bucket.inFlight,
      pausedUntil: paused ? this.#clock.now() + bucket.at - now : undefined,
      pollers: others.reduce((sum, other) => sum + other.pollers, own.pollers),
      refillPerSecond: pacedRule(entry, this.#rule).refillPerSecond,
      slowed: pace < 1,
    }
  }

  #look(): { now: number; entry: Entry } {
    const entry = this.#ledger.read()
    const now = this.#ledger.now()
    return { now, entry: advanced(entry, now, this.#rule) }
  }

  #change<T>(step: (entry: Entry, now: number) => T): T {
    return this.#ledger.update(entry => {
      const now = this.#ledger.now()
      Object.assign(entry, advanced(entry, now, this.#rule))
      return step(entry, now)
    })
  }

  /** Grants permits to all requests that may be sent, then schedules the next check. */
  #serve(): void {
    this.#cancelGrant?.()
    this.#cancelGrant = undefined
    for (let next = this.#line.peek(); next; next = this.#line.peek()) {
      if (this.#isOneByOne && this.#unawaited > 0 && next.priority !== 'foreground') break
      const turn = this.#turnOf(next)
      if (turn.kind === 'go') this.#line.shift()?.grant(turn.pause)
      else if (turn.kind === 'refused') this.#line.shift()?.refuse(turn.retryAfterMs)
      else {
        const { wakeMs } = turn
        if (wakeMs !== undefined) this.#cancelGrant = this.#clock.after(wakeMs, () => this.#serve())
        break
      }
    }
    if (this.#line.size === 0) this.#withdrawClaim()
    this.#gauge.publish()
  }

  #turnOf(waiting: Waiting): PermitDecision {
    const { changesWithinMs, reached } = this.#ledger
    return this.#change((entry, now) =>
      takePermit(entry, now, waiting, {
        rule: this.#rule,
        unlimited: this.#unlimited,
        longestPauseMs: this.#longestPauseMs,
        othersWithinMs: changesWithinMs,
        othersReached: reached,
      }),
    )
  }

  #withdrawClaim(): void {
    if (!this.#ledger.read().own.claim) return
    this.#ledger.update(entry => {
      entry.own = { ...entry.own, claim: undefined }
    })
  }

  /** @param pause number of pauses when the request was sent */
  #permit(pause: number, cause: Cause, isUnawaited: boolean): Permit {
    let open = true
    if (isUnawaited) this.#unawaited += 1
    const close = (
      settle: (entry: Entry, now: number) => void,
      returning?: (entry: Entry) => BucketRule | undefined,
    ) => {
      if (!open) return
      open = false
      if (isUnawaited) this.#unawaited -= 1
      this.#change((entry, now) => {
        countSettled(entry, returning?.(entry))
        settle(entry, now)
      })
      this.#serve()
    }
    return {
      release: () =>
        close((entry, now) => {
          if (pause === entry.pauses) Object.assign(entry, accepted(entry, now))
        }),
      unused: () =>
        close(
          () => undefined,
          // If a later pause began, the bucket gets a single token when it ends, and no token is returned.
          entry => (pause === entry.pauses ? this.#rule : undefined),
        ),
      limited: retryAfterMs =>
        close((entry, now) => {
          countRefused(entry, now, cause)
          this.#pause(entry, now, { isNews: pause === entry.pauses, retryAfterMs })
        }),
    }
  }

  #pause(
    entry: Entry,
    now: number,
    { isNews, retryAfterMs }: { isNews: boolean; retryAfterMs: number | undefined },
  ): void {
    if (isNews) Object.assign(entry, slowed(entry, now))
    else if (retryAfterMs === undefined) return
    const wait = retryAfterMs ?? this.#backoff(entry.refusalsInARow)
    const spread = Math.min(this.#spread(entry), Math.max(0, this.#longestPauseMs - wait))
    Object.assign(entry, paused(entry, now + wait + spread, now))
  }

  /**
   * Returns a random time between half and all of a doubling pause. It is never zero, because the service has just
   * refused.
   */
  #backoff(refusalsInARow: number): number {
    const most = Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** (refusalsInARow - 1))
    return (most * (1 + this.#random())) / 2
  }

  /** After a pause the service has one token for all refused requests, so they are repeated one after the other. */
  #spread(entry: Entry): number {
    return (this.#random() * (sharersOf(entry) - 1) * 1000) / this.#rule.refillPerSecond
  }

  /**
   * Returns the milliseconds until something changes by time alone: tokens refill, a pause ends, or others may have
   * changed a shared entry.
   */
  #nextChange(): number | undefined {
    const { now, entry } = this.#look()
    const { bucket } = entry
    const nextToken = Math.floor(bucket.level) + 1
    const changes = [
      this.#unlimited ? undefined : timeUntil(bucket, nextToken, now, pacedRule(entry, this.#rule)),
      bucket.at > now ? bucket.at - now : undefined,
      this.#ledger.changesWithinMs && this.#rest * OTHERS_SHOWN_MS,
    ].filter(change => change !== undefined)
    return changes.length > 0 ? Math.min(...changes) : undefined
  }
}
