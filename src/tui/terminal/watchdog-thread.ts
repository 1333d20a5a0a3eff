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
 * How often the screen's thread is asked to answer while it does, with somebody there and with nobody, and how often it
 * is checked while it does not, in milliseconds.
 */
const REST_MS = 500
const UNATTENDED_MS = 2000
const CHECK_MS = 100
/**
 * Looks after Ctrl+C or a signal that make a second, and those for a thread that has begun to end in order. They are
 * counted, because a machine that sleeps turns nothing.
 */
const CHECKS_UNTIL_END = 9
const CHECKS_WHILE_ENDING = 40
/**
 * A look counts by the share of a processor that the program had since the one before, and at least by this: on a busy
 * machine, what waits for its share is not stuck.
 */
const LEAST_SHARE = 0.2
/** How long the thread may take to end when it is called, in milliseconds. */
const END_WITHIN_MS = 500

const INTERRUPTED = 130
/** Numbers of the signals that end the program, with the exit code of each. */
const ENDING = new Map(heardSignals().map(([signal, number]) => [number, signalExitCode(signal)]))
const KILLED_BY = 'SIGKILL'
/** Ctrl+C as a byte, and in the kitty keyboard protocol. */
const CTRL_C = /\x03|\x1b\[99(?::\d*)*;5(?::\d+)?u/
/** Undoes what Node's raw mode changes. */
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

/** Checks whether the thread has answered since it was asked to. */
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
  // At once, for the thread to have them before it reads what comes next.
  if (read !== '') send(read)
  if (checksLeft === undefined && CTRL_C.test(keys)) checksLeft = checksUntilEnd()
  const share = shareOfProcessor()
  if (checksLeft !== undefined) checksLeft -= share
  if (checksLeft !== undefined && checksLeft <= 0) void end()
  else next = setTimeout(check, CHECK_MS)
}

/** What the program had of a processor since the last look, between the least that counts and 1. */
function shareOfProcessor(): number {
  const before = lookedAt
  const { user, system } = process.cpuUsage()
  lookedAt = { at: performance.now(), usedMs: (user + system) / 1000 }
  const share = (lookedAt.usedMs - before.usedMs) / (lookedAt.at - before.at)
  return Math.min(1, Math.max(LEAST_SHARE, share))
}

/** Until the next whole multiple of a pause, when the screen's thread wakes for what it does in such pauses itself. */
function restOf(pause: number): number {
  const rest = pause - ((performance.timeOrigin + performance.now() - timeOrigin) % pause)
  return rest < CHECK_MS ? rest + pause : rest
}

function checksUntilEnd(): number {
  return Atomics.load(state, ENDS) === 1 ? CHECKS_WHILE_ENDING : CHECKS_UNTIL_END
}

/**
 * Hears the signals that end the program, which Node gives to its first thread alone, so that one that is stuck is
 * ended anyway. Only Node's own parts can do that; where they are another day's, signals are heard by the first thread
 * only.
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
    // As above.
  }
}

type NodeInternals = {
  internalBinding(name: 'signal_wrap'): {
    Signal: new () => { unref(): void; start(signal: number): number; onsignal: (signal: number) => void }
  }
}

/** The first thread hears it too: it is given its time to show that it does. */
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

/** What was typed and nobody has read; a terminal that is gone says nothing. */
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
