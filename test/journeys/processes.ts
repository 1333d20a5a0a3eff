import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

export type Process = { pid: number; parent: number; command: string }

/** Every process of this machine that is not a zombie. */
export function running(): Process[] {
  // Tests repeat this until no process is left, and starting ps takes longer than anything else that they do meanwhile.
  if (existsSync('/proc/self/stat'))
    return (
      readdirSync('/proc')
        .filter(isNumber)
        .flatMap(pid => processOf(Number(pid)))
        // A killed process has released its memory a moment before it is dead.
        .filter(({ command }) => command !== '')
    )
  const table = execFileSync('ps', ['-axo', 'pid=,ppid=,stat=,command='], { encoding: 'utf8' })
  return table.split('\n').flatMap(row => {
    const [, pid, parent, state = 'Z', command = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(row) ?? []
    return state.startsWith('Z') ? [] : [{ pid: Number(pid), parent: Number(parent), command }]
  })
}

const isNumber = (name: string): boolean => /^\d+$/.test(name)

/** A process as listed by Linux in files; undefined if it is gone or a zombie. */
function processOf(pid: number): Process[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name in parentheses may contain any character.
    const [state = 'Z', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (/^[ZX]/.test(state)) return []
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trimEnd()
    return [{ pid, parent: Number(parent), command }]
  } catch {
    return []
  }
}

/** All descendants of a process, as long as the chain of parents is unbroken. */
export function descendantsOf(pid: number): Process[] {
  const all = running()
  const below = (parent: number): Process[] =>
    all.filter(each => each.parent === parent).flatMap(each => [each, ...below(each.pid)])
  return below(pid)
}

/** The process of mcpdeck below a shell. */
export function programBelow(pid: number): number {
  const program = descendantsOf(pid).find(({ command }) => command.includes('dist/boot.js'))
  if (!program) throw new Error(`mcpdeck does not run below ${pid}`)
  return program.pid
}

/** MCP servers that a program has started. */
export function serversOf(pid: number): number[] {
  return descendantsOf(pid)
    .filter(({ command }) => command.includes('server-everything'))
    .map(each => each.pid)
}

/** Returns those of these processes that are not dead, by the same process state that the program uses. */
export function stillRunning(pids: readonly number[]): Process[] {
  return existsSync('/proc/self/stat') ? pids.flatMap(processOf) : running().filter(({ pid }) => pids.includes(pid))
}
