import { ApiError } from '../../api/client/errors/api-error.ts'
import type { Client } from '../../api/client/client.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import { localClock, localMoment } from '../../lib/times.ts'
import { casesByTool, type SeenTool, type ToolListing } from '../runs/comparison-tools.ts'
import { type Snapshot, snapshotChanges, type SnapshotChange } from '../servers/snapshots.ts'

/** A saved server that the cases of a watched suite call. */
export type WatchedServer = {
  id: string
  name: string
  /** Started by mcpdeck, over stdio. */
  isProgram: boolean
}

/** What connecting anew found out about a server: what changed since the look before, or why there is no answer. */
export type ServerLook = { server: WatchedServer } & ({ changes: readonly SnapshotChange[] } | { error: ApiError })

/** The tools of the servers of a suite, from one look to the next, and since the suite last passed. */
export type WatchedTools = {
  /** Restarts every server and compares what it offers. @throws ApiError where the service cannot do that */
  look(): Promise<readonly ServerLook[]>
  /** The suite passed with what was seen last. */
  passed(): void
  /** What changed since the suite last passed about the tools that a trial uses, a sentence each. */
  causesOf(trial: EvalIteration): readonly string[]
}

/** The tools of an earlier pass. */
export type LastPass = { listings: readonly ToolListing[]; at: number | undefined }

/** A server over HTTP is restarted by somebody else, who may take some seconds. */
const HTTP_TRIES = 4
const HTTP_PAUSE_MS = 1_000

export function createWatchedTools(
  client: Pick<Client, 'servers'>,
  { projectId, servers }: { projectId: string; servers: readonly WatchedServer[] },
  lastPass: LastPass | undefined,
): WatchedTools {
  const seen = new Map<string, Snapshot>()
  let base = lastPass && new Map(lastPass.listings.map(each => [each.serverName, each.tools]))
  /** What changed since then, with when that was, in words. */
  let since = new Map<string, { change: SnapshotChange; when: string }>()
  let isFirst = true

  const lookAt = async (server: WatchedServer): Promise<ServerLook> => {
    try {
      const is = await reconnect(client, projectId, server)
      const was = seen.get(server.name)
      seen.set(server.name, is)
      return { server, changes: was ? await snapshotChanges(was, is) : [] }
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
    async look() {
      const looks = await Promise.all(servers.map(lookAt))
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

/** What differs at the first look changed at some time after the pass. */
function passWords(at: number | undefined): string {
  return at === undefined ? 'since it last passed' : `since it passed at ${localMoment(at, Date.now())}`
}

async function reconnect(client: Pick<Client, 'servers'>, projectId: string, { id, isProgram }: WatchedServer) {
  for (let left = isProgram ? 1 : HTTP_TRIES; ; left -= 1)
    try {
      return await client.servers.reconnect({ projectId, serverId: id })
    } catch (error) {
      if (left <= 1 || !(error instanceof ApiError) || error.code !== 'SERVER_UNREACHABLE') throw error
      await new Promise(resolve => void setTimeout(resolve, HTTP_PAUSE_MS))
    }
}

type SeenTools = readonly SeenTool[]

function listed(seen: ReadonlyMap<string, Snapshot>): Map<string, SeenTools> {
  return new Map([...seen].map(([name, { tools }]) => [name, tools as SeenTools]))
}

/** What runs record of tools, without those that were too long to be recorded. */
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
