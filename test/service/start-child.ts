import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { ServeOptions } from '../../src/cli/serve/serve.ts'
import { createApi } from './harness.ts'

/** The line that `mcpdeck serve --json` prints once it listens. */
export type Greeting = { baseUrl: string; keyFile: string; pid: number }

/** Starts `child.ts` in one of its modes; it is killed at the end of the test at the latest. */
export function start(mode: string, dataDir: string, options: object = {}) {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('./child.ts', import.meta.url)), mode, dataDir, JSON.stringify(options)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async <T>() => JSON.parse(String((await lines.next()).value)) as T
  return { child, next }
}

/** A workspace served by a separate process, and a client for it. */
export async function startServe(dataDir: string, options: Partial<ServeOptions> = {}) {
  const started = start('serve', dataDir, options)
  const greeting = await started.next<Greeting>()
  const key = readFileSync(greeting.keyFile, 'utf8').trim()
  return { ...started, ...greeting, api: createApi(fetch, key, greeting.baseUrl) }
}
