import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureBuilt } from '../scripts/ensure-built.ts'
import { PROGRAM } from './cli/hosts.ts'
import { createHome, minimalEnv, removeHome, SHARED_COMPILED, SHARED_USED_HOME } from './pty/home.ts'
import { openTerminal } from './pty/terminal.ts'

/**
 * Builds the program once for all tests of a run, which share what Node compiled of it and a first start: each starts
 * it in a home of its own, where both would be done anew. The first project of a run does so for all of them.
 */
export async function setup(): Promise<(() => void) | undefined> {
  if (process.env[SHARED_COMPILED] !== undefined) return undefined
  await ensureBuilt()
  const compiled = mkdtempSync(join(tmpdir(), 'mcpdeck-compiled-'))
  process.env[SHARED_COMPILED] = compiled
  const home = createHome()
  process.env[SHARED_USED_HOME] = home
  execFileSync(process.execPath, [PROGRAM, 'serve', 'sample', 'add'], { env: minimalEnv(home) })
  await startDashboard()
  return () => {
    rmSync(compiled, { recursive: true, force: true })
    removeHome(home)
  }
}

/**
 * Once, alone: a dozen of them at the same time would each compile it and store that. It goes where most tests go,
 * since what is stored is what was compiled by the end.
 */
async function startDashboard(): Promise<void> {
  await using terminal = openTerminal({ isUsed: true })
  await terminal.waitFor('▌Sandbox')
  for (const number of [1, 3, 5, 6, 7, 8, 4]) {
    terminal.type(String(number))
    await terminal.waitFor(`[${number} `)
  }
  await terminal.waitFor('▌Reference server smoke')
  terminal.press('enter')
  await terminal.waitFor('▌Runs')
  terminal.press('ctrl+c')
  await terminal.waitForExit()
}
