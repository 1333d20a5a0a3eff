import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The module that serves, and the modules that it loads only when they are needed. */
const PROGRAM = [
  '../child.ts',
  'ai',
  '@ai-sdk/openai-compatible',
  '@modelcontextprotocol/client',
  '@hono/node-server',
  '@hono/node-server/utils/response',
]

/**
 * Stores the code that Node compiles for the service, for all processes started from now on. This halves the cost of a
 * start; a killed process would not store it itself.
 * @returns a function that removes the code
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
