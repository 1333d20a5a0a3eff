import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { MARK_VARIABLE } from './strays.ts'

/**
 * Ends what is left when its standard input closes, which the kernel does even for `kill -9` of mcpdeck. The input of
 * the programs closes with it, so they have half a second to end by themselves. The traps keep a signal to the
 * terminal's group from ending the guardian before its work.
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

/** One watcher process per engine that outlives a killed mcpdeck and ends its servers. */
export type Guardian = {
  /**
   * A new value of `MARK_VARIABLE` for the environment of a server, by which what it started is found. Whoever bears it
   * is under guard from its first moment on, where marks can be read.
   */
  mark(): string
  /** Puts a process group under guard. */
  add(group: number): void
  /** Takes a group out again once nothing of it runs. */
  remove(group: number): void
  /** Lets the watcher end, with whatever is still listed. */
  close(): void
}

/** POSIX only; on Windows every method does nothing. Started with the first mark, restarted if it was killed. */
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
    // A watcher that was killed from outside breaks the pipe; the next add starts another.
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
