import type { Worker } from 'node:worker_threads'
import { BOUNDS } from '../bounds.ts'
import { WORK_LIMITS } from '../work-limits.ts'
import type { FromThread, ToThread, WorkName, Works } from './messages.ts'

/** The result of a task, or why there is none. `isLimit` means that it exceeded a limit of time, memory or size. */
export type Outcome<Answer> = ({ answer: Answer } | { why: string; isLimit: boolean }) & {
  /** Time in the thread, in milliseconds. */
  tookMs: number
}

/** The source file in this folder, or the chunk in `dist` that the build writes. */
const ENTRY = import.meta.url.endsWith('.ts')
  ? new URL('./thread.ts', import.meta.url)
  : new URL('./untrusted-thread.js', import.meta.url)

/** Milliseconds that the thread stays idle before it ends, and that it may need to load the modules of a task. */
const IDLE_MS = 10_000
const LOAD_MS = 30_000
const MEMORY_MB = WORK_LIMITS.memory.most
const MOST_GIVEN = BOUNDS.untrustedWork.most

type Settled = { answer: string } | { why: string; isLimit: boolean }
type Waiting = { message: ToThread; limitMs: number; begunAt?: number; settle: (outcome: Outcome<string>) => void }

const waiting: Waiting[] = []
let current: Waiting | undefined
let worker: Worker | undefined
let idle: NodeJS.Timeout | undefined
let deadline: NodeJS.Timeout | undefined

/**
 * Runs a task on untrusted data in a thread with limited memory, which is ended if the task takes longer than
 * `limitMs`. Tasks run one at a time, in order. The thread starts with the first task and ends after a while without
 * tasks.
 */
export async function inThread<Name extends WorkName>(
  work: Name,
  given: Works[Name]['given'] | { text: string },
  limitMs: number,
): Promise<Outcome<Works[Name]['answer']>> {
  let text: string
  try {
    text = 'text' in given ? given.text : JSON.stringify(given)
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error), isLimit: true, tookMs: 0 }
  }
  if (text.length > MOST_GIVEN) return { why: 'it is too large', isLimit: true, tookMs: 0 }
  const outcome = await new Promise<Outcome<string>>(settle => {
    waiting.push({ message: { work, given: text }, limitMs, settle })
    next()
  })
  if (!('answer' in outcome)) return outcome
  return { answer: JSON.parse(outcome.answer) as Works[Name]['answer'], tookMs: outcome.tookMs }
}

function next(): void {
  if (current) return
  current = waiting.shift()
  if (!current) {
    worker?.unref()
    idle ??= setTimeout(end, IDLE_MS).unref()
    return
  }
  clearTimeout(idle)
  idle = undefined
  worker ??= started()
  worker.ref()
  deadline = setTimeout(() => giveUp('the thread that checks it did not start'), LOAD_MS)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origins
  worker.postMessage(current.message)
}

function started(): Worker {
  // Loaded on first use, since an import would make every start milliseconds slower.
  const { Worker: Thread } = process.getBuiltinModule('node:worker_threads')
  const resourceLimits = { maxOldGenerationSizeMb: MEMORY_MB, maxYoungGenerationSizeMb: 16 }
  const thread = new Thread(ENTRY, {
    name: 'untrusted',
    resourceLimits,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
  })
  thread.on('message', (message: FromThread) => {
    if (thread !== worker || !current) return
    if (message.kind === 'begun') {
      const { limitMs } = current
      current.begunAt = performance.now()
      clearTimeout(deadline)
      deadline = setTimeout(() => giveUp(`checking took longer than ${limitMs / 1000} s`), limitMs)
    } else if (message.kind === 'done') settle({ answer: message.answer })
    else settle({ why: message.why, isLimit: true })
  })
  // The task may have used all memory of the thread, for example.
  thread.on('error', error => {
    if (thread !== worker) return
    const isMemory = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
    giveUp(isMemory ? 'checking took too much memory' : error.message)
  })
  thread.on('exit', () => {
    if (thread === worker) giveUp('the thread that checks it ended')
  })
  return thread
}

function settle(outcome: Settled): void {
  clearTimeout(deadline)
  const settled = current
  current = undefined
  settled?.settle({ ...outcome, tookMs: performance.now() - (settled.begunAt ?? performance.now()) })
  next()
}

function giveUp(why: string): void {
  end()
  settle({ why, isLimit: true })
}

/** Ends the thread. The next task starts a new one. */
function end(): void {
  const ended = worker
  worker = undefined
  idle = undefined
  void ended?.terminate()
}
