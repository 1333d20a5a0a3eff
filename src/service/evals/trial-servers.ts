import type { Connections } from '../connections/engine.ts'
import { brokeOver } from '../connections/failures.ts'
import type { ServerTarget, TrialSession } from '../connections/types.ts'
import { ServiceError } from '../core/errors.ts'
import { isProtocolAnswer, TrialEnd } from './trial-calls.ts'
import type { TrialServers } from './types.ts'

type Options = { connections: Pick<Connections, 'use'>; serialServers: boolean }

/** A call in progress. The signal identifies its trial, since each trial has its own signal. */
type NotedCall = { trial: AbortSignal; besideOthers: boolean }

/** Gives trials or a conversation access to their servers, over sessions that `connections` lends. */
export function createTrialServers(
  targets: readonly ServerTarget[],
  { connections, serialServers }: Options,
): TrialServers {
  const byName = new Map(targets.map(target => [target.name, target]))
  const queues = new Map<string, Promise<unknown>>()

  /** Starts a call once the earlier ones to the same server have ended. */
  const inTurn = <T>(name: string, call: () => Promise<T>): Promise<T> => {
    const before = queues.get(name) ?? Promise.resolve()
    const mine = before.then(call, call)
    queues.set(
      name,
      mine.catch(() => {}),
    )
    return mine
  }

  /** Calls in progress by server. */
  const underWay = new Map<string, Set<NotedCall>>()

  /** Records for each call whether a call of another trial overlapped it. */
  const noteCall = async <T>(name: string, trial: AbortSignal, call: (own: NotedCall) => Promise<T>): Promise<T> => {
    const all = underWay.get(name) ?? new Set()
    underWay.set(name, all)
    const others = [...all].filter(other => other.trial !== trial)
    const own = { trial, besideOthers: others.length > 0 }
    for (const other of others) other.besideOthers = true
    all.add(own)
    try {
      return await call(own)
    } finally {
      all.delete(own)
    }
  }

  const lend = <T>(
    serverName: string,
    signal: AbortSignal,
    work: (session: TrialSession) => Promise<T>,
  ): Promise<T> => {
    const target = byName.get(serverName)
    if (!target) return Promise.reject(new ServiceError('NOT_FOUND', `The run has no server "${serverName}".`))
    const call = () => connections.use(target, signal, work)
    return serialServers ? inTurn(serverName, call) : call()
  }

  return {
    names: [...byName.keys()],
    listTools: (serverName, signal) => lend(serverName, signal, session => session.listTools()),
    callTool: (serverName, toolName, args, signal) =>
      lend(serverName, signal, session =>
        noteCall(serverName, signal, async own => {
          try {
            return await session.callTool(toolName, args)
          } catch (error) {
            throw asExecuted(error, own.besideOthers)
          }
        }),
      ),
  }
}

/**
 * Marks a failed call as executed if the server broke during it, even if that was the trial's first call of the server.
 */
function asExecuted(error: unknown, besideOthers: boolean): unknown {
  if (!brokeOver(error) || isProtocolAnswer(error)) return error
  return new TrialEnd('execution_failed', (error as ServiceError).message, error, besideOthers)
}
