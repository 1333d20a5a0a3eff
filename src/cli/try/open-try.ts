import type { QueryClient } from '@tanstack/react-query'
import { createPollingClient } from '../../api/client/cache/query-client.ts'
import type { Queries } from '../../api/client/cache/queries.ts'
import type { Client } from '../../api/client/client.ts'
import { systemErrorText } from '../../api/client/errors/system-error-text.ts'
import { serversRoute } from '../../app/places.ts'
import type { HandOver } from '../../domain/servers/unsaved.ts'
import type { Reach } from '../../domain/servers/reach.ts'
import { settlesWithin } from '../../service/core/deadline.ts'
import type { EarlyStart } from '../../service/connections/early-start.ts'
import { onEndingSignal, signalExitCode } from '../../tui/terminal/ending-signals.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { resolveSettings, type CommonOptions, type Settings } from '../config/settings.ts'
import { loadDashboard, lookOf, requireAbilities } from '../dashboard/open-command.ts'
import { resolveTtyConventions } from '../dashboard/tty-conventions.ts'
import { createLog, type Log } from '../output/log.ts'
import { leaveCrashesAlone } from '../output/crashes.ts'
import { openLocal, type OpenedWorkspace } from '../workspace/workspace.ts'
import { createHash } from 'node:crypto'
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { thisMachine, type Machine } from '../../lib/machine.ts'

/** Name in the header of a workspace that ends with the program, and of its only project. */
const NAME = 'try'

/** Milliseconds that the first frame waits for the tools, which would otherwise appear in a second frame. */
const FIRST_PICTURE_MS = 50

/** The server to try, whose program may be running already. */
type TriedServer = {
  reach: Reach
  name: string
  early: EarlyStart | undefined
  /** The directory given for it. */
  directory: string | undefined
}

/**
 * Opens the dashboard on the server, in a temporary workspace.
 * @throws UsageError for settings or a terminal that cannot be used
 */
export async function openTry(server: TriedServer, common: CommonOptions): Promise<void> {
  const settings = await resolveSettings({ ...common, local: true }, process.env)
  const conventions = resolveTtyConventions(common, process.env, settings.preferences)
  const abilities = requireAbilities(conventions)
  const log = createLog(settings.logFile)
  const directory = requireDirectory()
  // Until the dashboard handles signals, a signal would leave the directory behind.
  const stopListening = onEndingSignal(signal => process.exit(signalExitCode(signal)))
  const opened = openTemporary(settings, directory, server, log)
  const ids = await saveServer(opened.workspace.client, server)
  const queryClient = createPollingClient()
  const first = readFirst(opened.workspace.queries, queryClient, ids)
  const [{ openDashboard }, , screens] = await loadDashboard()
  const look = await lookOf(settings, abilities)
  await settlesWithin(first, FIRST_PICTURE_MS)
  leaveCrashesAlone()
  const place = serversRoute.to({ ...ids, pane: 'detail', tab: 'tools' })
  openDashboard({ opened, place, queryClient, screens, ...look, conventions, log })
  stopListening()
  setImmediate(() => cleanUp(log))
}

function requireDirectory(): TemporaryDirectory {
  try {
    return makeTemporaryDirectory()
  } catch (error) {
    throw new UsageError(`No temporary directory can be made: ${systemErrorText(error)}`)
  }
}

/** Opens a workspace in that directory, from which servers can be saved to the local workspace. */
export function openTemporary(
  settings: Settings,
  directory: TemporaryDirectory,
  { early, directory: ranIn }: TriedServer,
  log: Log,
): OpenedWorkspace {
  const own = { ...settings, dataDir: directory.path, profile: { ...settings.profile, name: NAME }, readOnly: false }
  const opened = openLocal(own, log, 'open', { temporary: NAME, early })
  const saving = new Set<Promise<unknown>>()
  const atHome = async <T>(work: (home: Client, handOver: HandOver) => Promise<T>): Promise<T> => {
    const home = openLocal(settings, log, 'briefly')
    const handOver: HandOver = async (serverId, homeServerId) => {
      const [{ handOverServer }, here, there] = await Promise.all([
        import('../../service/servers/handlers.ts'),
        opened.service(),
        home.service(),
      ])
      return handOverServer({ store: here.store, serverId }, { store: there.store, serverId: homeServerId })
    }
    try {
      return await work(home.workspace.client, handOver)
    } finally {
      await home.close()
    }
  }
  return {
    ...opened,
    workspace: {
      ...opened.workspace,
      profile: { ...opened.workspace.profile, readOnly: settings.readOnly },
      unsaved: {
        savedSuites: new Map(),
        directory: ranIn,
        async atHome(work) {
          const done = atHome(work)
          saving.add(done)
          return await done.finally(() => saving.delete(done))
        },
      },
    },
    async close() {
      // What is saved is read from the open workspace.
      await Promise.allSettled(saving)
      await Promise.allSettled([opened.close()])
      directory.remove()
    },
  }
}

type ServerIds = { projectId: string; serverId: string }

/** Adds the server to the workspace. */
async function saveServer(client: Client, { reach, name }: TriedServer): Promise<ServerIds> {
  const { items } = await client.projects.list()
  const projectId = items[0]!.id
  const body = { name, enabled: true, ...reach }
  const { id: serverId } = await client.servers.create({ projectId, body })
  return { projectId, serverId }
}

/** Reads the data of the first frame while the drawing code loads. Errors appear again when the frame is drawn. */
async function readFirst({ projects, servers }: Queries, queryClient: QueryClient, ids: ServerIds): Promise<void> {
  await Promise.all([
    queryClient.prefetchInfiniteQuery(projects.list.infinite({})),
    queryClient.prefetchInfiniteQuery(servers.list.infinite({ projectId: ids.projectId })),
    queryClient.prefetchInfiniteQuery(servers.tools.infinite(ids)),
  ])
}

function cleanUp(log: Log): void {
  try {
    removeStrays()
  } catch (error) {
    log.error(error)
  }
}

/** A directory that only its owner can enter, and that is removed with this process. */
export type TemporaryDirectory = { path: string; remove: () => void }

const PREFIX = 'mcpdeck-try'

/**
 * Creates one. Its name identifies its process from the start, so that another process does not remove it as a
 * leftover.
 * @throws errors of the file system
 */
export function makeTemporaryDirectory(machine: Machine = thisMachine): TemporaryDirectory {
  const start = machine.startOf(machine.pid) ?? ''
  const path = mkdtempSync(join(tmpdir(), [PREFIX, nameOf(machine), machine.pid, start, ''].join('-')))
  const remove = (): void => {
    process.off('exit', remove)
    rmSync(path, { recursive: true, force: true })
  }
  process.on('exit', remove)
  return { path, remove }
}

/** Removes directories of killed processes of this user on this machine. */
export function removeStrays(machine: Machine = thisMachine): void {
  const own = nameOf(machine)
  const pattern = new RegExp(`^${PREFIX}-${own}-(\\d+)-(\\w*)-\\w+$`)
  for (const name of readdirSync(tmpdir())) {
    const [, pid, start] = pattern.exec(name) ?? []
    if (pid === undefined || isUsed(machine, Number(pid), start ?? '')) continue
    const path = join(tmpdir(), name)
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat?.isDirectory() && stat.uid === process.getuid?.()) rmSync(path, { recursive: true, force: true })
  }
}

/** Whether the process that had this id then still runs; another process may now have the id. */
function isUsed(machine: Machine, pid: number, start: string): boolean {
  return machine.startOf(pid) === start
}

/** Names the machine: process ids mean nothing on another machine or container that shares the directory. */
function nameOf({ name }: Machine): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 12)
}
