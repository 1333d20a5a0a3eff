import { BOUNDS } from '../../lib/bounds.ts'
import type { AnyEndpoint } from '../../api/contract/endpoint.ts'
import type { ApiRequest } from '../../api/contract/message.ts'
import type { AnswerShape } from './answer-shapes.ts'
import { createBackground, forgetInBackground } from '../core/background.ts'
import { createCallHistory } from '../calls/calls.ts'
import { createConnections, type Connections } from '../connections/engine.ts'
import type { ServerTarget } from '../connections/types.ts'
import { createServerRequests, type ServerRequests } from '../connections/server-requests.ts'
import { createTraffic, type Traffic } from '../connections/traffic.ts'
import type { ConnectionsOptions } from '../connections/runner.ts'
import { createHandlers, withGuards } from './handlers.ts'
import type { ServiceContext } from '../core/context.ts'
import { createJobs, type Jobs } from '../core/jobs.ts'
import { type RateLimit, createLimits, createQuotas } from '../core/organization-limits.ts'
import type { ModelSettings } from '../models/endpoint.ts'
import { createPipeline, type LogEntry, type WholeResponse } from '../core/pipeline.ts'
import { createRunEngine } from '../runs/engine.ts'
import { createExecutor, type ExecutionSettings, type Executor } from '../runs/executor.ts'
import { createThreadExecutor } from '../runs/thread/thread-executor.ts'
import { openWorkspace, type WorkspaceOptions } from './store.ts'
import { answerVisit, VISIT_PREFIX } from '../scenarios/visit-http.ts'
import { createVisits } from '../scenarios/visits.ts'
import { mineInBackground } from '../scenarios/windows.ts'
import { launchInBackground } from '../runs/scheduled-launches.ts'
import { createServerTargets } from '../servers/targets.ts'
import { toServerRequests } from '../server-requests/handlers.ts'
import type { ServerRequest } from '../../api/contract/server-requests.ts'
import type { Store } from '../core/database/store.ts'
import { DEFAULT_PORT, visitOriginAt } from '../core/urls.ts'
export type ServiceOptions = WorkspaceOptions & {
  /** Rate limit of each key. It takes precedence over the stored limit of the organization. Default: `off`. */
  rateLimit?: Partial<RateLimit> | 'off'
  /** Maximum number of concurrent runs of the organization. Default: the organization's stored number. */
  maxConcurrentRuns?: number
  /** Maximum number of concurrent trials of one run. Default 4. */
  trialConcurrency?: number
  /** Whether calls to one MCP server wait for each other. Default false. */
  serialServers?: boolean
  /** Time limit of one trial in milliseconds. Default two minutes. */
  trialDeadlineMs?: number
  /**
   * Whether trials are executed in the thread that answers requests, where they delay answers. Default: only for a
   * workspace in memory.
   */
  executeHere?: boolean
  /** Whether the thread that draws the screen takes precedence over runs if there are few processors. */
  runsGiveWay?: boolean
  /** The model endpoint. Without it, only callers that send keys can use models. */
  models?: ModelSettings | undefined
  /** Default `document`, in which a suite's runs are a bare array. */
  shape?: AnswerShape
  /** Validates every answer against its declaration. Default: except in production. */
  validateResponses?: boolean
  /** Maximum size of a request body in bytes. Default 6 MiB. */
  maxBodyBytes?: number
  /** Number of characters of answers to cache, once for ended trials and once for ended runs. Default 400,000. */
  cachedTextChars?: number
  /** The slug in `x-<slug>-eval-vocabulary`. Default `mcpjam`. */
  serviceSlug?: string
  connections?: ConnectionsOptions
  /**
   * Returns the origin of visitors' links, called when a link is created. Default: the origin of `mcpdeck serve` at its
   * default port.
   */
  visitOrigin?: () => string
  /** Host names and addresses that are accepted besides loopback; requests to others are refused. Default: any. */
  allowedHosts?: readonly string[] | undefined
  /** Returns the time for schedules in epoch milliseconds. Default: the machine's clock. */
  now?: () => number
  /**
   * Milliseconds between two checks for due schedules; 0 for a process that ends soon and launches none. Default 6000.
   */
  schedulePollMs?: number
  /** Upper limit for the interval of any background work, in milliseconds. Default: none. */
  longestPauseMs?: number
  /** Called when lists change without a request, as when the samples of a new workspace are inserted. */
  onArrival?: () => void
  onDoctorStep?: ServiceContext['onDoctorStep']
  /** Receives all open requests of servers to a person. If absent, servers are told that nobody can answer. */
  onServerRequests?: (waiting: readonly ServerRequest[]) => void
  /** Whether a person answers only forms. Servers are then told that nothing else is supported. */
  answersOnlyForms?: boolean
  /** Called when a server reports a change. */
  onServerNews?: (serverId: string) => void
  /** Called with every request, and with every failure that no answer reports. */
  log?: (entry: LogEntry) => void
}

