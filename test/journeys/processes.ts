import { execFileSync } from 'node:child_process'

type Process = { pid: number; parent: number; command: string }

/** Every process of this machine that is not already dead. */
function running(): Process[] {
  const table = execFileSync('ps', ['-axo', 'pid=,ppid=,stat=,command='], { encoding: 'utf8' })
  return table.split('\n').flatMap(row => {
    const [, pid, parent, state = 'Z', command = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(row) ?? []
    return state.startsWith('Z') ? [] : [{ pid: Number(pid), parent: Number(parent), command }]
  })
}

/** All that a process has started, however deep, as long as the chain is unbroken. */
export function descendantsOf(pid: number): Process[] {
  const all = running()
  const below = (parent: number): Process[] =>
    all.filter(each => each.parent === parent).flatMap(each => [each, ...below(each.pid)])
  return below(pid)
}

/** mcpdeck itself below a shell. */
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

/** Those of these processes that still run. */
export function stillRunning(pids: readonly number[]): Process[] {
  return running().filter(({ pid }) => pids.includes(pid))
}
