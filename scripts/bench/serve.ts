import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Build } from './program.ts'

/** Starts `mcpdeck serve` of a build as a separate process, until it is disposed of. */
export async function startServe(build: Build, dataDir: string, options: readonly string[] = []) {
  const child = spawn(
    process.execPath,
    [join(build.dist, 'boot.js'), 'serve', '--json', '--port', '0', '--data-dir', dataDir, ...options],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const { baseUrl, keyFile } = JSON.parse(line) as { baseUrl: string; keyFile: string }
  return {
    baseUrl,
    key: readFileSync(keyFile, 'utf8').trim(),
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}
