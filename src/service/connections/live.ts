import type { LiveServer, LogLevel } from '../../api/contract/live-servers.ts'
import { ServiceError } from '../core/errors.ts'
import type { Deadline } from '../core/deadline.ts'
import { offers } from './requests.ts'
import type { Change } from './notices.ts'
import type { Session } from './session.ts'

/** Settings, subscriptions and reported changes of the servers of this process. They outlast connections. */
export type Live = {
  /** Applies the settings to a new connection. A failure is stored, and `of` returns it. */
  prepare(serverId: string, session: Session, deadline: Deadline): Promise<void>
  setLevel(serverId: string, session: Session, level: LogLevel, deadline: Deadline): Promise<void>
  subscribe(serverId: string, session: Session, uri: string, deadline: Deadline): Promise<void>
  unsubscribe(serverId: string, session: Session, uri: string, deadline: Deadline): Promise<void>
  /** Returns what is known of a server. Reading it keeps the connection open, unless `keepsConnection` is false. */
  of(serverId: string, look?: { keepsConnection?: boolean | undefined }): LiveServer
  /** Milliseconds for which the connection to a server is kept beyond the usual time without use. */
  keptMs(serverId: string): number
  /** Records that a tool was called. Afterwards the server may hold state for the caller. */
  noteCall(serverId: string): void
  /** Records that connections end on request, so that the loss of their state is not reported. */
  forget(serverId: string): void
}

type State = {
  session?: Session
  startedAt?: number
  starts: number
  instructions?: string | undefined
  level?: LogLevel
  problem?: string
  changes: LiveServer['listChanges']
  subscriptions: Map<string, { updates: number; updatedAt?: number }>
  lookedAt: number
  calls: number
  calledAt: number
  /** The last connection that had calls and ended without a request. Cleared when someone ends a connection. */
  lost?: { start: number; calls: number; endedAt: number }
}

/** Milliseconds for which a connection is kept after its changes were read: without and with subscriptions. */
const KEEP_READ_MS = 60_000
const SUBSCRIBED_MS = 3_600_000
const MOST_SUBSCRIPTIONS = 100

/**
 * Keeps the live state of servers.
 * @param onChange called with the id of a server that reports a change
 * @param heldMs milliseconds that a connection is kept after a tool call
 */
