import { join, resolve } from 'node:path'
import { openAccessNotes } from '../../api/access/notes-file.ts'
import { createVisitorDoor } from '../../domain/scenarios/visitor-door.ts'
import { ApiError, refusal } from '../../api/client/errors/api-error.ts'
import { createBudget } from '../../api/client/budget/budget.ts'
import { cacheFileName } from '../../api/client/cache/cache-file.ts'
import { createClient } from '../../api/client/client.ts'
import { API_PREFIX } from '../../api/contract/contract.ts'
import { type ApiResponse, plainHeaders } from '../../api/contract/message.ts'
import { openDoctorReports, type DoctorReports } from '../../domain/servers/reports.ts'
import { createDoctorSteps } from '../../domain/servers/steps.ts'
import { createHttpFetch, type Fetch } from '../../api/client/transport/fetch.ts'
import { journalProfile } from '../../api/client/journal/entry.ts'
import { type Journal, openJournal } from '../../api/client/journal/journal.ts'
import { whatWentWrong } from '../../api/client/errors/system-error-text.ts'
import type { Notebook } from '../../domain/notebook/notebook.ts'
import { betweenKeys, createKeyPauses } from '../../api/client/budget/input-idle.ts'
import { keysHeard } from '../../api/keys-heard.ts'
import { openNotebook } from '../../api/notebook-file.ts'
import type { NowMemory } from '../../domain/now/memory.ts'
import { openNowMemory } from '../../api/now/memory-file.ts'
import { createQueries } from '../../api/client/cache/queries.ts'
import { openRerunLinks, type RerunLinks } from '../../api/runs/rerun-links.ts'
import { openPins } from '../../api/runs/pins-file.ts'
import type { Pins } from '../../domain/runs/pins.ts'
import { openSeen } from '../../api/seen-file.ts'
import type { Deprecation } from '../../api/client/transport/transport.ts'
import { budgetKeyId } from '../../api/client/budget/shared-ledger.ts'
import type { Workspace } from '../../hooks/workspace.tsx'
import type { Service } from '../../service/workspace/service.ts'
import { executingIn } from '../../service/workspace/executing.ts'
import type { LogEntry } from '../../service/core/pipeline.ts'
import { DEFAULT_VISIT_ORIGIN } from '../../service/scenarios/visit-address.ts'
import { directories } from '../config/directories.ts'
import type { Log } from '../output/log.ts'
import { modelSettings } from './model-settings.ts'
import { say } from '../output/prose.ts'
import type { Settings } from '../config/settings.ts'
import { handOver } from '../worker/hand-over.ts'

export type OpenedWorkspace = {
  workspace: Workspace
  /** Of the client's writes. */
  journal: Journal
  /** Where answers are kept for the next start; each data source, and each key of it, has its own. */
  cacheFile: string
  /** Where the place is kept that the next start comes back to; each data source, and each key of it, has its own. */
  placeFile: string
  /** Hears when lists of the local workspace have got something by themselves. */
  onArrival: (listener: () => void) => void
  /** To be told of every key: what nobody waits for is read between two. */
  onKey: () => void
  /**
   * Resolves when nothing that was started is executed in this process any more, and says what it waits for; a signal
   * ends the wait.
   */
  settle: (signal?: AbortSignal) => Promise<void>
  close: () => Promise<void>
}

/**
 * How long the process stays. One that ends with its one answer launches no schedules, since it would take the run with
 * it; `handing-over` has requests answered by the workspace's worker, which goes on with what they start.
 */
type Stay = 'open' | 'briefly' | 'handing-over'

const NEVER = 0
/** The address that requests to the local workspace carry; nothing listens there. */
const LOCAL_ADDRESS = `http://local.invalid${API_PREFIX}`

/**
 * Opens the client of a service or of the local workspace. Returns at once: connections and the local
 * database open with the first request, so that the first frame need not wait for them.
 * `onAnswer` hears every answer of a service over HTTP.
 */
export function openWorkspace(
  settings: Settings,
  log: Log,
  stays: Stay,
  onAnswer?: (answer: ApiResponse) => void,
): OpenedWorkspace {
  return settings.target.kind === 'remote'
    ? openRemote(settings, settings.target, log, onAnswer)
    : openLocal(settings, log, stays)
}

