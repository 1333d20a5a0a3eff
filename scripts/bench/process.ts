import { readdirSync, readFileSync } from 'node:fs'

/**
 * Returns the processor time that a process has used so far, of all its threads or those of one name, in milliseconds.
 * Read from the scheduler's own count, because the ticks of `/proc/<pid>/stat` are too coarse for an idle program.
 */
export function cpuMilliseconds(pid: number, name?: string): number {
  const tasks = `/proc/${pid}/task`
  const nanoseconds = readdirSync(tasks).map(task => {
    if (name !== undefined && readFileSync(`${tasks}/${task}/comm`, 'utf8').trim() !== name) return 0
    return Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0])
  })
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6
}

/** Returns the resident memory of a process, in megabytes of 1,048,576 bytes. */
export function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / 1024
}
