import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureBuilt } from '../scripts/ensure-built.ts'
import { SHARED_COMPILED } from './pty/home.ts'

/**
 * Builds the program once for all tests of a run, which share what Node compiled of it: each starts it in a home of its
 * own, where it would be compiled anew.
 */
export async function setup(): Promise<() => void> {
  await ensureBuilt()
  const compiled = mkdtempSync(join(tmpdir(), 'mcpdeck-compiled-'))
  process.env[SHARED_COMPILED] = compiled
  return () => rmSync(compiled, { recursive: true, force: true })
}
