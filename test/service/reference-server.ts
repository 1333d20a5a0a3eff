import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { until } from './harness.ts'

/** Starts the reference server over streamable HTTP on a free port; it ends with the test. */
export async function referenceServerOverHttp(): Promise<string> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  const program = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')
  const child = spawn(process.execPath, [program, 'streamableHttp'], {
    env: { PATH: process.env['PATH'] ?? '', PORT: String(port) },
    stdio: 'ignore',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const url = `http://127.0.0.1:${port}/mcp`
  const answers = () =>
    fetch(url).then(
      () => true,
      () => false,
    )
  await until(answers, answered => answered)
  return url
}
