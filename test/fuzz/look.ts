import { readFileSync } from 'node:fs'
import { cpuMilliseconds, residentMegabytes } from '../../scripts/bench/process.ts'
import { spelt } from './values.ts'
import { untilNextLook } from '../pause.ts'

/** A problem that was found, with all data to reproduce it. */
export type Problem = {
  part: string
  seed: number
  what: string
  /** The program that was started and the keys that were pressed. */
  doing: string
  /** The actions of the proxy, the server or the environment. */
  mutations: readonly string[]
  screen: string
}

/** The limits for a part. */
export type Limits = {
  /** Maximum time between a key and its effect, in milliseconds of available processor time. */
  answersWithin: number
  /** Maximum time for Ctrl+C, in the same milliseconds. */
  endsWithin: number
  /** Maximum resident memory, in megabytes. */
  memory: number
}

export const LIMITS: Limits = { answersWithin: 1000, endsWithin: 1000, memory: 400 }

/** Signs of a crash: stack traces, Node's own notices, and the program's own sentence for an internal error. */
const CRASH =
  /Fault in mcpdeck|^\s+at .+:\d+:\d+\)?$|\(node:\d+\) (?!ExperimentalWarning)|UnhandledPromise|Uncaught|FATAL ERROR|Segmentation|^Node\.js v\d[.\d]*$/m

/** Returns the part of a text that shows that the program broke. */
export function crashIn(text: string): string | undefined {
  return CRASH.exec(text)?.[0].trim()
}

/** Milliseconds for which a process was ready to run while another one had the processor. */
function waitedFor(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}

/**
 * A clock that stops while the machine gives the processor to others, so that a busy machine does not make the watched
 * process or the watching one look slow.
 */
export function ownClock(pid: number): () => number {
  const startedAt = performance.now()
  const lost = (): number => Math.max(waitedFor(pid) - theirs, 0) + Math.max(waitedFor(process.pid) - mine, 0)
  const [theirs, mine] = [waitedFor(pid), waitedFor(process.pid)]
  let most = 0
  return () => {
    most = Math.max(most, lost())
    return performance.now() - startedAt - most
  }
}

/**
 * Waits until a condition holds.
 * @returns the time it took on the process's own clock, in milliseconds; Infinity if it took longer than `most`
 */
export async function timeUntil(pid: number, holds: () => boolean, most: number): Promise<number> {
  const clock = ownClock(pid)
  const giveUpAt = performance.now() + 10 * most
  while (!holds()) {
    const time = clock()
    if (time > most || performance.now() > giveUpAt) return Infinity
    await untilNextLook(10)
  }
  return clock()
}

/** Start time of a process in ticks since the machine's start, which shows whether a process id was reused. */
function beginOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19]
  } catch {
    return undefined
  }
}

/** Whether a child is still a copy of this process, with its memory, and has not started its own program. */
function isStillThisProcess(pid: number): boolean {
  const commandOf = (of: number | 'self') => readFileSync(`/proc/${of}/cmdline`, 'utf8')
  return pid !== process.pid && commandOf(pid) === commandOf('self')
}

/** Resident memory in megabytes; 0 for a process that is gone or has not started its program. */
export function memoryOf(pid: number): number {
  try {
    return isStillThisProcess(pid) ? 0 : residentMegabytes(pid) || 0
  } catch {
    return 0
  }
}

/** The highest memory of a process seen so far, in megabytes, and what used it. */
export type Peak = { megabytes: number; status: string }

/**
 * Checks the memory of a process repeatedly.
 * @returns a function that checks it and returns the peak so far; another process that reuses the id is not counted
 */
export function memoryPeak(pid: number): () => Peak {
  const begin = beginOf(pid)
  const peak: Peak = { megabytes: 0, status: '' }
  return () => {
    const megabytes = memoryOf(pid)
    if (megabytes <= peak.megabytes || beginOf(pid) !== begin) return peak
    return Object.assign(peak, { megabytes, status: statusOf(pid) })
  }
}

/** What the kernel reports about a process: its name, state, parent, threads and kinds of memory. */
function statusOf(pid: number): string {
  try {
    const lines = readFileSync(`/proc/${pid}/status`, 'utf8').split('\n')
    return lines
      .filter(line => /^(Name|State|PPid|Threads|VmHWM|Rss)/.test(line))
      .join(', ')
      .replaceAll('\t', ' ')
  } catch {
    return 'gone'
  }
}

/** Processor time used by a process in milliseconds; 0 for one that is gone. */
export function usedBy(pid: number): number {
  try {
    return cpuMilliseconds(pid)
  } catch {
    return 0
  }
}

/** Whether a process without work uses most of a processor. */
export async function spins(pid: number): Promise<boolean> {
  const [before, startedAt] = [usedBy(pid), performance.now()]
  await untilNextLook(1000)
  return usedBy(pid) - before > 0.7 * (performance.now() - startedAt)
}

/** Returns a problem as text for a person, with the command that reproduces it. */
export function describeProblem({ part, seed, what, doing, mutations, screen }: Problem): string {
  return [
    `${part}, seed ${seed}: ${spelt(what)}`,
    `  again: npm run fuzz -- --only ${part} --seed ${seed} --rounds 1`,
    `  doing: ${spelt(doing)}`,
    ...mutations.slice(-12).map(each => `  ${spelt(each).slice(0, 300)}`),
    ...screen.split('\n').map(line => `  | ${spelt(line).trimEnd().slice(0, 220)}`),
  ].join('\n')
}
