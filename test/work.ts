/** A fixed piece of work, by which other work is measured; it takes about forty milliseconds of a usual processor. */
function referenceWork(): void {
  for (let round = 0; round < 3; round += 1)
    Array.from({ length: 50_000 }, (_, at) => String(at * 7919)).toSorted((one, other) => (one < other ? -1 : 1))
}

function processorTimeOf(before?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/**
 * Begins to measure the work of this process. The returned function ends the measurement and returns it as a multiple
 * of the work of sorting 150,000 words. That is the same on a slow machine, because the sorting has just run there too.
 */
export function measureWork(): () => number {
  const began = process.cpuUsage()
  referenceWork()
  const reference = processorTimeOf(began)
  const before = process.cpuUsage()
  return () => processorTimeOf(before) / reference
}

/**
 * Returns how many times the processor time of `work(count)` grows if the count grows tenfold: about 10 if the work
 * grows like the count, 100 if each item is compared with each. Only this thread is measured, without the threads that
 * collect garbage and compile, and the smallest of five rounds counts.
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

/** Begins to measure the growth of this process's memory, in multiples of the memory that `bytes` need here and now. */
export function measureMemory(bytes: number): () => number {
  const began = process.memoryUsage().rss
  const held = Buffer.alloc(bytes, 1)
  const reference = process.memoryUsage().rss - began
  const before = process.memoryUsage().rss
  // A value that is still used is not collected meanwhile.
  return () => (process.memoryUsage().rss - before + (held.length - bytes)) / reference
}
