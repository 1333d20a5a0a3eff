import type { MessagePort } from 'node:worker_threads'

/**
 * Indexes of the shared memory: turns of the screen's thread that the watchdog counts, whether the program reads keys,
 * whether it has started to end, and whether nobody is present.
 */
export const TURNS = 0
export const READS_KEYS = 1
export const ENDS = 2
export const UNATTENDED = 3

/** Emitted on `process`, with an exit code, in a thread that responds to nothing else any more. */
export const STUCK_EVENT = 'mcpdeck:stuck'

export const STUCK_SENTENCE = 'mcpdeck had to stop: it did not respond.'

/** Milliseconds after which the thread starts, when the first screen is done. */
const START_AFTER_MS = 1000

/** The thread's file: beside this file, or beside the chunks of `dist`, where the build puts it. */
const ENTRY = import.meta.url.endsWith('.ts')
  ? new URL('./watchdog-thread.ts', import.meta.url)
  : new URL('./watchdog-thread.js', import.meta.url)

/** Settings of the thread. `leaving` restores the terminal; `timeOrigin` is that of the screen's thread. */
export type WatchdogSettings = { state: Int32Array; leaving: string; timeOrigin: number; port: MessagePort }
/** A message to which the screen's thread responds with a turn. `keys` were typed since its last response. */
export type WatchdogMessage = { keys: string }

export type Watchdog = {
  /** Passes on the keys that the watchdog has read, before those that the screen's thread reads itself. */
  hear(): void
  /** Sets whether typed keys belong to this program; while they do not, the watchdog reads nothing. */
  readsKeys(reads: boolean): void
  /** The program is ending normally, which may take some seconds. */
  ends(): void
  /** Sets whether someone presses keys; while nobody does, the thread is checked less often. */
  attended(isAttended: boolean): void
}

/**
 * Ends the program if its thread is stuck and the person presses Ctrl+C: a second thread notices that the first makes
 * no turn, reads the unread keys, and a second of processor time after Ctrl+C calls `end` in the middle of what the
 * first thread does. Keys that it read go to `give` when the thread runs again. A thread that is stuck outside of
 * JavaScript cannot be called; then the second thread writes `leaving()` and kills the process. It also handles the
 * signals that end the program if Node allows that.
 */
export function startWatchdog(options: {
  leaving: () => string
  give: (keys: string) => void
  end: (code: number) => void
  startAfterMs?: number
}): Watchdog {
  const state = new Int32Array(new SharedArrayBuffer(4 * Int32Array.BYTES_PER_ELEMENT))
  state[READS_KEYS] = 1
  let thread: WatchdogThread | undefined
  if (process.platform !== 'win32')
    setTimeout(() => (thread = startThread(state, options)), options.startAfterMs ?? START_AFTER_MS).unref()
  return {
    hear: () => thread?.hear(),
    readsKeys: reads => void Atomics.store(state, READS_KEYS, reads ? 1 : 0),
    ends: () => void Atomics.store(state, ENDS, 1),
    attended(isAttended) {
      Atomics.store(state, UNATTENDED, isAttended ? 0 : 1)
      // Wakes the thread before the key that ended the idle time is handled, because handling it may get stuck.
      if (isAttended) thread?.wake()
    },
  }
}

/** Makes the thread check soon, and receives what it sent. */
type WatchdogThread = { wake: () => void; hear: () => void }

function startThread(
  state: Int32Array,
  { leaving, give, end }: Pick<Parameters<typeof startWatchdog>[0], 'leaving' | 'give' | 'end'>,
): WatchdogThread {
  // Loaded here, since an import would cost every start milliseconds.
  const threads = process.getBuiltinModule('node:worker_threads')
  const begin = (execArgv: string[]) => {
    const { port1, port2 } = new threads.MessageChannel()
    const workerData: WatchdogSettings = { state, leaving: leaving(), timeOrigin: performance.timeOrigin, port: port2 }
    const worker = new threads.Worker(ENTRY, {
      name: 'watchdog',
      workerData,
      transferList: [port2],
      execArgv,
      // Node's messages about its internals must not reach the terminal.
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
    })
    return { worker, port: port1 }
  }
  let begun: ReturnType<typeof begin>
  try {
    begun = begin(['--expose-internals'])
  } catch {
    // A Node without that option; only the first thread receives signals.
    begun = begin([])
  }
  const { worker, port } = begun
  const answer = ({ keys }: WatchdogMessage): void => {
    Atomics.add(state, TURNS, 1)
    if (keys !== '') give(keys)
  }
  port.on('message', answer)
  port.unref()
  worker.unref()
  // The program works without a watchdog.
  worker.on('error', () => undefined)
  process.on(STUCK_EVENT as never, end as never)
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origins
    wake: () => worker.postMessage(undefined),
    hear() {
      let sent = threads.receiveMessageOnPort(port)
      for (; sent; sent = threads.receiveMessageOnPort(port)) answer(sent.message as WatchdogMessage)
    },
  }
}
