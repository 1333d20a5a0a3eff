import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { stillRunning } from '../journeys/processes.ts'
import { minimalEnv } from '../pty/home.ts'
import { PROGRAM, runInHost, type Ended } from './hosts.ts'
import { untilNextLook } from '../pause.ts'

/** A running program. */
export type Started = { child: ChildProcessWithoutNullStreams; output: () => string; ended: () => Promise<Ended> }

type Runs = { home: string; run(args: readonly string[]): Promise<Ended> }

/** Process id of the worker of a home's workspace. */
export async function workerOf(home: Pick<Runs, 'run'>): Promise<number | undefined> {
  const { stdout } = await home.run(['serve', 'status', '--json'])
  return (JSON.parse(stdout) as { worker: { pid: number } | null }).worker?.pid
}

/** Ends the worker that commands may have started, because it would continue to write into the home. */
async function endWorker(home: Runs): Promise<void> {
  if (!existsSync(join(home.home, '.local/share/mcpdeck/worker.sock'))) return
  const pid = await workerOf(home)
  if (pid === undefined) return
  process.kill(pid, 'SIGTERM')
  while (isAlive(pid)) await untilNextLook()
}

/** Whether a process exists and is not a zombie. */
export function isAlive(pid: number): boolean {
  return stillRunning([pid]).length > 0
}

/** Whether Node or a library reads this variable only once in a process. */
const isReadAtStart = (name: string): boolean => /^(?:HOME$|NODE_|XDG_)/.test(name)

/**
 * A separate home in which the built program runs without a terminal. `apart` runs each command in a separate process,
 * for tests of settings that are read when a process starts.
 */
export async function openHome({ apart = false } = {}) {
  const home = await mkdtemp(join(tmpdir(), 'mcpdeck-cli-'))
  return {
    home,
    /**
     * Starts the program as a script would, optionally with a file as standard output. `output` returns what it has
     * written to standard output so far.
     */
    start(
      args: readonly string[],
      options: { env?: Record<string, string>; stdout?: string; cwd?: string } = {},
    ): Started {
      const words = [process.execPath, PROGRAM, ...args]
      const [file = '', ...rest] =
        options.stdout === undefined ? words : ['/bin/sh', '-c', `exec "$@" > ${options.stdout}`, 'sh', ...words]
      const child = spawn(file, rest, {
        env: { ...minimalEnv(home), ...options.env },
        stdio: 'pipe',
        ...(options.cwd !== undefined && { cwd: options.cwd }),
      })
      let output = ''
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString()
      })
      const ended = Promise.all([text(child.stderr), once(child, 'close') as Promise<[number | null]>])
      return {
        child,
        output: () => output,
        ended: async () => {
          const [stderr, [code]] = await ended
          return { code, stdout: output, stderr }
        },
      }
    },
    /** Runs the program to its end, as a script would; by default in a process that it shares with other commands. */
    async run(
      args: readonly string[],
      options: { env?: Record<string, string>; input?: string; stdout?: string; cwd?: string } = {},
    ): Promise<Ended> {
      const { env = {}, input = '', stdout, cwd = process.cwd() } = options
      if (!apart && stdout === undefined && !Object.keys(env).some(isReadAtStart))
        return await runInHost({ args, env: { ...minimalEnv(home), ...env }, input, cwd })
      const { child, ended } = this.start(args, options)
      child.stdin.end(input)
      return await ended()
    },
    /** Restores the whole rate of the key, like a quiet minute; no program may use the key meanwhile. */
    rest(): void {
      const state = join(home, '.local/state/mcpdeck')
      const files = existsSync(state) ? readdirSync(state).filter(name => name.startsWith('budget.sqlite')) : []
      for (const name of files) rmSync(join(state, name))
    },
    async close() {
      await endWorker(this)
      await rm(home, { recursive: true, force: true })
    },
  }
}
