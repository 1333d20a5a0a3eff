import { dirname } from 'node:path'
import type { Traffic } from '../../connections/traffic.ts'
import type { ServerTarget } from '../../connections/types.ts'
import { ExecutionLost, type Executor, type RunExecution } from '../executor.ts'
import {
  fromSentError,
  toSentError,
  type FromThread,
  type SentTarget,
  type ThreadData,
  type ThreadSettings,
  type ToThread,
} from './messages.ts'
import { createTrafficReceiver, type RelayedTraffic } from './traffic-relay.ts'

/** Milliseconds for which the thread is kept after the last run, unless the connections need another time. */
const IDLE_MS = 30_000

/** Longest time in milliseconds between two readings of the traffic while its tab is open. */
const WATCH_MS = 60_000

/** Milliseconds for which a thread may end its server programs. The guardian ends those that are left. */
const CLOSE_MS = 5000

/** The program of the thread, which is in this folder. The build puts it next to the chunks in `dist`. */
const ENTRY = import.meta.url.endsWith('.ts')
  ? new URL('./thread.ts', import.meta.url)
  : new URL('./run-thread.js', import.meta.url)

type HttpTransport = Extract<ServerTarget['transport'], { type: 'http' }>
type TokenQuestion = Extract<FromThread, { kind: 'askToken' }>
type UnderWay = { targets: readonly ServerTarget[]; ended: PromiseWithResolvers<void> }
type Thread = {
  execute(execution: RunExecution, signal: AbortSignal): Promise<void>
  readonly isIdle: boolean
  drop(serverId: string): void
  watch(serverId: string, ms: number): void
  close(): Promise<void>
}

/** Executes runs in a separate thread, which starts with the first run and ends after it has been idle. */
export function createThreadExecutor(settings: ThreadSettings, traffic: Traffic): Executor {
  const { idleMs = IDLE_MS } = settings.connections
  const closing = new Set<Promise<void>>()
  let current: Thread | undefined
  let idle: NodeJS.Timeout | undefined
  const looked = new Map<string, number>()
  let isClosed = false

  const retire = () => {
    clearTimeout(idle)
    const closed = current?.close()
    current = undefined
    if (closed) closing.add(closed.finally(() => closing.delete(closed)))
  }
  const lookFrom = (thread: Thread, serverId: string, until: number) => {
    const ms = until - performance.now()
    if (ms > 0) thread.watch(serverId, ms)
    else looked.delete(serverId)
  }
  const forget = (thread: Thread) => {
    if (current === thread) current = undefined
  }

  return {
    async execute(execution, signal) {
      if (isClosed) throw new ExecutionLost('The service was closed before the trial began.')
      clearTimeout(idle)
      current ??= startThread(settings, { onEnd: forget, onTraffic: createTrafficReceiver(traffic) })
      const thread = current
      for (const [serverId, until] of looked) lookFrom(thread, serverId, until)
      try {
        await thread.execute(execution, signal)
      } finally {
        if (current === thread && thread.isIdle) idle = setTimeout(retire, idleMs).unref()
      }
    },
    drop: serverId => current?.drop(serverId),
    watch(serverId) {
      const until = performance.now() + WATCH_MS
      looked.set(serverId, until)
      if (current) lookFrom(current, serverId, until)
    },
    async close() {
      isClosed = true
      retire()
      await Promise.all(closing)
    },
  }
}

function startThread(
  settings: ThreadSettings,
  { onEnd, onTraffic }: { onEnd: (thread: Thread) => void; onTraffic: (recorded: RelayedTraffic) => void },
): Thread {
  // Loaded here, since an import would delay every start by some milliseconds.
  const threads = process.getBuiltinModule('node:worker_threads')
  // Otherwise output of a library would appear in the middle of the screen.
  const output = { stdout: true, stderr: true }
  const workerData: ThreadData = { ...settings, compileCache: compileCache() }
  const worker = new threads.Worker(ENTRY, { name: 'runs', workerData, env: threads.SHARE_ENV, ...output })
  worker.stdout.resume()
  worker.stderr.resume()
  const underWay = new Map<string, UnderWay>()
  const exited = new Promise<void>(resolve => worker.once('exit', () => resolve()))
  let failure: Error | undefined
  const send = (message: ToThread) => worker.postMessage(message, [])

  const answerToken = async ({ question, runId, serverId, refused }: TokenQuestion) => {
    const target = underWay.get(runId)?.targets.find(({ id }) => id === serverId)
    try {
      const { accessToken, renewedToken }: Partial<HttpTransport> =
        target?.transport.type === 'http' ? target.transport : {}
      const token = await (refused === undefined ? accessToken?.() : renewedToken?.(refused))
      send({ kind: 'token', question, token })
    } catch (error) {
      send({ kind: 'token', question, problem: toSentError(error) })
    }
  }

  worker.on('message', (message: FromThread) => {
    if (message.kind === 'traffic') return onTraffic(message.recorded)
    if (message.kind === 'askToken') return void answerToken(message)
    const { ended } = underWay.get(message.runId) ?? {}
    if (message.problem) ended?.reject(fromSentError(message.problem))
    else ended?.resolve()
  })
  worker.on('error', error => void (failure = error))
  worker.on('exit', () => {
    onEnd(thread)
    const why = failure ? `: ${failure.message}` : ''
    const message = `The thread that executed it ended before the trial did${why}`
    for (const { ended } of underWay.values()) ended.reject(new ExecutionLost(message, { cause: failure }))
  })

  const thread: Thread = {
    async execute({ targets, ...execution }, signal) {
      const { runId } = execution
      const ended = Promise.withResolvers<void>()
      const stop = () => send({ kind: 'stop', runId })
      underWay.set(runId, { targets, ended })
      worker.ref()
      try {
        send({ kind: 'execute', execution: { ...execution, targets: targets.map(toSent) } })
        if (signal.aborted) stop()
        else signal.addEventListener('abort', stop, { once: true })
        await ended.promise
      } finally {
        signal.removeEventListener('abort', stop)
        underWay.delete(runId)
        // Without a run the thread must not keep the program alive.
        if (underWay.size === 0) worker.unref()
      }
    },
    get isIdle() {
      return underWay.size === 0
    },
    drop: serverId => send({ kind: 'drop', serverId }),
    watch: (serverId, ms) => send({ kind: 'watch', serverId, ms }),
    async close() {
      worker.ref()
      send({ kind: 'close' })
      const limit = setTimeout(() => void worker.terminate(), CLOSE_MS)
      await exited
      clearTimeout(limit)
    },
  }
  return thread
}

/** Returns where this process stores compiled code. Node's own folder inside is named after its version. */
function compileCache(): string | undefined {
  const used = process.getBuiltinModule('node:module').getCompileCacheDir()
  return used === undefined ? undefined : dirname(used)
}

function toSent({ transport, ...target }: ServerTarget): SentTarget {
  if (transport.type === 'stdio') return { ...target, transport }
  const { accessToken, renewedToken, ...http } = transport
  const flags = { asksToken: accessToken !== undefined, renewsToken: renewedToken !== undefined }
  return { ...target, transport: { ...http, ...flags } }
}
