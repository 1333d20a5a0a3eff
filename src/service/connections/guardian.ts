import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'

/** The variable that every program of a server inherits; its value identifies one server. */
export const MARK_VARIABLE = 'MCPDECK_SERVER'

/**
 * Reads the groups to guard from standard input. Half a second after the input closed, which the kernel ensures even
 * after `kill -9`, the script ends the remaining groups and marked programs outside of them. The traps keep signals to
 * the terminal's group from ending the guardian first.
 */
const SCRIPT = `trap '' HUP INT TERM QUIT
groups=
while read -r line; do
  group=\${line#?}
  case $line in
    +*) groups="$groups $group" ;;
    -*) kept=
        for each in $groups; do [ "$each" = "$group" ] || kept="$kept $each"; done
        groups=$kept ;;
  esac
done
strays() {
  grep -lasF "${MARK_VARIABLE}=$MARK." /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do echo "$pid"; done
}
left=25
while [ "$left" -gt 0 ]; do
  alive=
  for group in $groups; do kill -s 0 -- "-$group" && alive=y; done
  [ -z "$alive" ] && break
  sleep 0.02 || break
  left=$((left - 1))
done
alive=
for group in $groups; do
  kill -s TERM -- "-$group" && alive="$alive $group"
done
stray=$(strays)
[ -n "$stray" ] && kill -s TERM $stray
[ -z "$alive$stray" ] && exit 0
sleep 1
for group in $alive; do kill -s KILL -- "-$group"; done
stray=$(strays)
[ -n "$stray" ] && kill -s KILL $stray
exit 0`

/** One guardian process per engine. It outlives a killed mcpdeck and ends the servers that mcpdeck started. */
export type Guardian = {
  /** Returns a new value of `MARK_VARIABLE`. It identifies everything that one server starts. */
  mark(): string
  /** Guards a process group: it is ended if mcpdeck is killed. */
  add(group: number): void
  /** Stops guarding a group once all its processes have ended. */
  remove(group: number): void
  close(): void
}

/**
 * Creates the guardian. Its process starts with the first mark, and starts again if it was killed. On Windows nothing
 * is guarded.
 */
export function createGuardian(): Guardian {
  const groups = new Set<number>()
  const prefix = randomUUID()
  let marks = 0
  let watcher: ChildProcess | undefined
  const tell = (line: string) => watcher?.stdin?.write(line)

  const start = () => {
    const child = spawn('/bin/sh', ['-c', SCRIPT], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', MARK: prefix },
      cwd: '/',
    })
    const forget = () => {
      if (watcher === child) watcher = undefined
    }
    child.once('exit', forget).once('error', forget)
    // If the guardian was killed, the pipe breaks; the next group starts another guardian.
    child.stdin.on('error', forget)
    child.unref()
    if (child.stdin instanceof process.getBuiltinModule('node:net').Socket) child.stdin.unref()
    watcher = child
    for (const group of groups) tell(`+${group}\n`)
  }

  return {
    mark() {
      marks += 1
      if (!watcher && process.platform !== 'win32') start()
      return `${prefix}.${marks}`
    },
    add(group) {
      if (process.platform === 'win32') return
      groups.add(group)
      if (watcher) tell(`+${group}\n`)
      else start()
    },
    remove(group) {
      if (groups.delete(group)) tell(`-${group}\n`)
    },
    close() {
      watcher?.stdin?.end()
      watcher = undefined
    },
  }
}

const POLL_MS = 20

/**
 * Ends programs that left their server's process group: SIGTERM, then SIGKILL. They are found by their environment,
 * which is possible only on Linux.
 * @param graceMs milliseconds between the two signals
 */
export async function endStrays(mark: string, graceMs: number): Promise<void> {
  if (process.platform !== 'linux') return
  let left = signalAll(await marked(mark), 'SIGTERM')
  for (let waited = 0; left.length > 0 && waited < graceMs; waited += POLL_MS) {
    await delay(POLL_MS)
    left = signalAll(left, 0)
  }
  // A process that is ending may have started another.
  if (left.length > 0) signalAll(await marked(mark), 'SIGKILL')
}

/** Number of processes whose environment is read without a pause. Each takes some hundredths of a millisecond. */
const IN_A_TURN = 64

/** Returns the ids of the processes with this mark in their environment. */
async function marked(mark: string): Promise<number[]> {
  const names = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  const wanted = `${MARK_VARIABLE}=${mark}`
  const pids: number[] = []
  for (const [index, name] of names.entries()) {
    if (index % IN_A_TURN === 0) await turn()
    try {
      // An asynchronous read would take ten times as long, because it needs four jobs in libuv's threads.
      if (readFileSync(`/proc/${name}/environ`, 'latin1').split('\0').includes(wanted)) pids.push(Number(name))
    } catch {
      // The process has ended, or belongs to another user.
    }
  }
  return pids
}

/** Signals processes, and returns those that still existed. */
function signalAll(pids: readonly number[], signal: NodeJS.Signals | 0): number[] {
  return pids.filter(pid => {
    try {
      return process.kill(pid, signal)
    } catch {
      return false
    }
  })
}
