import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureBuilt } from '../scripts/ensure-built.ts'
import { PROGRAM } from './cli/hosts.ts'
import { createHome, minimalEnv, removeHome, SHARED_COMPILED, SHARED_USED_HOME } from './pty/home.ts'

/**
 * Builds the program once for all tests of a run, which share what Node compiled of it and a first start: each starts
 * it in a home of its own, where both would be done anew.
 */
export async function setup(): Promise<() => void> {
  await ensureBuilt()
  const compiled = mkdtempSync(join(tmpdir(), 'mcpdeck-compiled-'))
  process.env[SHARED_COMPILED] = compiled
  const home = createHome()
  process.env[SHARED_USED_HOME] = home
  execFileSync(process.execPath, [PROGRAM, 'serve', 'sample', 'add'], { env: minimalEnv(home) })
  return () => {
    rmSync(compiled, { recursive: true, force: true })
    removeHome(home)
  }
}
