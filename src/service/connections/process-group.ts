import { spawn, type ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { settlesWithin } from '../core/deadline.ts'
import { endStrays } from './strays.ts'

/** How long a server may take to end by itself after its input closed, and then after SIGTERM. */
const GRACE_MS = { input: 500, terminate: 1000 }
/** SIGKILL cannot be refused; a dead grandchild may stay listed where nobody collects it. */
const KILL_MS = 200
const POLL_MS = 20

/**
 * Ends a server and everything it started: closed input, then SIGTERM, then SIGKILL to the whole group, and then to
 * what left the group.
 * @param exited settles when the leader has exited
 * @param mark what tells the server's programs from others
 */
export async function endProcessGroup(child: ChildProcess, exited: Promise<unknown>, mark: string): Promise<void> {
  const { pid } = child
  if (pid === undefined) return
  child.stdin?.end()
  await settlesWithin(exited, GRACE_MS.input)
  if (process.platform === 'win32') await endWindowsTree(child, pid)
  else if (signalGroup(pid, 'SIGTERM') && !(await groupGone(pid, GRACE_MS.terminate))) {
    signalGroup(pid, 'SIGKILL')
    await groupGone(pid, KILL_MS)
  }
  await endStrays(mark, GRACE_MS.terminate)
  await settlesWithin(exited, KILL_MS)
}

/** Windows has no process groups; taskkill walks the tree of children. */
async function endWindowsTree(child: ChildProcess, pid: number): Promise<void> {
  if (child.exitCode !== null) return
  const taskkill = spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true })
  await new Promise<void>(resolve => taskkill.once('exit', () => resolve()).once('error', () => resolve()))
}

/** False when no process of the group is left. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Nothing announces the end of a grandchild, so its group is asked. */
async function groupGone(group: number, ms: number): Promise<boolean> {
  for (let waited = 0; waited < ms; waited += POLL_MS) {
    if (!signalGroup(group, 0)) return true
    await delay(POLL_MS)
  }
  return !signalGroup(group, 0)
}