/** The local workspace, as a function from request to answer. */
export type Service = {
  /** Answers requests below `/api/v1`, and visitors below `/visit/`. Never rejects. */
  answer(request: ApiRequest): Promise<WholeResponse>
  /** Like `answer`, with the standard classes, which take longer to create than most answers. */
  fetch(request: Request): Promise<Response>
  readonly localKey: string
  /**
   * Returns a text for the state on which an answer depends: as long as it is equal, so is the answer. Undefined if the
   * answer depends on more than the records.
   */
  stateOf(endpoint: AnyEndpoint): string | undefined
  /** Returns a saved server with its secrets, for connections of this process; undefined if there is none. */
  targetOf(serverId: string): ServerTarget | undefined
  /** The records, for creating, listing and revoking keys (`core/access.ts`). */
  readonly store: Store
  readonly jobs: Jobs
  /** Resolves when this process has no run and no other work in progress. */
  settle(): Promise<void>
  /** Completes answers, ends runs and server programs, and closes the store. Calling it twice is safe. */
  close(): Promise<void>
}

/** Milliseconds between two parts of the samples of a new workspace. Other requests are answered in between. */
const SAMPLES_MS = 50

/** Milliseconds between two checks for work that other processes abandoned. */
const ABANDONED_CHECK_MS = 6000

const DEFAULTS = { trialConcurrency: 4, maxBodyBytes: BOUNDS.requestBody.most, cachedTextChars: 400_000 }

/** Adds the samples that are due, one after another. */
function insertInBackground({ store, background, now }: ServiceContext, onArrival: (() => void) | undefined): void {
  if (store.samples.due().length === 0) return
  background.every(SAMPLES_MS, async () => {
    const { insertNextSamples } = await import('../samples/insert-samples.ts')
    const isMore = insertNextSamples(store, now())
    onArrival?.()
    return isMore
  })
}

