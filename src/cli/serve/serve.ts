import { jsonText, clean } from '../../lib/printable.ts'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { API_PREFIX } from '../../api/contract/contract.ts'
import { type EndingSignal, onEndingSignal } from '../../tui/terminal/ending-signals.ts'
import { createService } from '../../service/workspace/service.ts'
import { ServiceError } from '../../service/core/errors.ts'
import type { AnswerShape } from '../../service/workspace/answer-shapes.ts'
import { createFaults, parseFaults, type FaultyAnswer } from '../../service/faults/faults.ts'
import { ensureKeyFile } from '../../service/core/access.ts'
import { isLoopback } from '../../service/core/urls.ts'
import type { ModelSettings } from '../../service/models/endpoint.ts'
import type { LogEntry } from '../../service/core/pipeline.ts'
import { insertSamples } from '../../service/samples/insert-samples.ts'
import type { Store } from '../../service/core/database/store.ts'
import { type Log, openLogFile } from '../output/log.ts'
import { laidOut } from '../output/prose.ts'
import { createRedaction } from '../output/redaction.ts'
import { createMemoryRelease } from '../process/memory-release.ts'
import { isoTime } from '../../lib/times.ts'
import { createHttpServer, headersOf, stopListening } from './http-server.ts'

export type ServeOptions = {
  dataDir: string
  /** Port to listen on; 0 picks a free one. Default 0. */
  port?: number
  /** Default 127.0.0.1. */
  host?: string
  /** Allows a host address that other machines can reach. */
  allowRemote?: boolean
  /** Host names, besides those of loopback, that are accepted in requests to a loopback address. Default: none. */
  allowHost?: readonly string[]
  /** Sustained requests per minute and key; 0 turns the limit off. Default: the stored limit. */
  rateLimit?: number
  /** Requests that a key may send at once after a pause. Default: the stored limit. */
  burst?: number
  /** Maximum number of runs in flight. Default: the stored limit. */
  maxRuns?: number
  /** Adds samples to a workspace that has none. */
  sample?: boolean
  /** The document whose answer format is used if the documents differ. Default: the service document. */
  shape?: AnswerShape
  /** The model endpoint of prompt steps. */
  models?: ModelSettings | undefined
  /** Fault specifications such as `latency=50,429=0.1`. */
  faults?: readonly string[]
  /** Seed of the faults. Default 1. */
  seed?: number
  /** Where each request is logged: a file, or `-` for standard output. Default: nowhere. */
  requestLog?: string
  /** Log for failures, in addition to standard error. */
  log?: Log
  /** Prints one line of JSON instead of text, and logs requests as JSON. */
  json?: boolean
  stdout?: (text: string) => void
  stderr?: (text: string) => void
  /** Stops the service, as do SIGTERM and SIGINT. */
  signal?: AbortSignal
}

/**
 * Maximum characters of ended trials, and of ended runs, kept in memory: enough for what several callers follow at
 * once.
 */
const KEPT_TEXTS = 8_000_000

/** An error that prevents serving; its message is for the person who typed the command. */
export class ServeError extends Error {
  override readonly name = 'ServeError'
}

/**
 * Serves the local workspace over HTTP until it is stopped; resolves when answers are finished and everything is
 * closed, with the signal that stopped it if there was one.
 * @throws ServeError if the options or the address cannot be used
 */
export async function serve(options: ServeOptions): Promise<EndingSignal | undefined> {
  const { dataDir, port = 0, host = '127.0.0.1', rateLimit: perMinute, burst, seed = 1 } = options
  const { stdout = text => void process.stdout.write(text) } = options
  const { stderr = text => void process.stderr.write(laidOut(text, process.stderr)) } = options
  const isRemote = !isLoopback(host)
  if (isRemote && !options.allowRemote)
    throw new ServeError(`"${host}" can be reached from other machines; add --allow-remote if that is wanted.`)
  const inject = createFaults(faultRatesOf(options.faults ?? []), seed)
  let origin = ''
  const service = await createService({
    dataDir,
    rateLimit: { ...(perMinute !== undefined && { perMinute }), ...(burst !== undefined && { burst }) },
    models: options.models,
    cachedTextChars: KEPT_TEXTS,
    ...(options.maxRuns !== undefined && { maxConcurrentRuns: options.maxRuns }),
    ...(options.shape && { shape: options.shape }),
    visitOrigin: () => origin,
    allowedHosts: isRemote ? undefined : ownHostsOf(host, options),
    log: createServiceLog(options, { stdout, stderr }),
  })
  try {
    const keyFile = prepare(service.store, options, stderr)
    let answering = 0
    const memory = createMemoryRelease(() => answering > 0)
    const server = await createHttpServer(async (request, outgoing) => {
      answering += 1
      try {
        const answer = await inject(request, service.answer)
        if (answer.transport === 'send') return answer.response
        await breakOff(answer, outgoing)
        return undefined
      } finally {
        answering -= 1
        memory.putOff()
      }
    })
    server.listen(port, host)
    await listening(server, host, port)
    origin = `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`
    const baseUrl = `${origin}${API_PREFIX}`
    // A caller that reads the ready message may stop the service at once.
    const stopped = untilStopped(options.signal)
    stdout(options.json ? `${jsonText({ baseUrl, keyFile, pid: process.pid })}\n` : greeting(baseUrl, keyFile))
    if (isRemote)
      stderr(`Other machines can reach ${host}: anyone who has a key can use it, and nothing is encrypted.\n`)
    const ending = await stopped
    const closing = stopListening(server)
    await service.close()
    closing.cut()
    await closing.closed
    return ending
  } finally {
    await service.close()
  }
}

