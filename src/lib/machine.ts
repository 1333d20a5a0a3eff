import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** Facts that processes on one machine know of each other. Tests pass a virtual machine. */
export type Machine = {
  /**
   * Distinguishes machines and containers that share a home directory, since process ids are not comparable between
   * them.
   */
  name: string
  pid: number
  /** Returns milliseconds that are the same for all processes of the machine, and that never go back while it runs. */
  now: () => number
  /** Returns when a process started, as opaque text; `undefined` if there is no such process. */
  startOf: (pid: number) => string | undefined
}

export const thisMachine: Machine = {
  get name() {
    return `${hostname()} ${processNamespace()}`
  },
  pid: process.pid,
  now: () => Number(process.hrtime.bigint()) / 1e6,
  startOf: process.platform === 'linux' ? pid => linuxStart(pid) : existence,
}

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}

/**
 * Returns the start of a process. State and start time are fields 3 and 22 of proc_pid_stat(5), counted after the name
 * in parentheses.
 * @param read reads a file of /proc
 */
export function linuxStart(pid: number, read = (file: string) => readFileSync(file, 'latin1')): string | undefined {
  try {
    const stat = read(`/proc/${pid}/stat`)
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return /[ZX]/.test(fields[0] ?? '') ? undefined : fields[19]
  } catch {
    // The file of a running process may be hidden, for example by the mount option hidepid (proc(5)).
    return existence(pid)
  }
}

/**
 * Returns a start where the start time is hidden, or can only be found by running a process. A reused id counts as
 * alive there until its lease ends.
 */
function existence(pid: number): string | undefined {
  try {
    process.kill(pid, 0)
    return ''
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? '' : undefined
  }
}

/** A process, distinguished by its start from later ones with the same id. */
export type Owner = {
  machine: string
  pid: number
  /** Empty if the system does not report it. */
  start: string
}

/** Milliseconds of silence after which a process counts as ended, longer than any call with its retries. */
const SILENT_FOR_GOOD_MS = 15 * 60_000

/** Returns this process as an owner. */
export function selfOn(machine: Machine): Owner {
  return { machine: machine.name, pid: machine.pid, start: machine.startOf(machine.pid) ?? '' }
}

/**
 * Whether a process has ended. If it cannot be checked, such as on another machine with the same home directory, it
 * counts as ended after a long silence.
 * @param silentMs time since its last sign of life
 */
export function isGone({ machine: name, pid, start }: Owner, silentMs: number, machine: Machine): boolean {
  if (name !== machine.name) return silentMs > SILENT_FOR_GOOD_MS
  const running = machine.startOf(pid)
  if (running === undefined) return true
  return start === '' || running === '' ? silentMs > SILENT_FOR_GOOD_MS : running !== start
}

/**
 * Returns random numbers from 0 up to, not including, 1, in a series that differs between machines and is always the
 * same on one.
 */
export function jitterOf(machine: Machine): () => number {
  let turn = 0
  return () => {
    turn += 1
    return createHash('sha256').update(`${machine.name} ${turn}`).digest().readUInt32BE() / 2 ** 32
  }
}
