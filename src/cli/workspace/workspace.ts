import { join, resolve } from 'node:path'
import { setImmediate as afterPromises, setTimeout as pause } from 'node:timers/promises'
import { accessNotesKey, createAccessNotes } from '../../domain/scenarios/notes.ts'
import { createVisitorDoor } from '../../domain/scenarios/visitor-door.ts'
import { ApiError, refusal } from '../../api/client/errors/api-error.ts'
import { createBudget, type Budget } from '../../api/client/budget/budget.ts'
import { cacheFileName } from '../../api/client/cache/cache-file.ts'
import { SERVER_DEADLINE_MS } from '../../api/contract/servers.ts'
import { createClient } from '../../api/client/client.ts'
import { wallClock } from '../../lib/clock.ts'
import { API_PREFIX } from '../../api/contract/contract.ts'
import { StorageError } from '../../api/contract/error.ts'
import { type ApiResponse, plainHeaders } from '../../api/contract/message.ts'
import { connectionsKey, createConnections } from '../../domain/connections/connections.ts'
import { conformanceReportsKey, createConformanceReports } from '../../domain/conformance/reports.ts'
import { createDoctorReports, doctorReportsKey } from '../../domain/servers/reports.ts'
import { createDismissedSteps, dismissedStepsKey } from '../../domain/next-steps/next-steps.ts'
import { createServerNews } from '../../domain/servers/news.ts'
import { createDoctorSteps } from '../../domain/servers/steps.ts'
import { createWaitingRequests } from '../../domain/servers/waiting.ts'
import type { StoredReach, StoredReaches } from '../../domain/servers/stored-reach.ts'
import { createHttpFetch, type Fetch } from '../../api/client/transport/fetch.ts'
import { journalProfile } from '../../api/client/journal/entry.ts'
import { type Journal, openJournal } from '../../api/client/journal/journal.ts'
import { systemErrorText } from '../../api/client/errors/system-error-text.ts'
import { createNotebook, type Notebook, notebookKey } from '../../domain/notebook/notebook.ts'
import { betweenKeys, createInputIdle } from '../../api/client/budget/input-idle.ts'
import { yieldToInput } from '../../lib/yield-to-input.ts'
import { createNowMemory, nowKey } from '../../domain/now/memory.ts'
import { createQueries } from '../../api/client/cache/queries.ts'
import { createRerunLinks, rerunsKey } from '../../domain/runs/rerun-links.ts'
import { createPins, createRings, pinsKey, ringsKey } from '../../domain/runs/pins.ts'
import { createWaveMemory, wavesKey } from '../../domain/swarms/wave-memory.ts'
import { type WatchPatterns, watchPatternsKey } from '../../domain/watching/watch-patterns.ts'
import { createSeen, seenKey } from '../../domain/seen/seen.ts'
import type { Deprecation } from '../../api/client/transport/transport.ts'
import { budgetKeyId } from '../../api/client/budget/shared-ledger.ts'
import { openProfileStore, type ProfileKey, type ProfileStore, type Stored } from '../../lib/files/profile-store.ts'
import type { Workspace } from '../../hooks/workspace.tsx'
import type { EarlyStart } from '../../service/connections/early-start.ts'
import type { ServerTarget } from '../../service/connections/types.ts'
import type { ServerRow } from '../../service/servers/rows.ts'
import type { Service } from '../../service/workspace/service.ts'
import { executingIn } from '../../service/workspace/executing.ts'
import type { LogEntry } from '../../service/core/pipeline.ts'
import { visitOriginAt } from '../../service/core/urls.ts'
import { directories } from '../config/directories.ts'
import type { Log } from '../output/log.ts'
import { modelSettings } from '../config/model-settings.ts'
import { say } from '../output/prose.ts'
import type { Settings } from '../config/settings.ts'
import { handOver } from '../worker/reach.ts'

export type OpenedWorkspace = {
  workspace: Workspace
  /** Journal of the client's writes. */
  journal: Journal
  /** File that saves answers for the next start; each data source, and each key of it, has its own. */
  cacheFile: string
  /** Locator, without the profile, of the last place; undefined before the first. */
  place: Stored<string | undefined>
  watchPatterns: Stored<WatchPatterns>
  /** Calls the listener when lists of the local workspace have received new records. */
  onArrival: (listener: () => void) => void
  /** Resolves when a new workspace of this machine has its samples, which are added after the first answers. */
  filled: () => Promise<void>
  /**
   * Returns a saved server with its secrets, to connect to it from here; absent for a service, which never returns
   * secrets.
   */
  targetOf?: (serverId: string) => Promise<ServerTarget | undefined>
  /** Called on every key: reads that nobody waits for happen between keys. */
  onKey: () => void
  /** Resolves to whether this process executed a run, when it executes nothing any more. */
  executed: (runId: string) => Promise<boolean>
  /** Resolves when this process executes nothing any more, and prints what it waits for; a signal ends the wait. */
  settle: (signal?: AbortSignal) => Promise<void>
  close: () => Promise<void>
}

