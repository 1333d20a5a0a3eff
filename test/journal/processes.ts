import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { KillPoint } from './writer.ts'

const host = fileURLToPath(new URL('./host.ts', import.meta.url))

export function temporaryDirectory(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'mcpdeck-journal-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Starts `host.ts`; `said` resolves with its first line, or undefined if it ends without one. */
export function startHost(mode: string, options: object, killAt?: KillPoint) {
  return launchHost(process.execPath, [host, mode, JSON.stringify(options)], killAt)
}

/** Runs `host.ts` in a shell in which no file can grow, as on a full disk. */
export function startHostOnFullDisk(mode: string, options: object) {
  const command = [process.execPath, host, mode, JSON.stringify(options)]
  return launchHost('sh', ['-c', 'ulimit -f 0; exec "$@"', 'sh', ...command])
}

function launchHost(command: string, args: readonly string[], killAt?: KillPoint) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, KILL_AT: killAt } })
  const ended = once(child, 'exit').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
  }))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const said = async <T>(): Promise<T | undefined> => {
    const line = await lines.next()
    return line.done ? undefined : (JSON.parse(line.value) as T)
  }
  return { child, ended, said }
}

/** Makes the open writes of a journal older by the given milliseconds. */
export function makeOlder(file: string, ms: number): void {
  const database = new DatabaseSync(file)
  const times = ['intendedAt', 'sentAt', 'settledAt'].map(name => `${name} = ${name} - :ms`)
  database.prepare(`UPDATE entries SET ${times.join()} WHERE open = 1`).run({ ms })
  database.close()
}

/** What the proxy does with the next write: forwards it, holds it back, or holds back its answer. */
export type Hold = 'nothing' | 'request' | 'answer'

/** An HTTP proxy in front of a service. Its address stays the same after the requests that it holds back. */
export async function startProxy(target: string) {
  let hold: Hold = 'nothing'
  let [writes, passing] = [0, 0]
  let report: (goOn: () => void) => void = () => {}
  const forward = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const isWrite = incoming.method !== 'GET'
    if (isWrite) writes += 1
    const passes = writes <= passing
    const isHeld = (what: Hold) => isWrite && !passes && hold === what
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    // The whole request has arrived, so that it can be forwarded even if its sender is gone.
    if (isHeld('request')) await new Promise<void>(goOn => report(goOn))
    const headers = Object.entries(incoming.headers).flatMap(([name, value]) =>
      ['host', 'connection', 'content-length'].includes(name) ? [] : [[name, String(value)] as [string, string]],
    )
    const answer = await fetch(new URL(incoming.url ?? '', target), {
      method: incoming.method!,
      headers,
      ...(isWrite && { body: Buffer.concat(chunks) }),
    })
    const body = Buffer.from(await answer.arrayBuffer())
    if (isHeld('answer')) await new Promise<void>(goOn => report(goOn))
    outgoing.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(body)
  }
  const server = createServer((incoming, outgoing) => void forward(incoming, outgoing))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}${new URL(target).pathname}`,
    /** Number of writes received so far. */
    writes: () => writes,
    /**
     * Holds back writes from now on, after the given number. Resolves once a write is held, with a function that
     * releases it.
     */
    hold(what: Hold, after = 0): Promise<() => void> {
      hold = what
      passing = writes + after
      return new Promise(resolve => (report = resolve))
    },
    letThrough() {
      hold = 'nothing'
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
