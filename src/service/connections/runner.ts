import { shownWords } from '../../lib/redaction/shown-words.ts'
import { defined } from '../../lib/json.ts'
import { ServiceError } from '../core/errors.ts'
import { startDeadline, type Deadline } from '../core/deadline.ts'
import { redactedUrl } from '../core/urls.ts'
import type { EarlyStart } from './early-start.ts'
import { createGuardian } from './guardian.ts'
import type { ServerEnding } from './server-process.ts'
import { createPendingWork, DEADLINE_MS, MAX_DEADLINE_MS, type ServerTarget, type StartedSession } from './types.ts'
import type { Live } from './live.ts'
import { createPool, type Lease, type Pool, type PoolOptions } from './pool.ts'
import type { Traffic } from './traffic.ts'
import type { ServerRequests } from './server-requests.ts'
import { openSession, type Session, type SessionSettings } from './session.ts'

export type ConnectionsOptions = {
  /** Deadline of an operation in milliseconds for servers that set none. Default 30 000. */
  deadlineMs?: number
  /** Milliseconds that an unused session stays open. Default 30 000. */
  idleMs?: number
  /**
   * Milliseconds for which a connection stays open after a tool call, and after its state was read later. Default one
   * hour.
   */
  heldMs?: number | undefined
  clientName?: string
  clientVersion?: string
  /** Longest message that a server may send, in bytes. Default 8 MiB. */
  maxResultBytes?: number
  /** A program that is already running and is used for the first session. */
  early?: EarlyStart | undefined
  /**
   * Which process ends the programs when the engine closes. `guardian` if this process ends at the same time. Default
   * `here`.
   */
  ending?: ServerEnding
  /** Called when a server reports a change. */
  onServerNews?: ((serverId: string) => void) | undefined
  /** Records the messages of the connections. If absent, nothing is recorded. */
  traffic?: Traffic
  /** Passes requests of servers to a person. If absent, servers are told that nobody can answer. */
  requests?: ServerRequests | undefined
}

/**
 * Runs operations until the engine closes. Each has a deadline, and uses a session that is lent from the pool or opened
 * for it.
 */
export type Runner = {
  /** Deadline of an operation on this server, in milliseconds. */
  deadlineOf(target: ServerTarget): number
  /** Does the work with one deadline. Closing the engine aborts the work and waits until it ends. */
  timed<T>(target: ServerTarget, signal: AbortSignal | undefined, work: (deadline: Deadline) => Promise<T>): Promise<T>
  /** Lends a session of an enabled server. The server may not send requests. The caller releases the session. */
  acquire(target: ServerTarget, deadline: Deadline): Promise<Lease>
  lend<T>(target: ServerTarget, deadline: Deadline, work: (lease: Lease) => Promise<T>): Promise<T>
  /** Reads with a lent session. The read is repeated once if the session turns out to be broken. */
  read<T>(
    target: ServerTarget,
    signal: AbortSignal | undefined,
    work: (session: Session, deadline: Deadline) => Promise<T>,
  ): Promise<T>
  /**
   * Like `read`, but with a session like that of a run: the server may not send requests, and offers what it offers to
   * runs.
   */
  readAsRunsDo: Runner['read']
  /** Opens a session outside of the pool. Its closing need not be awaited. */
  openOwn(target: ServerTarget, deadline: Deadline): Promise<Session>
  closeOwn(session: Session): void
  /**
   * Provides sessions that only one task uses. Each server is started when it is first used, and runs until the task
   * ends.
   */
  separate(onStart?: (session: StartedSession) => void): Pick<Runner, 'acquire'> & { end(): void }
  /**
   * Opens a session for the doctor. For an enabled program this is the lent session, so that only one process runs;
   * else it is a separate one.
   */
  openExamined(target: ServerTarget, deadline: Deadline): Promise<Lease>
  drop(serverId: string): void
  /** Ends the sessions of a server. Sessions of reads and calls end at once, those of runs once their work is done. */
  endSessions(target: ServerTarget, became: 'restarted' | 'ended'): Promise<void>
  close(): Promise<void>
}

/**
 * Creates the runner.
 * @param live settings of the lent sessions
 */
