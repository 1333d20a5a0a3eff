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

/** Starts `host.ts`; `said` resolves with its first line, or undefined when it ends without one. */
export function startHost(mode: string, options: object, killAt?: KillPoint) {
  return launchHost(process.execPath, [host, mode, JSON.stringify(options)], killAt)
}

/** `host.ts` in a shell that lets no file grow, as on a full disk. */
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

/** Makes the open writes of a journal that much older, in milliseconds. */
export function makeOlder(file: string, ms: number): void {
  const database = new DatabaseSync(file)
  const times = ['intendedAt', 'sentAt', 'settledAt'].map(name => `${name} = ${name} - :ms`)
  database.prepare(`UPDATE entries SET ${times.join()} WHERE open = 1`).run({ ms })
  database.close()
}

/** What the proxy does with the next write: lets it through, keeps it, or keeps its answer. */
export type Hold = 'nothing' | 'request' | 'answer'

/** An HTTP proxy in front of a service, whose address outlives what it holds back. */
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
    // It is all here by now, so that it can go on even where its sender is gone.
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
    /** How many writes came so far. */
    writes: () => writes,
    /** Holds from now on, after some that pass; resolves when something is held, with what lets that go on. */
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
