import { fork, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { programStarted } from '../pty/started.ts'

export const PROGRAM = join(import.meta.dirname, '../../dist/boot.js')
/** Given a JSON list of commands, it runs them one after the other in its terminal, each followed by `endOf`. */
export const HOST = fileURLToPath(new URL('command-host.ts', import.meta.url))

/** Returns the text that a terminal shows at the end of each command. */
export const endOf = (code: number | string | null | undefined): string => `=== ended with ${code} ===\n`

/** How a command ended, and its output. */
export type Ended = { code: number | null; stdout: string; stderr: string }

/** A command for a host. Each of its outputs ends with `mark`. */
export type Asked = { args: readonly string[]; env: Record<string, string>; cwd: string; input: string; mark: string }

/** Processes that wait for a next command, and their maximum number: tests run a few commands at a time. */
const idle: ChildProcess[] = []
const MOST_IDLE = 4

/**
 * Runs a command of the built program in a process that has already loaded it, because most of the time of a short
 * command is the start of a process. Each process runs one command at a time. A command that leaves anything behind, or
 * ends its process, is the last of that process: it ends or hangs as it would in a separate process.
 */
export async function runInHost(asked: Omit<Asked, 'mark'>): Promise<Ended> {
  programStarted()
  const host = idle.pop() ?? (await startHost(asked.env))
  const mark = randomUUID()
  const over = new AbortController()
  const either = (['message', 'close'] as const).map(event => once(host, event, { signal: over.signal }))
  const outputs = Promise.all([host.stdout!, host.stderr!].map(stream => readUntil(stream, mark)))
  host.send({ ...asked, mark } satisfies Asked)
  const [[code], [stdout = '', stderr = '']] = await Promise.all([Promise.race(either), outputs])
  over.abort()
  if (host.connected && idle.length < MOST_IDLE) idle.push(host)
  else if (host.connected) host.disconnect()
  return { code: code as number | null, stdout, stderr }
}

/** Starts a host. The files that the program reads before its first command are the same in all homes of tests. */
async function startHost(env: Record<string, string>): Promise<ChildProcess> {
  const host = fork(HOST, { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  await once(host, 'message')
  // The host ends when the process of the tests does.
  for (const held of [host, host.channel!, host.stdout as Socket, host.stderr as Socket]) held.unref()
  return host
}

/** Reads until the mark, or the end of the stream. */
async function readUntil(stream: Readable, mark: string): Promise<string> {
  let text = ''
  stream.setEncoding('utf8')
  const { promise, resolve } = Promise.withResolvers<void>()
  const read = (piece: string) => {
    text += piece
    if (text.endsWith(mark)) resolve()
  }
  stream.on('data', read).once('close', resolve)
  await promise
  stream.off('data', read).off('close', resolve)
  return text.endsWith(mark) ? text.slice(0, -mark.length) : text
}