/**
 * How long the process lives. A process that ends with its one answer launches no schedules, since it would end the
 * run; with `handing-over` the workspace's worker answers requests and continues what they start.
 */
export type Stay = 'open' | 'briefly' | 'handing-over'

const placeKey: ProfileKey<string | undefined> = {
  name: 'place',
  empty: undefined,
  read: ({ place }) => (typeof place === 'string' ? place : undefined),
  write: place => ({ place }),
}
const NEVER = 0
/** Interval at which a new workspace is checked for its samples, in milliseconds. */
const FILLED_LOOK_MS = 20
/** The address in requests to the local workspace; nothing listens there. */
export const LOCAL_ADDRESS = `http://local.invalid${API_PREFIX}`

/**
 * Opens the client of a service or of the local workspace. Returns at once: connections and the local database open
 * with the first request, so that the first frame need not wait for them. `onAnswer` is called with every HTTP answer
 * of a service.
 */
export function openWorkspace(
  settings: Settings,
  log: Log,
  stays: Stay,
  {
    onAnswer,
    ...own
  }: { onAnswer?: (answer: ApiResponse) => void } & Pick<OwnOptions, 'early' | 'tell' | 'answers'> = {},
): OpenedWorkspace {
  return settings.target.kind === 'remote'
    ? openRemote(settings, settings.target, log, onAnswer)
    : openLocal(settings, log, stays, own)
}

function openRemote(
  settings: Settings,
  target: { baseUrl: string; key: string; keySource: string; slug: string },
  log: Log,
  onAnswer: ((answer: ApiResponse) => void) | undefined,
): OpenedWorkspace {
  const http = createHttpFetch({ baseUrl: target.baseUrl, holds: () => client.monitor.slowLine() !== undefined })
  const budget = sharedBudget(target, log.line)
  const { place, watchPatterns, cacheFile, ...stored } = openProfile({ log }, target.baseUrl, target.key)
  const { journal } = stored
  const client = createClient({
    fetch: heard(logged(http.fetch, log), onAnswer),
    baseUrl: target.baseUrl,
    key: target.key,
    keySource: target.keySource,
    budget,
    closing: http.closing,
    readOnly: settings.readOnly,
    negotiate: target.slug,
    onDeprecation: noticeOnce(log),
    journal,
  })
  const { host } = new URL(target.baseUrl)
  const { name, web } = settings.profile
  const profile = { name, host, local: false, readOnly: settings.readOnly, keySource: target.keySource, web }
  const close = async (): Promise<void> => {
    stored.seen.close()
    await http.close()
    budget.close()
    await journal.close()
  }
  const workspace = { client, queries: createQueries(client), budget, profile, ...stored }
  return {
    workspace,
    journal,
    cacheFile,
    place,
    watchPatterns,
    onArrival: () => undefined,
    filled: async () => undefined,
    onKey: () => undefined,
    executed: async () => false,
    settle: async () => undefined,
    close,
  }
}

/** Returns the budget of a key, shared by all programs of this machine that use the key. */
export function sharedBudget({ baseUrl, key }: { baseUrl: string; key: string }, onNotice: Log['line']): Budget {
  const file = join(directories().state, 'budget.sqlite')
  return createBudget({ sharing: { file, keyId: budgetKeyId(baseUrl, key), onNotice } })
}

type OwnOptions = {
  /** The name of its only project, if the workspace ends with the process and has its own directory. */
  temporary?: string
  /** The program of a server that is already running. */
  early?: EarlyStart | undefined
  /** Whether a command answers the forms of servers. */
  answers?: boolean
  /** Prints a sentence that a person must see once; if absent, another process prints it. */
  tell?: ((sentence: string) => void) | undefined
}

/** Sends a request to a service of this process as its owner, and handles keys before and after. */
async function askBetweenKeys(service: Service, request: Parameters<Fetch>[0]): ReturnType<Fetch> {
  const headers = plainHeaders({ ...Object.fromEntries(request.headers), authorization: `Bearer ${service.localKey}` })
  await yieldToInput()
  const answer = await service.answer({ ...request, headers })
  // Reading the answer takes as long again.
  await yieldToInput()
  return answer
}

