import type { Machine } from '../../../lib/machine.ts'

/** A process, distinguished from later ones with the same number by its start. */
export type Owner = {
  machine: string
  pid: number
  /** Empty where the system does not report it. */
  start: string
}

/** Longer than any call can take with its retries, in milliseconds. */
const SILENT_FOR_GOOD_MS = 15 * 60_000

/** This process. */
export function selfOn(machine: Machine): Owner {
  return { machine: machine.name, pid: machine.pid, start: machine.startOf(machine.pid) ?? '' }
}

/**
 * Whether a process has ended. One that cannot be asked, as on another machine with the same home directory,
 * counts as gone after a long silence.
 * @param silentMs how long it has not been heard of
 */
export function isGone({ machine: name, pid, start }: Owner, silentMs: number, machine: Machine): boolean {
  if (name !== machine.name) return silentMs > SILENT_FOR_GOOD_MS
  const running = machine.startOf(pid)
  if (running === undefined) return true
  return start === '' || running === '' ? silentMs > SILENT_FOR_GOOD_MS : running !== start
}
