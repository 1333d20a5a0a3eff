import type { Client } from '../../api/client/client.ts'
import { systemErrorText } from '../../api/client/errors/system-error-text.ts'
import { serversRoute } from '../../screens/servers/route.ts'
import { programReach, reachOf, type Reach } from '../../screens/servers/new-server.ts'
import { onEndingSignal, signalExitCode } from '../../tui/terminal/ending-signals.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { resolveSettings, type CommonOptions, type Settings } from '../config/settings.ts'
import { isAtTerminal } from '../dashboard/at-terminal.ts'
import { loadDashboard, lookOf, requireAbilities } from '../dashboard/open-command.ts'
import { resolveTtyConventions } from '../dashboard/tty-conventions.ts'
import { createLog, type Log } from '../output/log.ts'
import { leaveCrashesAlone } from '../process/crashes.ts'
import { moreOf, type ReachParts } from '../workspace/unsaved-server.ts'
import { openLocal, type OpenedWorkspace } from '../workspace/workspace.ts'
import { serverNameOf } from './server-name.ts'
import { makeTemporaryDirectory, removeStrays, type TemporaryDirectory } from './temporary-directory.ts'

/** What the header calls a workspace that ends with the program, and its one project. */
const NAME = 'try'

/**
 * `mcpdeck try`: the dashboard on one server, in a workspace of its own that is gone at the end.
 * @throws UsageError without a terminal, and for a reach that is none
 */
export async function tryServer(words: readonly string[], own: ReachParts, common: CommonOptions): Promise<undefined> {
  if (!isAtTerminal())
    throw new UsageError(
      'mcpdeck try opens the dashboard, which needs a terminal. Without one, mcpdeck tools and mcpdeck call take ' +
        '--command or --url.',
    )
  const reach = requireReach(words, own)
  const settings = await resolveSettings({ ...common, local: true }, process.env)
  const conventions = resolveTtyConventions(common, process.env, settings.preferences)
  const abilities = requireAbilities(conventions)
  const log = createLog(settings.logFile)
  const directory = requireDirectory()
  // Until the dashboard looks after the terminal, a signal would leave the directory behind.
  const stopListening = onEndingSignal(signal => process.exit(signalExitCode(signal)))
  const opened = openTemporary(settings, directory, log)
  // The server's program starts before anything that draws is loaded.
  const place = await beginServer(opened.workspace.client, reach)
  const [{ openDashboard }, , screens] = await loadDashboard()
  const look = await lookOf(settings, abilities)
  leaveCrashesAlone()
  openDashboard({ opened, place, screens, ...look, conventions, log })
  stopListening()
  setImmediate(() => cleanUp(log))
  return undefined
}

function requireReach(words: readonly string[], own: ReachParts): Reach {
  const more = moreOf(own, process.env)
  const [word = ''] = words
  // One word is an address, a program, or a whole command in quotes.
  const reach = words.length === 1 ? reachOf(word, more) : programReach(words, more)
  if (typeof reach === 'string') throw new UsageError(reach)
  return reach
}

function requireDirectory(): TemporaryDirectory {
  try {
    return makeTemporaryDirectory()
  } catch (error) {
    throw new UsageError(`No temporary directory can be made: ${systemErrorText(error)}`)
  }
}

/** A workspace in that directory, from which servers can be saved in the local workspace. */
function openTemporary(settings: Settings, directory: TemporaryDirectory, log: Log): OpenedWorkspace {
  const own = { ...settings, dataDir: directory.path, profile: { ...settings.profile, name: NAME }, readOnly: false }
  const opened = openLocal(own, log, 'open', NAME)
  const saving = new Set<Promise<unknown>>()
  const atHome = async <T>(work: (home: Client) => Promise<T>): Promise<T> => {
    const home = openLocal(settings, log, 'briefly')
    try {
      return await work(home.workspace.client)
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
        async atHome(work) {
          const done = atHome(work)
          saving.add(done)
          return await done.finally(() => saving.delete(done))
        },
      },
    },
    async close() {
      await Promise.allSettled([...saving, opened.close()])
      directory.remove()
    },
  }
}

/** Saves the server in the workspace, begins to list its tools, and answers the place that shows them. */
async function beginServer(client: Client, reach: Reach) {
  const { items } = await client.projects.list()
  const projectId = items[0]!.id
  const body = { name: serverNameOf(reach), enabled: true, ...reach }
  const { id: serverId } = await client.servers.create({ projectId, body })
  return serversRoute.to({ projectId, serverId, pane: 'detail', tab: 'tools' })
}

function cleanUp(log: Log): void {
  try {
    removeStrays()
  } catch (error) {
    log.error(error)
  }
}