function openRemote(
  settings: Settings,
  target: { baseUrl: string; key: string; keySource: string; slug: string },
  log: Log,
  onAnswer: ((answer: ApiResponse) => void) | undefined,
): OpenedWorkspace {
  const http = createHttpFetch({ baseUrl: target.baseUrl })
  const budget = createBudget({
    sharing: {
      file: join(directories().state, 'budget.sqlite'),
      keyId: budgetKeyId(target.baseUrl, target.key),
      onNotice: log.line,
    },
  })
  const journal = openWrites(log, target.baseUrl, target.key)
  const client = createClient({
    fetch: heard(logged(http.fetch, log), onAnswer),
    baseUrl: target.baseUrl,
    key: target.key,
    keySource: target.keySource,
    budget,
    readOnly: settings.readOnly,
    negotiate: target.slug,
    onDeprecation: noticeOnce(log),
    journal,
  })
  const { host } = new URL(target.baseUrl)
  const { name, web } = settings.profile
  const profile = { name, host, local: false, readOnly: settings.readOnly, web }
  const seen = openSeenLists(log, target.baseUrl, target.key)
  const pins = openFollowed(log, target.baseUrl, target.key)
  const close = async (): Promise<void> => {
    seen.close()
    await http.close()
    budget.close()
    await journal.close()
  }
  const cacheFile = cacheFileOf(target.baseUrl, target.key)
  const reruns = openLinks(log, target.baseUrl, target.key)
  const accessNotes = openNotes(log, target.baseUrl, target.key)
  const workspace = {
    client,
    queries: createQueries(client),
    budget,
    profile,
    seen,
    reruns,
    accessNotes,
    pins,
    journal,
    ...openOnCall(log, target.baseUrl, target.key),
  }
  const placeFile = placeFileOf(target.baseUrl, target.key)
  return {
    workspace,
    journal,
    cacheFile,
    placeFile,
    onArrival: () => undefined,
    onKey: () => undefined,
    settle: async () => undefined,
    close,
  }
}

function openLocal(settings: Settings, log: Log, stays: Stay): OpenedWorkspace {
  let opening: Promise<Service> | undefined
  let arrived = (): void => undefined
  const doctorSteps = createDoctorSteps()
  const models = modelSettings(process.env)
  const open = async () => {
    try {
      const { createService } = await import('../../service/workspace/service.ts')
      return await createService({
        dataDir: settings.dataDir,
        samples: true,
        models,
        onArrival: () => arrived(),
        onDoctorStep: doctorSteps.note,
        ...(stays === 'open' ? { runsGiveWay: true } : { schedulePollMs: NEVER }),
        log: entry => noteService(log, entry),
      })
    } catch (error) {
      opening = undefined
      log.error(error)
      throw refusal('local-workspace', whatWentWrong(error))
    }
  }
  const fetch: Fetch = async request => {
    const service = await (opening ??= open())
    const headers = plainHeaders({
      ...Object.fromEntries(request.headers),
      authorization: `Bearer ${service.localKey}`,
    })
    await keysHeard()
    const answer = await service.answer({ ...request, headers })
    // What reads the answer takes as long again.
    await keysHeard()
    return answer
  }
  const worker = stays === 'handing-over' ? handOver(settings, fetch) : undefined
  const pauses = createKeyPauses()
  const budget = betweenKeys(createBudget({ unlimited: true }), pauses)
  const journal = openWrites(log, LOCAL_ADDRESS, resolve(settings.dataDir))
  const client = createClient({
    fetch: logged(worker?.fetch ?? fetch, log),
    baseUrl: LOCAL_ADDRESS,
    budget,
    readOnly: settings.readOnly,
    journal,
  })
  const profile = { name: settings.profile.name, host: '', local: true, readOnly: settings.readOnly }
  const seen = openSeenLists(log, LOCAL_ADDRESS, resolve(settings.dataDir))
  const pins = openFollowed(log, LOCAL_ADDRESS, resolve(settings.dataDir))
  const http = createHttpFetch()
  const isUsual = resolve(settings.dataDir) === resolve(directories().data)
  const start = isUsual ? 'mcpdeck serve' : `mcpdeck serve --data-dir '${settings.dataDir}'`
  const door = createVisitorDoor({ origin: DEFAULT_VISIT_ORIGIN, start, answer: fetch, http: http.fetch })
  const accessNotes = openNotes(log, LOCAL_ADDRESS, resolve(settings.dataDir))
  const close = async (): Promise<void> => {
    seen.close()
    await http.close()
    await worker?.close()
    const service = await opening?.catch(() => undefined)
    await service?.close()
    await journal.close()
  }
  const settle = async (signal?: AbortSignal): Promise<void> => {
    const service = await opening?.catch(() => undefined)
    if (!service || signal?.aborted) return
    const waiting = executingIn(service.store, process.pid)
    if (waiting.length === 0) return
    const what = waiting.map(({ kind, subjectId }) =>
      kind === 'run' ? subjectId : `${kind} of ${subjectId}`,
    )
    say(`Still under way in this process: ${what.join(', ')}. This command waits for it; Ctrl+C ends it.`)
    const stopped = new Promise<void>(resolve => signal?.addEventListener('abort', () => resolve()))
    await Promise.race([service.settle(), stopped])
  }
  const cacheFile = cacheFileOf(LOCAL_ADDRESS, resolve(settings.dataDir))
  const onArrival = (listener: () => void): void => {
    arrived = listener
  }
  const reruns = openLinks(log, LOCAL_ADDRESS, resolve(settings.dataDir))
  const kept = {
    seen,
    reruns,
    accessNotes,
    pins,
    journal,
    ...openOnCall(log, LOCAL_ADDRESS, resolve(settings.dataDir)),
  }
  const workspace = { client, queries: createQueries(client), budget, profile, ...kept, doctorSteps, door }
  const placeFile = placeFileOf(LOCAL_ADDRESS, resolve(settings.dataDir))
  return { workspace, journal, cacheFile, placeFile, onArrival, onKey: pauses.heard, settle, close }
}

