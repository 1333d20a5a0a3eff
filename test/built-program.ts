import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureBuilt } from '../scripts/ensure-built.ts'
import { PROGRAM } from './cli/hosts.ts'
import { createHome, minimalEnv, removeHome, SHARED_COMPILED, SHARED_USED_HOME } from './pty/home.ts'
import { openTerminal } from './pty/terminal.ts'

/**
 * Builds the program once for all tests of a run, which share Node's compiled code and a first start; each test starts
 * it in a separate home. The first project of a run does this for all of them.
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
 * Done once, before other starts: a dozen concurrent starts would each compile and store the code. It opens the screen
 * that most tests use, because the code compiled by its end is stored.
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
