import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { minimalEnv } from '../pty/home.ts'
import { SHORT_LIFE } from '../pty/short-life.ts'
import { withRunningTest } from '../service/harness.ts'
import { PROGRAM } from './visitor.ts'

/** Runs `mcpdeck serve` in a separate process. */
export type Serving = {
  baseUrl: string
  host: string
  port: number
  pid: number
  /** The environment variables that a dashboard needs to use it. */
  env: { MCPDECK_BASE_URL: string; MCPDECK_API_KEY: string }
  /** Ends the process and waits for its exit. */
  stop(): Promise<void>
}

/** Serves the workspace of a home until the test ends. */
export async function startServing(
  home: string,
  options: { port?: number; args?: readonly string[]; env?: Record<string, string> } = {},
  ending = withRunningTest,
): Promise<Serving> {
  const { port: wanted = 0, args = [], env } = options
  const child = spawn(
    process.execPath,
    [...SHORT_LIFE, PROGRAM, 'serve', '--json', '--port', String(wanted), ...args],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...minimalEnv(home), ...env } },
  )
  const exited = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
  }
  ending.onTestFinished(stop)
  const line = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
  const { baseUrl, keyFile, pid } = JSON.parse(String(line.value)) as { baseUrl: string; keyFile: string; pid: number }
  const { host, port } = new URL(baseUrl)
  const key = readFileSync(keyFile, 'utf8').trim()
  return { baseUrl, host, port: Number(port), pid, env: { MCPDECK_BASE_URL: baseUrl, MCPDECK_API_KEY: key }, stop }
}