/** Opens the workspace, creates it on first use, and settles what an earlier process left behind. */
export async function createService(options: ServiceOptions): Promise<Service> {
  const { store, localKey } = openWorkspace(options)
  const traffic = createTraffic()
  const serverRequests = createRequestsFor(options, store)
  const requests = options.onServerRequests && serverRequests
  const own = createConnections({ ...options.connections, traffic, requests, onServerNews: options.onServerNews })
  const { log, now = Date.now } = options
  const onError = (error: unknown) => log?.({ kind: 'failure', error })
  try {
    const executor = createExecutorFor(options, { store, connections: own, traffic })
    const connections = droppingBoth(own, executor)
    const runs = createRunEngine({ store, executor, onError })
    const background = createBackground(onError, options.longestPauseMs)
    const jobs = createJobs(store, onError)
    const limits = createLimits(store, fixedLimits(options))
    const targets = createServerTargets(store)
    const visits = createVisits({ store, connections, targets, models: options.models, now, onError })
    const context: ServiceContext = {
      store,
      connections,
      traffic: watchingBoth(traffic, executor),
      serverRequests,
      targets,
      history: createCallHistory({ store, now, onError }),
      runs,
      limits,
      quotas: createQuotas(store, limits, now),
      jobs,
      background,
      visits,
      visitOrigin: options.visitOrigin ?? (() => visitOriginAt(DEFAULT_PORT)),
      onError,
      now,
      cachedTextChars: options.cachedTextChars ?? DEFAULTS.cachedTextChars,
      models: options.models,
      onDoctorStep: options.onDoctorStep ?? (() => {}),
      perform: (request, inner) => pipeline.perform(request, inner),
    }
    const handlers = withGuards(store, createHandlers(context))
    const settleAbandoned = () => {
      runs.settleAbandoned()
      jobs.settleAbandoned()
    }
    settleAbandoned()
    background.every(ABANDONED_CHECK_MS, settleAbandoned)
    launchInBackground(context, options.schedulePollMs)
    forgetInBackground(store, background, now)
    mineInBackground(context, background)
    insertInBackground(context, options.onArrival)
    const pipeline = createPipeline({
      store,
      handlers,
      visitors: { prefix: VISIT_PREFIX, answer: (...visit) => answerVisit(visits, ...visit) },
      limits,
      maxBodyBytes: options.maxBodyBytes ?? DEFAULTS.maxBodyBytes,
      validateResponses: options.validateResponses ?? process.env['NODE_ENV'] !== 'production',
      vocabularyHeader: `x-${options.serviceSlug ?? 'mcpjam'}-eval-vocabulary`,
      allowedHosts: options.allowedHosts,
      bareLists: options.shape !== 'published',
      log,
    })
    let closing: Promise<void> | undefined
    const close = async () => {
      await pipeline.close()
      await background.close()
      await jobs.close()
      // Runs end in the store before the first session is closed. Server programs of both threads end at the same time.
      await Promise.all([runs.close(), connections.close()])
      store.close()
    }
    return {
      answer: pipeline.answer,
      async fetch(request) {
        const { status, headers, body } = await pipeline.answer(request)
        return new Response(body, { status, headers: [...headers] })
      },
      stateOf: ({ fromRecords }) => (fromRecords && closing === undefined ? store.state() : undefined),
      targetOf(serverId) {
        const row = store.servers.find(serverId)
        return row && targets.of(row)
      },
      localKey,
      store,
      jobs,
      async settle() {
        await jobs.settle()
        await runs.settle()
        // The end of a run may have started its grading.
        await jobs.settle()
      },
      close: () => (closing ??= close()),
    }
  } catch (error) {
    store.close()
    throw error
  }
}

function createRequestsFor(
  { onServerRequests, answersOnlyForms = false, models }: ServiceOptions,
  store: Store,
): ServerRequests {
  const requests = createServerRequests({
    onlyForms: answersOnlyForms,
    rootsOf: serverId => store.servers.find(serverId)?.roots ?? [],
    onChange: () => onServerRequests?.(toServerRequests({ store, models }, requests.all())),
  })
  return requests
}

/** Returns the connections of this thread. Dropping a server drops it in the executor too. */
function droppingBoth(own: Connections, executor: Executor): Connections {
  return {
    ...own,
    drop(serverId) {
      own.drop(serverId)
      executor.drop(serverId)
    },
  }
}

/** Returns the traffic of this thread. Watching a server watches it in the executor too. */
function watchingBoth(own: Traffic, executor: Executor): Traffic {
  return {
    ...own,
    of(serverId) {
      executor.watch(serverId)
      return own.of(serverId)
    },
  }
}

function createExecutorFor(
  options: ServiceOptions,
  { store, connections, traffic }: { store: Store; connections: Connections; traffic: Traffic },
): Executor {
  const settings: ExecutionSettings = {
    trialConcurrency: options.trialConcurrency ?? DEFAULTS.trialConcurrency,
    serialServers: options.serialServers ?? false,
    trialDeadlineMs: options.trialDeadlineMs,
    models: options.models,
  }
  if (!store.directory || options.executeHere) return createExecutor({ ...settings, store, connections })
  const { database } = store.directory
  // A server program that was started early stays in this process, which uses it first.
  const { early: _early, traffic: _traffic, requests: _requests, ...threadConnections } = options.connections ?? {}
  const runsGiveWay = options.runsGiveWay ?? false
  return createThreadExecutor({ ...settings, database, connections: threadConnections, runsGiveWay }, traffic)
}

/** Returns the limits that this process was started with. The organization's limits apply where one is undefined. */
function fixedLimits({ rateLimit = 'off', maxConcurrentRuns }: ServiceOptions) {
  const { perMinute, burst }: Partial<RateLimit> = rateLimit === 'off' ? { perMinute: 0 } : rateLimit
  return { requestsPerMinute: perMinute, burst, concurrentRuns: maxConcurrentRuns }
}
