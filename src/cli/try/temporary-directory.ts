import { createHash } from 'node:crypto'
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { thisMachine, type Machine } from '../../lib/machine.ts'

/** A directory that only its owner enters, and that ends with this process. */
export type TemporaryDirectory = { path: string; remove: () => void }

const PREFIX = 'mcpdeck-try'

/**
 * Makes one. Its name says whose it is from the first moment on, so that nobody takes it for a stray.
 * @throws errors of the file system
 */
export function makeTemporaryDirectory(machine: Machine = thisMachine): TemporaryDirectory {
  const start = machine.startOf(machine.pid) ?? ''
  const path = mkdtempSync(join(tmpdir(), [PREFIX, nameOf(machine), machine.pid, start, ''].join('-')))
  const remove = (): void => {
    process.off('exit', remove)
    rmSync(path, { recursive: true, force: true })
  }
  process.on('exit', remove)
  return { path, remove }
}

/** Removes what processes of this user and this machine left behind that were killed. */
export function removeStrays(machine: Machine = thisMachine): void {
  const own = nameOf(machine)
  const pattern = new RegExp(`^${PREFIX}-${own}-(\\d+)-(\\w*)-\\w+$`)
  for (const name of readdirSync(tmpdir())) {
    const [, pid, start] = pattern.exec(name) ?? []
    if (pid === undefined || isUsed(machine, Number(pid), start ?? '')) continue
    const path = join(tmpdir(), name)
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat?.isDirectory() && stat.uid === process.getuid?.()) rmSync(path, { recursive: true, force: true })
  }
}

/** Whether the process is there that had this number then; another one may have it now. */
function isUsed(machine: Machine, pid: number, start: string): boolean {
  return machine.startOf(pid) === start
}

/** Process ids mean nothing on another machine or in another container that shares the directory. */
function nameOf({ name }: Machine): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 12)
}
