/** A fixed piece of work, by which other work is measured: some forty milliseconds of a usual processor. */
function referenceWork(): void {
  for (let round = 0; round < 3; round += 1)
    Array.from({ length: 50_000 }, (_, at) => String(at * 7919)).toSorted((one, other) => (one < other ? -1 : 1))
}

function processorTimeOf(before?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/**
 * Begins to measure the work of this process. What comes back ends it, and answers how many times the work of sorting
 * 150,000 words it was, which is the same on a slow machine: it has just done that too.
 */
export function measureWork(): () => number {
  const began = process.cpuUsage()
  referenceWork()
  const reference = processorTimeOf(began)
  const before = process.cpuUsage()
  return () => processorTimeOf(before) / reference
}

/**
 * How many times the processor time of `work(count)` grows when the count grows tenfold: some 10 where the work grows
 * as the count does, 100 where each item is compared with each. Only this thread is measured, without the threads that
 * collect garbage and compile beside it, and the least of five rounds counts.
 */
export function growthOfWork(count: number, work: (count: number) => unknown): number {
  const spent = (size: number): number => {
    const before = process.threadCpuUsage()
    work(size)
    const { user, system } = process.threadCpuUsage(before)
    return user + system
  }
  const rounds = Array.from({ length: 5 }, () => [spent(count), spent(10 * count)] as const)
  return Math.min(...rounds.map(([, many]) => many)) / Math.min(...rounds.map(([few]) => few))
}

/** Begins to measure how the memory of this process grows, in multiples of what holding `bytes` takes here and now. */
export function measureMemory(bytes: number): () => number {
  const began = process.memoryUsage().rss
  const held = Buffer.alloc(bytes, 1)
  const reference = process.memoryUsage().rss - began
  const before = process.memoryUsage().rss
  // What is still used is not collected meanwhile.
  return () => (process.memoryUsage().rss - before + (held.length - bytes)) / reference
}
