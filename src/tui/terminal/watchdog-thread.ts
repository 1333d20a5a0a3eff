import { spawnSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { createRequire } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { heardSignals, signalExitCode } from './ending-signals.ts'
import { writeNow } from './modes.ts'
import {
  ENDS,
  READS_KEYS,
  STUCK_EVENT,
  STUCK_SENTENCE,
  TURNS,
  UNATTENDED,
  type WatchdogMessage,
  type WatchdogSettings,
} from './watchdog.ts'

const { state, leaving, timeOrigin, port } = workerData as WatchdogSettings

/**
 * Milliseconds between checks of the screen's thread while it responds, with and without a person present, and while it
 * does not respond.
 */
const REST_MS = 500
const UNATTENDED_MS = 2000
const CHECK_MS = 100
/**
 * Number of checks, about a second, after Ctrl+C or a signal until the program is ended; and that number for a thread
 * that has started to end normally. Checks are counted instead of time, because a sleeping machine runs nothing.
 */
const CHECKS_UNTIL_END = 9
const CHECKS_WHILE_ENDING = 40
/**
 * A check counts as much as the program's share of a processor since the previous one, and at least this much: on a
 * busy machine, a thread that waits for the processor is not stuck.
 */
const LEAST_SHARE = 0.2
/** Milliseconds that the thread may take to end when told to. */
const END_WITHIN_MS = 500

const INTERRUPTED = 130
/** Numbers of the signals that end the program, with the exit code of each. */
const ENDING = new Map(heardSignals().map(([signal, number]) => [number, signalExitCode(signal)]))
const KILLED_BY = 'SIGKILL'
/** Matches Ctrl+C as a byte, and in the kitty keyboard protocol. */
const CTRL_C = /\x03|\x1b\[99(?::\d*)*;5(?::\d+)?u/
/** Terminal settings that undo Node's raw mode. */
const COOKED = ['brkint', 'icrnl', 'ixon', 'echo', 'icanon', 'iexten', 'isig']

let answeredAt = Atomics.load(state, TURNS)
let keys = ''
let terminal: number | undefined
let checksLeft: number | undefined
let code = INTERRUPTED
let lookedAt = { at: performance.now(), usedMs: 0 }
let next: NodeJS.Timeout

function ask(): void {
  answeredAt = Atomics.load(state, TURNS)
  send('')
  keys = ''
}

function send(read: string): void {
  port.postMessage({ keys: read } satisfies WatchdogMessage)
}

/** Checks whether the thread has responded since the last request. */
function check(): void {
  if (Atomics.load(state, TURNS) !== answeredAt) {
    if (terminal !== undefined) closeSync(terminal)
    terminal = undefined
    checksLeft = undefined
    ask()
    next = setTimeout(check, restOf(Atomics.load(state, UNATTENDED) === 1 ? UNATTENDED_MS : REST_MS))
    return
  }
  const read = Atomics.load(state, READS_KEYS) === 1 ? typed() : ''
  keys += read
  // The keys are sent at once, so that the thread has them before it reads the following ones.
  if (read !== '') send(read)
  if (checksLeft === undefined && CTRL_C.test(keys)) checksLeft = checksUntilEnd()
  const share = shareOfProcessor()
  if (checksLeft !== undefined) checksLeft -= share
  if (checksLeft !== undefined && checksLeft <= 0) void end()
  else next = setTimeout(check, CHECK_MS)
}

/** Returns the program's share of a processor since the last check, between the minimum and 1. */
function shareOfProcessor(): number {
  const before = lookedAt
  const { user, system } = process.cpuUsage()
  lookedAt = { at: performance.now(), usedMs: (user + system) / 1000 }
  const share = (lookedAt.usedMs - before.usedMs) / (lookedAt.at - before.at)
  return Math.min(1, Math.max(LEAST_SHARE, share))
}

/** Waits until the next whole multiple of a pause, when the screen's thread wakes up for its own periodic work. */
function restOf(pause: number): number {
  const rest = pause - ((performance.timeOrigin + performance.now() - timeOrigin) % pause)
  return rest < CHECK_MS ? rest + pause : rest
}

function checksUntilEnd(): number {
  return Atomics.load(state, ENDS) === 1 ? CHECKS_WHILE_ENDING : CHECKS_UNTIL_END
}

/**
 * Receives the signals that end the program, which Node delivers only to its first thread, so that a stuck program is
 * ended anyway. Only Node's internal modules can do that; if a version of Node changes them, only the first thread
 * receives signals.
 */
function hearSignals(): void {
  try {
    const { internalBinding } = createRequire(import.meta.url)('internal/test/binding') as NodeInternals
    const { Signal } = internalBinding('signal_wrap')
    for (const signal of ENDING.keys()) {
      const heard = new Signal()
      heard.unref()
      heard.onsignal = heardSignal
      heard.start(signal)
    }
  } catch {
    // Without these parts only the first thread receives signals.
  }
}

type NodeInternals = {
  internalBinding(name: 'signal_wrap'): {
    Signal: new () => { unref(): void; start(signal: number): number; onsignal: (signal: number) => void }
  }
}

/** Waits after a signal, which the first thread also receives, so that that thread has time to react. */
function heardSignal(signal: number): void {
  if (checksLeft !== undefined) return
  code = ENDING.get(signal) ?? INTERRUPTED
  checksLeft = checksUntilEnd()
  ask()
  checkSoon()
}

function checkSoon(): void {
  clearTimeout(next)
  next = setTimeout(check, CHECK_MS)
}

/** Returns typed keys that nobody has read; nothing if the terminal is gone. */
function typed(): string {
  const bytes = Buffer.alloc(4096)
  try {
    terminal ??= openSync('/dev/tty', constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOCTTY)
    return bytes.toString('latin1', 0, readSync(terminal, bytes))
  } catch {
    return ''
  }
}

async function end(): Promise<void> {
  try {
    const { Session } = await import('node:inspector')
    const session = new Session()
    session.connectToMainThread()
    session.post('Runtime.evaluate', { expression: `process.emit('${STUCK_EVENT}', ${code})` })
  } catch {
    // A Node without inspector; the process is killed below.
  }
  setTimeout(() => {
    if (terminal !== undefined) {
      writeNow(terminal, leaving)
      spawnSync('stty', COOKED, { stdio: [terminal, 'ignore', 'ignore'], timeout: END_WITHIN_MS })
      writeNow(terminal, `${STUCK_SENTENCE}\r\n`)
    }
    process.kill(process.pid, KILLED_BY)
  }, END_WITHIN_MS)
}

hearSignals()
parentPort?.on('message', checkSoon)
ask()
next = setTimeout(check, REST_MS)
