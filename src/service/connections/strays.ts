import { readdirSync, readFileSync } from 'node:fs'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'

/** The variable that every program of a server inherits; its value identifies one server. */
export const MARK_VARIABLE = 'MCPDECK_SERVER'

const POLL_MS = 20

/**
 * Ends what a server started and took out of its process group, as `setsid` does: SIGTERM, then SIGKILL. Such a program
 * is known by the environment that it inherited, which Linux shows; elsewhere, and where it was cleared, none is found.
 * @param graceMs how long a program may take to end after SIGTERM
 */
export async function endStrays(mark: string, graceMs: number): Promise<void> {
  if (process.platform !== 'linux') return
  let left = signalAll(await marked(mark), 'SIGTERM')
  for (let waited = 0; left.length > 0 && waited < graceMs; waited += POLL_MS) {
    await delay(POLL_MS)
    left = signalAll(left, 0)
  }
  // One that is just ending may have started another.
  if (left.length > 0) signalAll(await marked(mark), 'SIGKILL')
}

/** Processes whose environment is read in one turn; each takes some hundredths of a millisecond. */
const IN_A_TURN = 64

/** Ids of the processes whose environment has this mark. */
async function marked(mark: string): Promise<number[]> {
  const names = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  const wanted = `${MARK_VARIABLE}=${mark}`
  const pids: number[] = []
  for (const [index, name] of names.entries()) {
    if (index % IN_A_TURN === 0) await turn()
    try {
      // Reading asynchronously costs ten times as much: four jobs of libuv's threads for each process.
      if (readFileSync(`/proc/${name}/environ`, 'latin1').split('\0').includes(wanted)) pids.push(Number(name))
    } catch {
      // It has ended, or belongs to another user.
    }
  }
  return pids
}

/** Those of the processes that were there. */
function signalAll(pids: readonly number[], signal: NodeJS.Signals | 0): number[] {
  return pids.filter(pid => {
    try {
      return process.kill(pid, signal)
    } catch {
      return false
    }
  })
}
