import type { MessagePort } from 'node:worker_threads'

/**
 * Turns of the screen's thread that the watchdog counts, whether keys are the program's, whether the program has begun
 * to end, and whether nobody is there: indexes of the shared memory.
 */
export const TURNS = 0
export const READS_KEYS = 1
export const ENDS = 2
export const UNATTENDED = 3

/** Emitted on `process`, with an exit code, in a thread that answers nothing else any more. */
export const STUCK_EVENT = 'mcpdeck:stuck'

export const STUCK_SENTENCE = 'mcpdeck had to stop: it did not respond.'

/** The thread starts once nobody waits for the first screen, in milliseconds. */
const START_AFTER_MS = 1000

/** Beside this file, or beside the chunks of `dist`, where the build puts it. */
const ENTRY = import.meta.url.endsWith('.ts')
  ? new URL('./watchdog-thread.ts', import.meta.url)
  : new URL('./watchdog-thread.js', import.meta.url)

/** What the thread is started with. `leaving` gives the terminal back; `timeOrigin` is that of the screen's thread. */
export type WatchdogSettings = { state: Int32Array; leaving: string; timeOrigin: number; port: MessagePort }
/** To be answered by a turn; `keys` were typed while none came. */
export type WatchdogMessage = { keys: string }

export type Watchdog = {
  /** Gives the keys that the watchdog has read, before those that the screen's thread reads itself. */
  hear(): void
  /** Sets whether input is meant for this program; while it is not, the watchdog reads nothing. */
  readsKeys(reads: boolean): void
  /** The program ends in order, which may take it some seconds. */
  ends(): void
  /** Whether somebody presses keys; while nobody does, it is checked more rarely that the thread turns. */
  attended(isAttended: boolean): void
}

/**
 * Ends the program when its thread does not turn any more and the person presses Ctrl+C: a second thread notices that
 * no turn comes, reads the keys that nobody reads, and a second of work after Ctrl+C calls `end` in the midst of what
 * the first thread does. Keys that it read go to `give` when the thread turns again. A thread that is stuck outside of
 * JavaScript cannot be called; then the second one writes `leaving()` and kills the process. It hears SIGTERM, SIGINT
 * and SIGHUP too where Node lets it.
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
      // Before the key that ended the rest is worked on, for that may be what the thread gets stuck in.
      if (isAttended) thread?.wake()
    },
  }
}

/** Has the thread check soon, and takes what it sent. */
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
      // What Node says there about its internals is not for the terminal.
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
    // A Node without that option; its signals are heard by the first thread only.
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
  // Without a watchdog the program is as good as before.
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
