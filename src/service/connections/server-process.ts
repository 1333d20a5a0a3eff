import { spawn, type ChildProcessWithoutNullStreams, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { ServiceError } from '../core/errors.ts'
import { serverEnvironment } from './command-lookup.ts'
import { settlesWithin } from '../core/deadline.ts'
import { type Guardian, MARK_VARIABLE, endStrays } from './guardian.ts'
import { lastWordsIn } from './last-words.ts'
import { setTimeout as delay } from 'node:timers/promises'
const STDERR_KEPT_BYTES = 8 * 1024
/** Bytes of stderr that are kept until there is a listener, for example of a program that was started early. */
const STDERR_UNHEARD_BYTES = 256 * 1024
/** Milliseconds to wait after the program exited for output that is still in the pipe. */
const DRAIN_MS = 100

export type ServerCommand = { command: string; args: string[]; env: Record<string, string> }

/** Which process ends a program: this one, or the guardian after this process has ended (not on Windows). */
export type ServerEnding = 'here' | 'guardian'

/** The running program of a server. The caller reads its stdout. The end of its stderr is kept for error messages. */
export type ServerProcess = {
  readonly child: ChildProcessWithoutNullStreams
  /** Resolves when the program has ended, whether or not by itself, with a description of the end. */
  readonly ended: Promise<string>
  /** Returns the last line written to stderr, safe to show; empty if there is none. */
  lastWords(): string
  /** Calls the listener with the output on stderr, including the output until now. */
  onStderr(listener: (chunk: Buffer) => void): void
  /** Ends the program and everything it started, or lets the guardian do so. Calling it twice is safe. */
  end(): Promise<void>
}

/** Starts a server in its own process group, guarded. @throws ServiceError `SERVER_UNREACHABLE`, `VALIDATION_ERROR` */
export async function startServer(
  { command, args, env }: ServerCommand,
  serverName: string,
  guardian: Guardian,
  ending: ServerEnding,
): Promise<ServerProcess> {
  const mark = guardian.mark()
  const child = spawnOrRefuse({ command, args, env: { ...env, [MARK_VARIABLE]: mark } }, serverName)
  const group = child.pid
  if (group !== undefined) guardian.add(group)
  try {
    await once(child, 'spawn')
  } catch (error) {
    throw cannotStart(serverName, command, error)
  }
  const { lastWords, onStderr } = keepStderr(child)
  const exited = new Promise<string>(resolve => {
    child.once('exit', (code, signal) => resolve(signal ? `was ended by ${signal}` : `exited with code ${code}`))
  })
  const closed = new Promise<void>(resolve => child.once('close', () => resolve()))
  const letGo = () => {
    child.stdout.destroy()
    child.stderr.destroy()
    child.stdin.destroy()
  }
  const endHere = async () => {
    await endProcessGroup(child, exited, mark)
    if (group !== undefined) guardian.remove(group)
    letGo()
  }
  const leave = async () => {
    letGo()
    child.unref()
  }
  let end: Promise<void> | undefined
  const ended = exited.then(async how => {
    await settlesWithin(closed, DRAIN_MS)
    const words = lastWords()
    return words ? `${how}: ${words}` : how
  })
  // If a pipe breaks, the program's exit reports it.
  child.stdin.on('error', () => {})
  child.stdout.on('error', () => {})
  child.on('error', () => {})
  const isLeft = ending === 'guardian' && process.platform !== 'win32'
  return { child, ended, lastWords, onStderr, end: () => (end ??= isLeft ? leave() : endHere()) }
}

function spawnOrRefuse({ command, args, env }: ServerCommand, serverName: string) {
  try {
    return spawn(command, args, {
      env: serverEnvironment(env),
      stdio: ['pipe', 'pipe', 'pipe'],
      shell: false,
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code?.startsWith('ERR_INVALID_ARG')) {
      // The runtime's own message quotes the value, which may be a secret.
      throw new ServiceError(
        'VALIDATION_ERROR',
        `The command, arguments or environment of "${serverName}" cannot be used.`,
        { details: { field: 'command' } },
      )
    }
    throw cannotStart(serverName, command, cause)
  }
}

function cannotStart(serverName: string, command: string, cause: unknown): ServiceError {
  const { code } = cause as NodeJS.ErrnoException
  const reason =
    code === 'ENOENT'
      ? `command not found: ${command}`
      : code === 'EACCES'
        ? `command is not executable: ${command}`
        : `${command}: ${code ?? 'unknown reason'}`
  return new ServiceError('SERVER_UNREACHABLE', `The server "${serverName}" could not be started: ${reason}`, { cause })
}

/** Reads stderr until its end, so that the server never waits for a reader, and keeps the last part. */
function keepStderr(child: ChildProcessWithoutNullStreams): Pick<ServerProcess, 'lastWords' | 'onStderr'> {
  let tail = Buffer.alloc(0)
  let listener: ((chunk: Buffer) => void) | undefined
  child.stderr.on('error', () => {})
  child.stderr.on('data', (chunk: Buffer) => {
    const kept = listener ? STDERR_KEPT_BYTES : STDERR_UNHEARD_BYTES
    // Buffer.from copies: a slice alone would keep every chunk alive.
    tail = Buffer.from(Buffer.concat([tail, chunk]).subarray(-kept))
    listener?.(chunk)
  })
  return {
    lastWords: () => lastWordsIn(tail.subarray(-STDERR_KEPT_BYTES).toString('utf8')),
    onStderr(hears) {
      listener = hears
      if (tail.length > 0) hears(tail)
    },
  }
}

/** Milliseconds for which a server may end by itself: after its input closed, and after SIGTERM. */
const GRACE_MS = { input: 500, terminate: 1000 }
/** Milliseconds to wait after SIGKILL. A killed descendant remains listed if no parent collects its exit status. */
const KILL_MS = 200
const POLL_MS = 20

/**
 * Ends a server and everything it started: closes its input, sends SIGTERM, then SIGKILL to the group, then to
 * processes that left it.
 * @param exited settles when the leader has exited
 * @param mark identifies the server's programs
 */
export async function endProcessGroup(child: ChildProcess, exited: Promise<unknown>, mark: string): Promise<void> {
  const { pid } = child
  if (pid === undefined) return
  child.stdin?.end()
  await settlesWithin(exited, GRACE_MS.input)
  if (process.platform === 'win32') await endWindowsTree(child, pid)
  else if (signalGroup(pid, 'SIGTERM') && !(await groupGone(pid, GRACE_MS.terminate))) {
    signalGroup(pid, 'SIGKILL')
    await groupGone(pid, KILL_MS)
  }
  await endStrays(mark, GRACE_MS.terminate)
  await settlesWithin(exited, KILL_MS)
}

/** Ends a process tree with taskkill, because Windows has no process groups. */
async function endWindowsTree(child: ChildProcess, pid: number): Promise<void> {
  if (child.exitCode !== null) return
  const taskkill = spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true })
  await new Promise<void>(resolve => taskkill.once('exit', () => resolve()).once('error', () => resolve()))
}

/** Signals a process group. Returns false if no process of the group is left. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Waits until a process group has ended. The group is polled, because the end of a descendant is not signalled. */
async function groupGone(group: number, ms: number): Promise<boolean> {
  for (let waited = 0; waited < ms; waited += POLL_MS) {
    if (!signalGroup(group, 0)) return true
    await delay(POLL_MS)
  }
  return !signalGroup(group, 0)
}
