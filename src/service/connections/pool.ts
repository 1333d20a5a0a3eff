import { createHash } from 'node:crypto'
import { ServiceError } from '../core/errors.ts'
import { startDeadline, untilAborted, type Deadline } from '../core/deadline.ts'
import type { PendingWork, ServerTarget } from './types.ts'
import type { Session } from './session.ts'

/** A session lent for one task. */
export type Lease = {
  readonly session: Session
  /** Whether the session was already open. It may then have broken without a sign. */
  readonly reused: boolean
  /** Returns the session to the pool. A session that has ended is not lent again. */
  release(): void
}

/** Open sessions, one per server and configuration, kept for a while after use. */
export type Pool = {
  acquire(target: ServerTarget, deadline: Deadline): Promise<Lease>
  /** Ends the sessions of one server once their work is done, for example after its settings changed. */
  drop(serverId: string): void
  /** Ends the sessions of one server at once. Work in progress fails with the reason. */
  end(serverId: string, reason: ServiceError): Promise<void>
  /** Ends every session, even one in use. Adds the closing to the pending work. Nothing is lent afterwards. */
  close(): void
}

export type PoolOptions = {
  pending: PendingWork
  /** Milliseconds that an unused session stays open. */
  idleMs: number
  /**
   * Returns for how many further milliseconds an unused session stays open. Called when the session would end.
   * `Infinity` means until the pool closes.
   */
  keptMs?: (serverId: string) => number
  deadlineMs: (target: ServerTarget) => number
  open: (target: ServerTarget, deadline: Deadline) => Promise<Session>
}

type Entry = {
  readonly serverId: string
  readonly opening: Promise<Session>
  readonly deadline: Deadline
  /** Aborts connecting if nobody waits for the connection any more. */
  readonly abandon: AbortController
  session?: Session
  users: number
  discarded: boolean
  idleTimer?: NodeJS.Timeout
}

export function createPool({ pending, idleMs, keptMs = () => 0, deadlineMs, open }: PoolOptions): Pool {
  const lendable = new Map<string, Entry>()
  const entries = new Set<Entry>()
  const endings = new Map<string, Promise<void>>()
  let isClosed = false

  /** Stops lending the session, and ends it once nobody uses it. */
  const discard = (key: string, entry: Entry) => {
    entry.discarded = true
    if (lendable.get(key) === entry) lendable.delete(key)
    if (entry.users === 0) void end(entry)
  }

  const end = (entry: Entry, reason?: ServiceError): Promise<unknown> => {
    clearTimeout(entry.idleTimer)
    entries.delete(entry)
    const ending = entry.session ? entry.session.close(reason) : entry.opening.catch(() => undefined)
    if (entry.session) pending.add(ending)
    else entry.abandon.abort(reason ?? unwanted())
    return ending
  }

  const begin = (key: string, target: ServerTarget): Entry => {
    const abandon = new AbortController()
    const deadline = startDeadline(deadlineMs(target), target.name, abandon.signal)
    const begun = endings.get(target.id)?.then(() => open(target, deadline)) ?? open(target, deadline)
    const opening = begun.finally(() => deadline.end())
    const entry: Entry = { serverId: target.id, opening, deadline, abandon, users: 0, discarded: false }
    lendable.set(key, entry)
    entries.add(entry)
    pending.add(
      opening.then(
        session => {
          entry.session = session
          session.onEnd(() => discard(key, entry))
          return entries.has(entry) ? undefined : session.close()
        },
        () => discard(key, entry),
      ),
    )
    return entry
  }

  const release = (key: string, entry: Entry, wanted: boolean) => {
    entry.users -= 1
    if (!wanted) discard(key, entry)
    else if (entry.users === 0 && entry.discarded) void end(entry)
    else if (entry.users === 0) endAfter(key, entry, idleMs)
  }

  const endAfter = (key: string, entry: Entry, ms: number) => {
    if (ms === Infinity) return
    const endOrWait = () => {
      const more = entry.session?.isAwaited() ? idleMs : keptMs(entry.serverId)
      if (more > 0) endAfter(key, entry, more)
      else discard(key, entry)
    }
    entry.idleTimer = setTimeout(endOrWait, ms).unref()
  }

  return {
    async acquire(target, deadline) {
      if (isClosed) throw unwanted()
      const key = keyOf(target)
      const reused = lendable.get(key)?.session !== undefined
      const entry = lendable.get(key) ?? begin(key, target)
      clearTimeout(entry.idleTimer)
      entry.users += 1
      deadline.shared = entry.deadline
      try {
        const session = await untilAborted(entry.opening, deadline.signal)
        let released = false
        return {
          session,
          reused,
          release() {
            if (!released) release(key, entry, true)
            released = true
          },
        }
      } catch (error) {
        // Others may wait for the same connection, so it is kept if one caller gives up.
        release(key, entry, entry.users > 1)
        throw error
      } finally {
        deadline.stage = entry.deadline.stage
        deadline.shared = undefined
      }
    },
    drop(serverId) {
      for (const [key, entry] of lendable) if (entry.serverId === serverId) discard(key, entry)
    },
    async end(serverId, reason) {
      for (const [key, entry] of lendable) if (entry.serverId === serverId) lendable.delete(key)
      const own = [...entries].filter(entry => entry.serverId === serverId)
      const all = Promise.allSettled([endings.get(serverId), ...own.map(entry => end(entry, reason))])
      const ending = all.then(() => undefined)
      endings.set(serverId, ending)
      await ending
      if (endings.get(serverId) === ending) endings.delete(serverId)
    },
    close() {
      isClosed = true
      lendable.clear()
      for (const entry of entries) void end(entry)
    },
  }
}

function unwanted(): ServiceError {
  return new ServiceError('SERVER_UNREACHABLE', 'The connection is no longer wanted.')
}

function sortedEntries(record: Record<string, string>): [string, string][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Returns the key of a server and its configuration. It is a hash, because it is kept longer than the secrets. */
function keyOf({ id, transport }: ServerTarget): string {
  const config =
    transport.type === 'stdio'
      ? [transport.command, transport.args, sortedEntries(transport.env)]
      : [transport.url, sortedEntries(transport.headers)]
  return `${id} ${createHash('sha256').update(JSON.stringify(config)).digest('base64url')}`
}