/** Logs requests where the options say. Failures and answers with status 500 go to standard error and the log. */
function createServiceLog(
  { requestLog, json = false, log }: ServeOptions,
  { stdout, stderr }: Record<'stdout' | 'stderr', (text: string) => void>,
) {
  const note = createRequestLog(requestLog, { json, stdout })
  const redact = createRedaction(process.env)
  return (entry: LogEntry): void => {
    if (entry.kind === 'request') {
      note(entry)
      if (entry.status !== 500) return
    }
    const who = entry.kind === 'request' ? `${entry.requestId} ${entry.status}` : 'mcpdeck serve'
    stderr(`${redact(`${who}: ${describe(entry.error)}`)}\n`)
    log?.line(who)
    log?.error(entry.error)
  }
}

/** Prepares the workspace for serving; returns the file of the clients' key. */
function prepare(store: Store, { sample }: ServeOptions, stderr: (text: string) => void): string {
  const notice = store.takeNotice()
  if (notice !== undefined) stderr(`${notice}\n`)
  if (sample) addSamples(store)
  const keyFile = store.directory?.serveKey ?? ''
  ensureKeyFile(store, keyFile, 'serve')
  return keyFile
}

function addSamples(store: Store): void {
  try {
    insertSamples(store, Date.now())
  } catch (error) {
    if (error instanceof ServiceError) throw new ServeError(error.message, { cause: error })
    throw error
  }
}

function ownHostsOf(host: string, { allowHost = [] }: ServeOptions): readonly string[] {
  return [host, ...allowHost]
}

function faultRatesOf(specs: readonly string[]) {
  try {
    return parseFaults(specs)
  } catch (error) {
    throw new ServeError(describe(error), { cause: error })
  }
}

async function listening(server: NodeJS.EventEmitter, host: string, port: number): Promise<void> {
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new ServeError(`Cannot listen on ${host}:${port}: ${whyNotListening(error)}.`, { cause: error })
  }
}

/** Says why the service cannot listen on an address, and what to choose instead. */
function whyNotListening(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') return 'another program uses this port; --port chooses another, 0 any free one'
  if (code === 'EACCES') return 'this port needs more rights; --port chooses another, from 1024 on'
  if (code === 'EADDRNOTAVAIL') return 'this machine has no such address; --host chooses another'
  return describe(error)
}

/** Closes the connection before the answer, or after half of a body whose full length the headers promise. */
async function breakOff({ response, transport }: FaultyAnswer, outgoing: ServerResponse): Promise<void> {
  if (transport === 'truncate') {
    const body = Buffer.from(response.body ?? '')
    outgoing.writeHead(response.status, headersOf(response))
    await new Promise<void>(resolve => outgoing.write(body.subarray(0, body.length >> 1), () => resolve()))
  }
  outgoing.destroy()
}

function greeting(baseUrl: string, keyFile: string): string {
  return `Serving the local workspace at ${baseUrl}\nThe key is in ${keyFile}\nStop with Ctrl+C.\n`
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Resolves at the first signal, with it; a second signal ends the process as usual. */
export async function untilStopped(signal: AbortSignal | undefined): Promise<EndingSignal | undefined> {
  let ending: EndingSignal | undefined
  const stop = new AbortController()
  const stopped = new Promise<void>(resolve => stop.signal.addEventListener('abort', () => resolve()))
  const end = () => stop.abort()
  const stopListening = onEndingSignal(received => {
    ending ??= received
    end()
  })
  if (signal?.aborted) end()
  else signal?.addEventListener('abort', end, { once: true })
  await stopped
  stopListening()
  signal?.removeEventListener('abort', end)
  return ending
}

/** An answered request; its path has no query. */
type AnsweredRequest = Extract<LogEntry, { kind: 'request' }>

/**
 * Logs one line for each request: the time of the answer, its id, method, path, status, milliseconds and key id; never
 * keys, bodies, queries or the secrets of links.
 * @param target a file, or `-` for standard output; undefined for no log
 * @throws UsageError if the file cannot be written
 */
function createRequestLog(
  target: string | undefined,
  { json, stdout }: { json: boolean; stdout: (text: string) => void },
): (request: AnsweredRequest) => void {
  if (target === undefined) return () => undefined
  const redact = createRedaction(process.env)
  const write = target === '-' ? stdout : openLogFile(target)
  const format = json ? asJson : asWords
  return request => write(`${redact(format(request, isoTime(Date.now())))}\n`)
}

function asJson({ requestId, method, path, status, durationMs, keyId }: AnsweredRequest, time: string) {
  const record = { time, requestId, method, path, status, durationMs: rounded(durationMs), keyId: keyId ?? null }
  return jsonText(record)
}

function asWords({ requestId, method, path, status, durationMs, keyId }: AnsweredRequest, time: string) {
  return [time, requestId, method, path, status, `${rounded(durationMs)}ms`, keyId ?? '-']
    .map(word => clean(String(word)))
    .join(' ')
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10
}
