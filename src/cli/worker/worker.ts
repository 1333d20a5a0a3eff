import { chmodSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { type ApiRequest, plainHeaders } from '../../api/contract/message.ts'
import type { WholeResponse } from '../../service/core/pipeline.ts'
import { createService, type Service } from '../../service/workspace/service.ts'
import { visitOriginAt } from '../../service/core/urls.ts'
import { awaitsRetry, executingIn } from '../../service/workspace/executing.ts'
import { createLog, type Log } from '../output/log.ts'
import { modelSettings } from '../config/model-settings.ts'
import { createHttpServer, stopListening } from '../serve/http-server.ts'
import { untilStopped } from '../serve/serve.ts'
import { localSettings, type CommonOptions } from '../config/settings.ts'
import { executionSettings, GREETING, PROCESS_HEADER, SETTINGS_HEADER, workerSocket } from './address.ts'

/** Milliseconds that the worker stays without work and without a request. */
const IDLE_MS = 2_000

/**
 * Executes the work that commands hand over, which outlives them: opens the workspace, answers on a socket in its
 * directory, and returns when no work is left, on SIGTERM, or at once if the workspace already has a worker.
 */
export async function runWorker(common: CommonOptions): Promise<void> {
  const { dataDir, logFile, port } = localSettings(common, process.env)
  const log = createLog(logFile)
  const service = await createService({
    dataDir,
    samples: true,
    visitOrigin: () => visitOriginAt(port),
    models: modelSettings(process.env),
    // The worker ends soon, so it starts no scheduled work.
    schedulePollMs: 0,
    log: entry => entry.error !== undefined && log.error(entry.error),
  })
  try {
    const socket = workerSocket(dataDir)
    const ended = Promise.withResolvers<void>()
    const isOnly = service.jobs.start('worker', 'workspace', signal => {
      signal.addEventListener('abort', () => ended.resolve())
      return ended.promise
    })
    if (socket === undefined || !isOnly) return
    process.title = 'mcpdeck worker'
    await answerUntilIdle(service, socket, log, ended.promise)
    ended.resolve()
  } finally {
    await service.close()
  }
}

async function answerUntilIdle(service: Service, socket: string, log: Log, stopped: Promise<void>): Promise<void> {
  const settings = executionSettings()
  let open = 0
  let last = performance.now()
  const answer = async (request: ApiRequest): Promise<WholeResponse> => {
    if (request.url !== GREETING) return await answerAsOwner(service, request)
    const isSame = request.headers.get(SETTINGS_HEADER) === settings
    const headers = plainHeaders({ [PROCESS_HEADER]: String(process.pid) })
    return { status: isSame ? 204 : 409, headers, body: null }
  }
  const server = await createHttpServer(async request => {
    open += 1
    try {
      return await answer(request)
    } finally {
      open -= 1
      last = performance.now()
    }
  })
  // The lease proves that nobody listens there any more.
  rmSync(socket, { force: true })
  server.listen(socket)
  await once(server, 'listening')
  chmodSync(socket, 0o600)
  if (process.connected) process.send?.({ pid: process.pid })
  log.line(`worker ${process.pid} listens`)
  const { store } = service
  const isBusy = () => open > 0 || store.read(() => executingIn(store, process.pid).length > 0 || awaitsRetry(store))
  const idle = async () => {
    while (isBusy() || performance.now() - last < IDLE_MS) await delay(IDLE_MS / 10)
  }
  await Promise.race([idle(), untilStopped(undefined), stopped])
  await stopListening(server).closed
}

/** Answers as the owner: a process that can reach the socket can also read the owner's key beside it. */
async function answerAsOwner(service: Service, request: ApiRequest): Promise<WholeResponse> {
  const { method, url, body, signal } = request
  const authorization = `Bearer ${service.localKey}`
  const headers = plainHeaders({ ...Object.fromEntries(request.headers), authorization })
  return await service.answer({ method, url, headers, body, signal })
}