function cacheFileOf(...profile: readonly string[]): string {
  return join(directories().cache, cacheFileName(journalProfile(...profile)))
}

function placeFileOf(...profile: readonly string[]): string {
  return join(directories().state, `place-${journalProfile(...profile)}.json`)
}

/** What was seen of lists; each data source, and each key of it, has its own. */
function openSeenLists(log: Log, ...profile: readonly string[]): ReturnType<typeof openSeen> {
  const file = join(directories().state, `seen-${journalProfile(...profile)}.json`)
  return openSeen({ file, onFault: log.error })
}

/** Which runs were launched from here as reruns of which; each data source, and each key of it, has its own. */
function openLinks(log: Log, ...profile: readonly string[]): RerunLinks {
  const file = join(directories().state, `reruns-${journalProfile(...profile)}.json`)
  return openRerunLinks({ file, onFault: log.error })
}

/** What was done to access; each data source, and each key of it, has its own. */
function openNotes(log: Log, ...profile: readonly string[]): ReturnType<typeof openAccessNotes> {
  const file = join(directories().state, `access-${journalProfile(...profile)}.json`)
  return openAccessNotes({ file, onFault: log.error })
}

/** The runs that are followed, of each data source and key. */
function openFollowed(log: Log, ...profile: readonly string[]): Pins {
  const file = join(directories().state, `followed-${journalProfile(...profile)}.json`)
  return openPins({ file, onFault: log.error })
}

/** What Now keeps, the doctor's reports and the incident notebook; each data source, and each key of it, has its own. */
function openOnCall(
  log: Log,
  ...profile: readonly string[]
): { now: NowMemory; notebook: Notebook; doctorReports: DoctorReports } {
  const fileOf = (what: string): string =>
    join(directories().state, `${what}-${journalProfile(...profile)}.json`)
  return {
    now: openNowMemory({ file: fileOf('now'), onFault: log.error }),
    doctorReports: openDoctorReports({ file: fileOf('doctor'), onFault: log.error }),
    notebook: openNotebookOf(...profile),
  }
}

/** The incident notebook of a data source and a key of it: its address and the key, or the local workspace's directory. */
function openNotebookOf(...profile: readonly string[]): Notebook {
  return openNotebook({ file: join(directories().state, `notebook-${journalProfile(...profile)}.json`) })
}

/** The incident notebook of a workspace that need not be opened for it. */
export function notebookOfSettings({ target, dataDir }: Settings): Notebook {
  return target.kind === 'remote'
    ? openNotebookOf(target.baseUrl, target.key)
    : openNotebookOf(LOCAL_ADDRESS, resolve(dataDir))
}

/** One file holds the writes of all profiles; each sees its own. */
function openWrites(log: Log, ...profile: readonly string[]): Journal {
  const file = join(directories().state, 'journal.sqlite')
  return openJournal({ file, profile: journalProfile(...profile), onFault: log.error })
}

/** Notes each deprecated path once, with its successor where the service names one. */
function noticeOnce(log: Log): (deprecation: Deprecation) => void {
  const seen = new Set<string>()
  return ({ endpoint, link }) => {
    if (seen.has(endpoint.path)) return
    seen.add(endpoint.path)
    log.line(`deprecated: ${endpoint.method} ${endpoint.path}${link ? `, successor ${link}` : ''}`)
  }
}

/** Failures that no caller sees; requests are noted by the client's side already. */
function noteService(log: Log, entry: LogEntry): void {
  if (entry.kind === 'failure') log.error(entry.error)
}

/** Tells of every answer, such as for its date. */
function heard(fetch: Fetch, onAnswer: ((answer: ApiResponse) => void) | undefined): Fetch {
  if (!onAnswer) return fetch
  return async request => {
    const response = await fetch(request)
    onAnswer(response)
    return response
  }
}

/** Notes method, path, status and time of each request; never headers or bodies, which may hold secrets. */
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