export function createLive(onChange: (serverId: string) => void, heldMs = SUBSCRIBED_MS): Live {
  const states = new Map<string, State>()
  const stateOf = (serverId: string): State => {
    const known = states.get(serverId)
    if (known) return known
    const changes = { tools: 0, prompts: 0, resources: 0 }
    const made: State = { starts: 0, changes, subscriptions: new Map(), lookedAt: -Infinity, calls: 0, calledAt: 0 }
    states.set(serverId, made)
    return made
  }
  const keptUntil = ({ lookedAt, subscriptions, calls, calledAt }: State) =>
    Math.max(
      lookedAt + (subscriptions.size > 0 ? SUBSCRIBED_MS : KEEP_READ_MS),
      calls > 0 ? Math.max(calledAt, lookedAt) + heldMs : 0,
    )

  return {
    async prepare(serverId, session, deadline) {
      const state = stateOf(serverId)
      state.session = session
      const { start, initialize } = session.timings
      state.startedAt = Math.round(Date.now() - start - initialize)
      state.starts += 1
      state.calls = 0
      state.instructions = session.initInfo.instructions
      onChange(serverId)
      session.onEnd(() => {
        if (state.session === session) {
          delete state.session
          if (state.calls > 0) state.lost = { start: state.starts, calls: state.calls, endedAt: Date.now() }
        }
        onChange(serverId)
      })
      session.onChange(change => {
        if (note(state, change)) onChange(serverId)
      })
      delete state.problem
      try {
        if (state.level && offers(session, 'logging')) await session.setLogLevel(state.level, deadline)
        if (state.subscriptions.size > 0) await session.subscribeTo([...state.subscriptions.keys()], deadline)
      } catch (error) {
        // The request that opened the connection continues. The failure is shown where the setting is shown.
        state.problem = error instanceof Error ? error.message : String(error)
      }
    },
    async setLevel(serverId, session, level, deadline) {
      requireOffered('logging', offers(session, 'logging'))
      await session.setLogLevel(level, deadline)
      stateOf(serverId).level = level
      onChange(serverId)
    },
    async subscribe(serverId, session, uri, deadline) {
      const state = stateOf(serverId)
      requireOffered('subscriptions to resources', canSubscribe(session))
      if (state.subscriptions.size >= MOST_SUBSCRIPTIONS) {
        const most = `At most ${MOST_SUBSCRIPTIONS} resources of a server can be subscribed to.`
        throw new ServiceError('VALIDATION_ERROR', most, { details: { field: 'uri' } })
      }
      await session.subscribeTo([...state.subscriptions.keys(), uri], deadline)
      if (!state.subscriptions.has(uri)) state.subscriptions.set(uri, { updates: 0 })
      onChange(serverId)
    },
    async unsubscribe(serverId, session, uri, deadline) {
      const state = stateOf(serverId)
      const rest = [...state.subscriptions.keys()].filter(each => each !== uri)
      await session.subscribeTo(rest, deadline)
      state.subscriptions.delete(uri)
      onChange(serverId)
    },
    of(serverId, { keepsConnection = true } = {}) {
      const state = stateOf(serverId)
      if (keepsConnection) {
        state.lookedAt = Date.now()
        state.session?.watchLists()
      }
      return known(state, keptUntil(state))
    },
    keptMs(serverId) {
      const state = states.get(serverId)
      return state ? Math.max(0, keptUntil(state) - Date.now()) : 0
    },
    noteCall(serverId) {
      const state = stateOf(serverId)
      state.calls += 1
      state.calledAt = Date.now()
    },
    forget(serverId) {
      const state = stateOf(serverId)
      state.calls = 0
      delete state.lost
    },
  }
}

/**
 * Returns what is known of a server.
 * @param until when the connection will end, in epoch milliseconds
 */
function known(state: State, until: number): LiveServer {
  const { session, level = null, problem = null, startedAt = null, starts, changes, subscriptions } = state
  return {
    offers: session ? { logging: offers(session, 'logging'), subscriptions: canSubscribe(session) } : null,
    logLevel: level,
    problem,
    startedAt: session ? startedAt : null,
    starts,
    instructions: state.instructions ?? null,
    listChanges: { ...changes },
    subscriptions: [...subscriptions].map(([uri, { updates, updatedAt = null }]) => ({ uri, updates, updatedAt })),
    keptUntil: session && until < Infinity ? until : null,
    held: session !== undefined && until === Infinity,
    stateLost: state.lost ?? null,
  }
}

/** Records a change. Returns false if the changed resource has no subscription. */
function note({ changes, subscriptions }: State, change: Change): boolean {
  if ('list' in change) {
    changes[change.list] += 1
    return true
  }
  // The update may be of a part of the subscribed resource (MCP, resources).
  const { uri } = change
  const about = subscriptions.has(uri) ? uri : [...subscriptions.keys()].find(each => isPartOf(uri, each))
  const subscription = about === undefined ? undefined : subscriptions.get(about)
  if (!subscription) return false
  subscription.updates += 1
  subscription.updatedAt = Date.now()
  return true
}

/** Whether an address is below another one, or is a part of its content. */
export function isPartOf(uri: string, whole: string): boolean {
  return uri.startsWith(whole) && (/[/#?]$/.test(whole) || /^[/#?]/.test(uri.slice(whole.length)))
}

function canSubscribe({ initInfo }: Session): boolean {
  const { resources } = initInfo.capabilities
  return Object(resources)['subscribe'] === true
}

function requireOffered(what: string, isOffered: boolean): void {
  if (!isOffered) throw new ServiceError('FEATURE_NOT_SUPPORTED', `The server does not offer ${what}.`)
}