/** Opens a workspace of this machine. */
export function openLocal(
  settings: Settings,
  log: Log,
  stays: Stay,
  { temporary, early, tell, answers = false }: OwnOptions = {},
): OpenedWorkspace & { service: () => Promise<Service> } {
  let opening: Promise<Service> | undefined
  let openedService: Service | undefined
  let arrived = (): void => undefined
  const doctorSteps = createDoctorSteps()
  // Servers cannot ask a command that gives one answer and ends.
  const waitingRequests = stays === 'open' || answers ? createWaitingRequests() : undefined
  const serverNews = createServerNews()
  const models = modelSettings(process.env)
  const open = async () => {
    try {
      const { createService } = await import('../../service/workspace/service.ts')
      const service = await createService({
        dataDir: settings.dataDir,
        ...(temporary === undefined ? { samples: true } : { emptyProject: temporary }),
        connections: { early, ending: stays === 'open' ? 'here' : 'guardian', heldMs: Infinity },
        models,
        onArrival: () => arrived(),
        visitOrigin: () => visitOriginAt(settings.port),
        onDoctorStep: doctorSteps.note,
        ...(waitingRequests && { onServerRequests: waitingRequests.note, answersOnlyForms: answers }),
        onServerNews: serverNews.note,
        ...(stays === 'open' ? { runsGiveWay: true } : { schedulePollMs: NEVER }),
        log: entry => noteService(log, entry),
      })
      openedService = service
      const notice = tell && service.store.takeNotice()
      if (notice !== undefined) tell?.(notice)
      return service
    } catch (error) {
      opening = undefined
      log.error(error)
      const details = error instanceof StorageError ? { next: error.next } : undefined
      throw refusal('local-workspace', systemErrorText(error), { details })
    }
  }
  const opened = () => (opening ??= open())
  const fetch: Fetch = async request => askBetweenKeys(await opened(), request)
  const worker = stays === 'handing-over' ? handOver(settings, fetch) : undefined
  const pauses = createInputIdle()
  const budget = betweenKeys(createBudget({ unlimited: true }), pauses)
  const { place, watchPatterns, cacheFile, ...stored } = openProfile(
    { log, ...(temporary !== undefined && { directory: settings.dataDir }) },
    LOCAL_ADDRESS,
    resolve(settings.dataDir),
  )
  const { journal } = stored
  const client = createClient({
    fetch: logged(worker?.fetch ?? fetch, log),
    baseUrl: LOCAL_ADDRESS,
    serverDeadlineMs: SERVER_DEADLINE_MS,
    budget,
    readOnly: settings.readOnly,
    stateOf: endpoint => openedService?.stateOf(endpoint),
    journal,
  })
  const profile = { name: settings.profile.name, host: '', local: true, readOnly: settings.readOnly }
  const http = createHttpFetch()
  const isUsual = resolve(settings.dataDir) === resolve(directories().data)
  const start = isUsual ? 'mcpdeck serve' : `mcpdeck serve --data-dir '${settings.dataDir}'`
  const door = createVisitorDoor({ origin: visitOriginAt(settings.port), start, answer: fetch, http: http.fetch })
  const close = async (): Promise<void> => {
    stored.seen.close()
    await http.close()
    await worker?.close()
    const service = await opening?.catch(() => undefined)
    await service?.close()
    await journal.close()
  }
  const onArrival = (listener: () => void): void => {
    arrived = listener
  }
  const storedReaches: StoredReaches = {
    of: async serverId => storedReach((await opened()).store.servers.find(serverId)),
  }
  const executing = () => (openedService ? executingIn(openedService.store, process.pid) : [])
  const own = { doctorSteps, serverNews, door, storedReaches, executing, ...(waitingRequests && { waitingRequests }) }
  const workspace = { client, queries: createQueries(client), budget, profile, ...stored, ...own }
  const waits = { onKey: pauses.inputArrived, filled: () => untilFilled(opened) }
  const targetOf = async (serverId: string) => (await opened()).targetOf(serverId)
  const ends = { ...endsIn(async () => await opening?.catch(() => undefined)), close }
  return {
    workspace,
    journal,
    cacheFile,
    place,
    watchPatterns,
    onArrival,
    targetOf,
    ...waits,
    ...ends,
    service: opened,
  }
}

/** Returns promises for the end of this process's work in a workspace, if it was opened. */
function endsIn(opened: () => Promise<Service | undefined>): Pick<OpenedWorkspace, 'executed' | 'settle'> {
  const executing = ({ store }: Service) => executingIn(store, process.pid)
  return {
    async executed(runId) {
      const service = await opened()
      const isHere = service !== undefined && executing(service).some(({ subjectId }) => subjectId === runId)
      await service?.settle()
      return isHere
    },
    async settle(signal) {
      const service = await opened()
      if (!service || signal?.aborted) return
      const waiting = executing(service)
      if (waiting.length === 0) return
      const ended = service.settle()
      // A run whose end could not be stored is still listed, and nothing waits for it.
      if (await Promise.race([ended.then(() => true), afterPromises(false)])) return
      const what = waiting.map(({ kind, subjectId }) => (kind === 'run' ? subjectId : `${kind} of ${subjectId}`))
      say(`Still under way in this process: ${what.join(', ')}. This command waits for it; Ctrl+C ends it.`)
      const stopped = new Promise<void>(resolve => signal?.addEventListener('abort', () => resolve()))
      await Promise.race([ended, stopped])
    },
  }
}

