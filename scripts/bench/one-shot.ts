import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createHome, minimalEnv, removeHome } from '../../test/pty/home.ts'
import { startOn, type Build } from './program.ts'
import { median } from './statistics.ts'
import type { PreparedWorkspace } from './workspaces.ts'

/** The milliseconds of one start without a terminal. */
export type OneShotSample = { bare: number; summary: number }

/** Number of starts of mcpdeck and of the bare Node, in turn; their medians count. */
const pairs = 5

/** Measures `mcpdeck` printing its summary into a pipe, and a Node that does nothing for comparison. */
export async function sampleOneShot(build: Build, workspace: PreparedWorkspace): Promise<OneShotSample> {
  const home = createHome()
  const { command, args, prepare } = startOn(build, workspace)
  prepare(home)
  try {
    const times: OneShotSample[] = []
    for (let pair = 0; pair < pairs; pair += 1)
      times.push({
        bare: await timed(command, ['-e', '0'], home),
        summary: await timed(command, args.slice(0, 1), home),
      })
    return { bare: median(times.map(each => each.bare)), summary: median(times.map(each => each.summary)) }
  } finally {
    removeHome(home)
  }
}

async function timed(command: string, args: readonly string[], home: string): Promise<number> {
  const started = performance.now()
  const child = spawn(command, args, { env: minimalEnv(home), stdio: ['ignore', 'pipe', 'inherit'] })
  child.stdout.resume()
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}`)
  return performance.now() - started
}