export function createRunner(options: ConnectionsOptions, live: Live): Runner {
  const { early } = options
  const guardian = early?.guardian ?? createGuardian()
  const pending = createPendingWork()
  const running = new Set<Deadline>()
  let closed = false
  const settings: SessionSettings = {
    guardian,
    pending,
    client: { name: options.clientName ?? 'mcpdeck', version: options.clientVersion ?? '0.0.0' },
    maxResultBytes: options.maxResultBytes ?? 8 * 1024 * 1024,
    ...(early && { takeStarted: early.take }),
    ending: options.ending ?? 'here',
    traffic: options.traffic,
  }
  const deadlineOf: Runner['deadlineOf'] = ({ timeoutMs }) =>
    Math.min(timeoutMs ?? options.deadlineMs ?? DEADLINE_MS, MAX_DEADLINE_MS)
  const openOwn: Runner['openOwn'] = (target, deadline) => openSession(target, settings, deadline)
  const { requests } = options
  const poolOf = (open: PoolOptions['open'], keptMs: PoolOptions['keptMs']) =>
    createPool({ pending, idleMs: options.idleMs ?? 30_000, keptMs, deadlineMs: deadlineOf, open })
  const openLooked: PoolOptions['open'] = async (target, deadline) => {
    const session = await openSession(target, { ...settings, requests }, deadline)
    await live.prepare(target.id, session, deadline)
    return session
  }
  const attended = poolOf(openLooked, live.keptMs)
  const unattended = requests ? poolOf(openOwn, () => 0) : attended
  const separate = new Set<Pool>()

  const timed: Runner['timed'] = (target, signal, work) => {
    const deadline = startDeadline(deadlineOf(target), target.name, signal)
    if (closed) deadline.cancel(closing())
    running.add(deadline)
    const result = runUnder(deadline, work).finally(() => running.delete(deadline))
    pending.add(result)
    return result
  }

  const closeOwn: Runner['closeOwn'] = session => pending.add(session.close())

  return {
    deadlineOf,
    timed,
    openOwn,
    closeOwn,
    async openExamined(target, deadline) {
      // Only an enabled server has a session that others use too.
      if (target.enabled && target.transport.type === 'stdio') return await attended.acquire(target, deadline)
      const session = await openOwn(target, deadline)
      return { session, reused: false, release: () => closeOwn(session) }
    },
    separate(onStart) {
      const pool = poolOf(
        async (target, deadline) => {
          const startedAt = Date.now()
          // A program that was started early may be older than the task, so it is not used.
          const session = await openSession(target, { ...settings, takeStarted: undefined }, deadline)
          onStart?.(startedSession(target, session, startedAt))
          return session
        },
        () => Infinity,
      )
      separate.add(pool)
      const end = () => {
        separate.delete(pool)
        pool.close()
      }
      return { acquire: acquireFrom(pool), end }
    },
    drop(serverId) {
      for (const pool of [unattended, attended, ...separate]) pool.drop(serverId)
    },
    async endSessions({ id, name }, became) {
      // Runs keep the sessions with which they started.
      for (const pool of [unattended, ...separate]) if (pool !== attended) pool.drop(id)
      await attended.end(id, new ServiceError('SERVER_UNREACHABLE', `The server "${name}" was ${became} meanwhile.`))
    },
    async close() {
      closed = true
      for (const deadline of running) deadline.cancel(closing())
      for (const pool of [unattended, attended, ...separate]) pool.close()
      await early?.end()
      await pending.settled()
      guardian.close()
    },
    ...createLending({ unattended, attended }, timed),
  }
}

type Pools = { unattended: Pool; attended: Pool }

function createLending(
  { unattended, attended }: Pools,
  timed: Runner['timed'],
): Pick<Runner, 'acquire' | 'lend' | 'read' | 'readAsRunsDo'> {
  const lendFrom =
    (pool: Pool): Runner['lend'] =>
    async (target, deadline, work) => {
      requireEnabled(target)
      const lease = await pool.acquire(target, deadline)
      try {
        return await work(lease)
      } finally {
        lease.release()
      }
    }
  const readFrom =
    (pool: Pool): Runner['read'] =>
    (target, signal, work) =>
      timed(target, signal, async deadline => {
        let hadBroken = false
        const once = () =>
          lendFrom(pool)(target, deadline, async ({ session, reused }) => {
            try {
              return await work(session, deadline)
            } finally {
              hadBroken = reused && !session.usable
            }
          })
        try {
          return await once()
        } catch (error) {
          if (!hadBroken || deadline.signal.aborted) throw error
          return await once()
        }
      })
  return {
    acquire: acquireFrom(unattended),
    lend: lendFrom(attended),
    read: readFrom(attended),
    readAsRunsDo: readFrom(unattended),
  }
}

function acquireFrom(pool: Pool): Runner['acquire'] {
  return async (target, deadline) => {
    requireEnabled(target)
    return pool.acquire(target, deadline)
  }
}

function startedSession({ name, transport }: ServerTarget, { initInfo }: Session, startedAt: number): StartedSession {
  const { serverInfo, protocolVersion } = initInfo
  return defined({
    name,
    startedAt,
    transport: initInfo.transport,
    ...(transport.type === 'stdio'
      ? { command: [...shownWords([transport.command, ...transport.args])] }
      : { url: redactedUrl(transport.url) }),
    serverInfo,
    protocolVersion,
  })
}

async function runUnder<T>(deadline: Deadline, work: (deadline: Deadline) => Promise<T>): Promise<T> {
  try {
    deadline.signal.throwIfAborted()
    return await work(deadline)
  } finally {
    deadline.end()
  }
}

function closing(): ServiceError {
  return new ServiceError('SERVER_UNREACHABLE', 'The connections of this workspace are being closed.')
}

/** Refuses a disabled server as invalid input, because the contract lists no 409 for these operations. */
export function requireEnabled({ name, enabled }: ServerTarget): void {
  if (enabled) return
  throw new ServiceError('VALIDATION_ERROR', `The server "${name}" is switched off; switch it on first.`, {
    details: { field: 'enabled' },
  })
}
