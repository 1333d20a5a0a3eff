import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What serves, and what it loads only when it is needed. */
const PROGRAM = [
  '../child.ts',
  'ai',
  '@ai-sdk/openai-compatible',
  '@modelcontextprotocol/client',
  '@hono/node-server',
  '@hono/node-server/utils/response',
]

/**
 * Keeps what Node compiles of the service for all processes that are started from now on, which halves the price of a
 * start; a process that is killed would not keep it itself.
 * @returns what forgets it
 */
export function keepCompiled(): () => void {
  const path = mkdtempSync(join(tmpdir(), 'mcpdeck-compiled-'))
  process.env['NODE_COMPILE_CACHE'] = path
  const load = `await Promise.all(${JSON.stringify(PROGRAM.map(name => import.meta.resolve(name)))}.map(url => import(url)))`
  execFileSync(process.execPath, ['--input-type=module', '--eval', load])
  return () => {
    delete process.env['NODE_COMPILE_CACHE']
    rmSync(path, { recursive: true, force: true })
  }
}
