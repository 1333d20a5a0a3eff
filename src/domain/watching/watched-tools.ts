import { allTools, ApiError } from '../../api/client/errors/api-error.ts'
import type { Client } from '../../api/client/client.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import { isSameJson } from '../json/same-json.ts'
import { localClock, localMoment } from '../../lib/times.ts'
import { casesByTool, type SeenTool, type ToolListing } from '../runs/comparison-tools.ts'
import { type Snapshot, snapshotChanges, snapshotOf, type SnapshotChange } from '../servers/snapshots.ts'
/** A saved server that the cases of a watched suite call. */
export type WatchedServer = {
  id: string
  name: string
  /** Whether mcpdeck starts the server, over stdio. */
  isProgram: boolean
}

/** The result of reconnecting to a server: what changed since the last time, or why there is no answer. */
export type ServerLook = { server: WatchedServer } & (
  | {
      changes: readonly SnapshotChange[]
      /** Whether it may still be the old process, because someone else starts it and it answered all the time. */
      mayBeOld: boolean
    }
  | { error: ApiError }
)

/** The tools of a suite's servers, compared from one check to the next, and since the suite last passed. */
export type WatchedTools = {
  /**
   * Restarts every server and compares what it offers. A server over HTTP is restarted by someone else; waiting for
   * that ends with the signal.
   * @throws ApiError if the service cannot do that
   */
  look(signal: AbortSignal): Promise<readonly ServerLook[]>
  /** Records that the suite passed with the tools last seen. */
  passed(): void
  /** Returns sentences about what has changed, since the suite last passed, in the tools that a trial uses. */
  causesOf(trial: EvalIteration): readonly string[]
}

/** The tools of an earlier pass. */
export type LastPass = { listings: readonly ToolListing[]; at: number | undefined }

/** Milliseconds in which someone may restart a server over HTTP. */
export const HTTP_BEGIN_MS = 2_000
/** Milliseconds that a server may be unreachable before it counts as down: at the first check, and after a change. */
const HTTP_AWAY_MS = { first: 4_000, later: 15_000 }
const HTTP_EVERY_MS = 150

export function createWatchedTools(
  client: Pick<Client, 'servers'>,
  { projectId, servers }: { projectId: string; servers: readonly WatchedServer[] },
  lastPass: LastPass | undefined,
): WatchedTools {
  const seen = new Map<string, Snapshot>()
  let base = lastPass && new Map(lastPass.listings.map(each => [each.serverName, each.tools]))
  /** Changes since the suite last passed, in words, with their times. */
  let since = new Map<string, { change: SnapshotChange; when: string }>()
  let isFirst = true

  const lookAt = async (server: WatchedServer, signal: AbortSignal): Promise<ServerLook> => {
    try {
      const was = seen.get(server.name)
      const { is, mayBeOld } = await reconnect(client, { projectId, server, was, signal })
      seen.set(server.name, is)
      return { server, changes: was ? await newChanges(was, is) : [], mayBeOld }
    } catch (error) {
      if (error instanceof ApiError && error.kind === 'http') return { server, error }
      throw error
    }
  }
  const compare = async (): Promise<void> => {
    const when = isFirst ? passWords(lastPass?.at) : `since ${localClock(Date.now())}`
    isFirst = false
    base ??= listed(seen)
    const found: typeof since = new Map()
    for (const [name, { tools }] of seen) {
      const was = base.get(name)
      if (!was) continue
      for (const change of await snapshotChanges(comparable(was, was), comparable(tools as SeenTools, was))) {
        const key = JSON.stringify([name, change.name, change.says])
        found.set(key, since.get(key) ?? { change, when })
      }
    }
    since = found
  }
  return {
    async look(signal) {
      const looks = await Promise.all(servers.map(server => lookAt(server, signal)))
      await compare()
      return looks
    },
    passed() {
      base = listed(seen)
      since = new Map()
    },
    causesOf(trial) {
      const used = casesByTool([trial])
      return [...since.values()]
        .filter(({ change: { name, kind } }) => used.has(name) && kind !== 'added')
        .map(({ change, when }) => `${change.name}: ${change.says}, ${when}`)
    },
  }
}

/** Returns words for the time of a difference found at the first check, which arose at some time after the pass. */
function passWords(at: number | undefined): string {
  return at === undefined ? 'since it last passed' : `since it passed at ${localMoment(at, Date.now())}`
}

type Reconnecting = { projectId: string; server: WatchedServer; was: Snapshot | undefined; signal: AbortSignal }

/**
 * Reconnects. After a change a server over HTTP may still be the old process. It is asked again until it was away,
 * offers something else, or had enough time to be restarted.
 */
async function reconnect(
  client: Pick<Client, 'servers'>,
  { projectId, server: { id, isProgram }, was, signal }: Reconnecting,
): Promise<{ is: Snapshot; mayBeOld: boolean }> {
  const awayMs = HTTP_AWAY_MS[was ? 'later' : 'first']
  const begun = performance.now()
  let wasAway = false
  for (;;) {
    const passed = performance.now() - begun
    try {
      const answer = await client.servers.reconnect({ projectId, serverId: id })
      // Trials use tools, so failing to read them is an error, not a change.
      allTools(answer)
      const is = snapshotOf(answer)
      const isNew = isProgram || was === undefined || wasAway || !isSameJson(listsOf(is), listsOf(was))
      if (isNew || signal.aborted || passed >= HTTP_BEGIN_MS) return { is, mayBeOld: !isNew }
    } catch (error) {
      const isAway = error instanceof ApiError && error.code === 'SERVER_UNREACHABLE'
      if (isProgram || !isAway || signal.aborted || passed >= awayMs) throw error
      wasAway = true
    }
    await pause(HTTP_EVERY_MS, signal)
  }
}

/** Returns the changes without lists that could not be read before either, which is no news at every save. */
async function newChanges(was: Snapshot, is: Snapshot): Promise<SnapshotChange[]> {
  const unread = new Set(Object.keys(was.unread ?? {}).filter(name => name in (is.unread ?? {})))
  return (await snapshotChanges(was, is)).filter(({ kind, name }) => kind !== 'unread' || !unread.has(name))
}

function listsOf({ tools, prompts, resources }: Snapshot): object {
  return { tools, prompts, resources }
}

/** Resolves after this many milliseconds, or when the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end)
  })
}

type SeenTools = readonly SeenTool[]

function listed(seen: ReadonlyMap<string, Snapshot>): Map<string, SeenTools> {
  return new Map([...seen].map(([name, { tools }]) => [name, tools as SeenTools]))
}

/** Returns tools recorded by runs as a snapshot, without those that were too long to record in `was`. */
function comparable(tools: SeenTools, was: SeenTools): Snapshot {
  const omitted = new Set(was.filter(tool => tool.omitted).map(({ name }) => name))
  const kept = tools.filter(({ name }) => !omitted.has(name))
  return {
    tools: kept.map(({ name, description, inputSchema, outputSchema }) => ({
      name,
      ...(description != null && { description }),
      ...(inputSchema != null && { inputSchema }),
      ...(outputSchema != null && { outputSchema }),
    })),
    prompts: [],
    resources: [],
  }
}