async function untilFilled(opened: () => Promise<Service>): Promise<void> {
  const { store } = await opened()
  // Nothing else keeps the process alive meanwhile.
  while (store.samples.due().length > 0) await pause(FILLED_LOOK_MS)
}

function storedReach(row: ServerRow | undefined): StoredReach | undefined {
  if (!row) return undefined
  const { command, args, env, headers, clientSecret } = row.secrets
  const { clientId } = row.options
  const client = typeof clientId === 'string' && clientId !== '' ? { client: { clientId, clientSecret } } : {}
  return { command, args, env, headers, timeout: row.timeoutMs, ...client }
}

/**
 * Opens what is stored on this machine. Each data source, and each key of a source, has separate files, except that one
 * file contains the writes of all profiles.
 * @param directory the directory for all of it, if it is not this user's own
 * @param profile address and key of a service, or address and directory of the local workspace
 */
function openProfile({ log, directory }: { log: Log; directory?: string }, ...profile: readonly string[]) {
  const { state, cache } = directory === undefined ? directories() : { state: directory, cache: directory }
  const id = journalProfile(...profile)
  const store = profileStoreOf(log.error, state, ...profile)
  return {
    journal: openJournal({ file: join(state, 'journal.sqlite'), profile: id, onFault: log.error }),
    cacheFile: join(cache, cacheFileName(id)),
    place: store(placeKey),
    watchPatterns: store(watchPatternsKey),
    seen: createSeen({ stored: store(seenKey), clock: wallClock }),
    pins: createPins(store(pinsKey)),
    rings: createRings(store(ringsKey)),
    waves: createWaveMemory({ stored: store(wavesKey), clock: wallClock }),
    connections: createConnections(store(connectionsKey)),
    reruns: createRerunLinks(store(rerunsKey)),
    accessNotes: createAccessNotes({ stored: store(accessNotesKey), clock: wallClock }),
    now: createNowMemory({ stored: store(nowKey), clock: wallClock }),
    doctorReports: createDoctorReports({ stored: store(doctorReportsKey), clock: wallClock }),
    conformanceReports: createConformanceReports({ stored: store(conformanceReportsKey), clock: wallClock }),
    dismissedSteps: createDismissedSteps(store(dismissedStepsKey)),
    notebook: createNotebook({ stored: store(notebookKey), clock: wallClock }),
  }
}

function profileStoreOf(
  onFault: (error: unknown) => void,
  directory: string,
  ...profile: readonly string[]
): ProfileStore {
  const id = journalProfile(...profile)
  return openProfileStore({ directory, profile: id, onFault, clock: wallClock })
}

/** Returns the incident notebook of a workspace without opening the workspace. Throws its own errors. */
export function notebookOfSettings({ target, dataDir }: Settings): Notebook {
  const profile = target.kind === 'remote' ? [target.baseUrl, target.key] : [LOCAL_ADDRESS, resolve(dataDir)]
  const store = profileStoreOf(() => undefined, directories().state, ...profile)
  return createNotebook({ stored: store(notebookKey), clock: wallClock })
}

/** Logs each deprecated path once, with its successor if the service names one. */
function noticeOnce(log: Log): (deprecation: Deprecation) => void {
  const seen = new Set<string>()
  return ({ endpoint, link }) => {
    if (seen.has(endpoint.path)) return
    seen.add(endpoint.path)
    log.line(`deprecated: ${endpoint.method} ${endpoint.path}${link ? `, successor ${link}` : ''}`)
  }
}

/** Logs failures that no caller receives; requests are already logged by the client. */
function noteService(log: Log, entry: LogEntry): void {
  if (entry.kind === 'failure') log.error(entry.error)
}

/** Reports every answer, for example for its date. */
function heard(fetch: Fetch, onAnswer: ((answer: ApiResponse) => void) | undefined): Fetch {
  if (!onAnswer) return fetch
  return async request => {
    const response = await fetch(request)
    onAnswer(response)
    return response
  }
}

/** Logs method, path, status and time of each request; never headers or bodies, which may contain secrets. */
function logged(fetch: Fetch, log: Log): Fetch {
  if (!log.enabled) return fetch
  return async request => {
    const start = performance.now()
    const { pathname } = new URL(request.url)
    const note = (outcome: string): void =>
      log.line(`${request.method} ${pathname} ${outcome} ${Math.round(performance.now() - start)}ms`)
    try {
      const response = await fetch(request)
      note(String(response.status))
      return response
    } catch (error) {
      note(error instanceof ApiError ? error.kind : 'failed')
      throw error
    }
  }
}
