import { spawn } from 'node:child_process'
import { existsSync, lstatSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { plainHeaders } from '../../api/contract/message.ts'
import { createHttpFetch, type HttpFetch, type Fetch } from '../../api/client/transport/fetch.ts'
import { thisMachine } from '../../lib/machine.ts'
import { executionSettings, GREETING, PROCESS_HEADER, SETTINGS_HEADER, workerSocket } from './address.ts'
import { say } from '../output/prose.ts'
import type { Settings } from '../config/settings.ts'

/** The worker of a workspace, or why this command executes by itself, as the end of a sentence. */
export type Reached = { kind: 'worker'; pid: number; http: HttpFetch } | { kind: 'none'; why: string }

/** Milliseconds that a worker may take to start and to answer. */
const START_MS = 15_000
const PAUSE_MS = 50

/** Finds the worker of a workspace, or starts one that outlives this process. */
export async function reachWorker({
  dataDir,
  logFile,
}: {
  dataDir: string
  logFile: string | undefined
}): Promise<Reached> {
  const socketPath = workerSocket(dataDir)
  if (socketPath === undefined) return { kind: 'none', why: 'no socket can be made for a worker there' }
  const program = fileURLToPath(new URL('./boot.js', import.meta.url))
  if (!existsSync(program)) return { kind: 'none', why: 'this mcpdeck is not built' }
  const stranger = strangerOf(socketPath)
  if (stranger !== undefined) return { kind: 'none', why: stranger }
  const http = createHttpFetch({ socketPath })
  const deadline = AbortSignal.timeout(START_MS)
  let starting: Promise<void> | undefined
  while (!deadline.aborted) {
    const greeted = await greet(http, deadline)
    if (greeted?.isSame) return { kind: 'worker', pid: greeted.pid, http }
    if (greeted) {
      await http.close()
      const why = `the workspace's worker (process ${greeted.pid}) has another version, directory, environment or model`
      return { kind: 'none', why }
    }
    starting ??= startWorker(program, dataDir, logFile).finally(() => (starting = undefined))
    await Promise.race([starting, delay(START_MS, undefined, { ref: false })])
    await delay(PAUSE_MS)
  }
  await http.close()
  return { kind: 'none', why: `no worker of the workspace answered within ${START_MS / 1000} s` }
}

/** Returns why a socket is not safe to use: its listener reads every request, including the secrets of servers. */
function strangerOf(socketPath: string): string | undefined {
  const found = lstatSync(socketPath, { throwIfNoEntry: false })
  if (!found || (found.isSocket() && found.uid === process.geteuid?.())) return undefined
  return `${socketPath} is ${found.isSocket() ? 'the socket of another user' : 'no socket'}`
}

/**
 * Returns undefined if no worker answers. A worker that answered stays for a moment, so that it receives the next
 * request.
 */
async function greet({ fetch }: HttpFetch, signal: AbortSignal): Promise<{ pid: number; isSame: boolean } | undefined> {
  try {
    const headers = plainHeaders({ [SETTINGS_HEADER]: executionSettings() })
    const answer = await fetch({ url: GREETING, method: 'GET', headers, body: null, signal })
    return { pid: Number(answer.headers.get(PROCESS_HEADER)), isSame: answer.status === 204 }
  } catch {
    return undefined
  }
}

/** Resolves when the worker listens, or has ended because another process is the worker. */
async function startWorker(program: string, dataDir: string, logFile: string | undefined): Promise<void> {
  const log = logFile === undefined ? [] : ['--log-file', resolve(logFile)]
  const words = [program, '--data-dir', resolve(dataDir), ...log, 'serve', 'worker']
  const child = spawn(process.execPath, words, { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  const ready = Promise.withResolvers<void>()
  for (const event of ['message', 'exit', 'error'] as const) child.once(event, () => ready.resolve())
  await ready.promise
  if (child.connected) child.disconnect()
  child.unref()
}

/**
 * Sends requests to the workspace's worker, or to this process if there can be no worker. Tells the user which of them
 * it is at the first write, since a command that only reads hands nothing over. If a worker is gone, the next request
 * starts another, which settles the work of the first.
 */
export function handOver(settings: Settings, here: Fetch): { fetch: Fetch; close: () => Promise<void> } {
  let reaching: Promise<Reached> | undefined
  let announced: Reached | undefined
  const announce = (reached: Reached): void => {
    if (reached === announced) return
    announced = reached
    if (reached.kind === 'worker')
      say(`Handed over to the workspace's worker (process ${reached.pid}); mcpdeck serve status shows it.`)
    else say(`This command executes what it starts and waits for its end: ${reached.why}.`)
  }
  return {
    async fetch(request) {
      const current = (reaching ??= reachWorker(settings))
      const reached = await current
      if (announced || request.method !== 'GET') announce(reached)
      if (reached.kind === 'none') return await here(request)
      try {
        return await reached.http.fetch(request)
      } catch (error) {
        if (reaching === current && thisMachine.startOf(reached.pid) === undefined) {
          reaching = undefined
          await reached.http.close()
        }
        throw error
      }
    },
    async close() {
      const reached = await reaching
      if (reached?.kind === 'worker') await reached.http.close()
    },
  }
}
