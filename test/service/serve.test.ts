import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { serve, type ServeOptions } from '../../src/cli/serve.ts'
import { createApi, sandbox, temporaryDirectory, type Api } from './harness.ts'

const { account, projects, servers } = contract
type Greeting = { baseUrl: string; keyFile: string; pid: number }

/** Serves until the test ends. */
async function served(options: Partial<ServeOptions> = {}) {
  const stop = new AbortController()
  const dataDir = temporaryDirectory()
  let greet: (text: string) => void = () => {}
  const greeted = new Promise<string>(resolve => (greet = resolve))
  const stopped = serve({
    dataDir,
    json: true,
    stdout: greet,
    stderr: () => {},
    signal: stop.signal,
    ...options,
  })
  const greeting = JSON.parse(await Promise.race([greeted, stopped.then(() => 'stopped')])) as Greeting
  onTestFinished(async () => {
    stop.abort()
    await stopped
  })
  const key = readFileSync(greeting.keyFile, 'utf8').trim()
  return { ...greeting, api: createApi(fetch, key, greeting.baseUrl), stop, stopped }
}

async function outcome(api: Api): Promise<string> {
  try {
    const response = await api.send(account.me)
    const text = await response.text()
    const type = response.headers.get('content-type') ?? ''
    if (type.startsWith('text/html')) return 'html'
    if (response.status !== 200) return String(response.status)
    return (JSON.parse(text) as { id: string }).id.startsWith('acc_') ? 'ok' : 'other'
  } catch {
    return 'broken'
  }
}

describe('mcpdeck serve', () => {
  test('speaks the contract on loopback with a key of its own', async () => {
    const { api, baseUrl, keyFile, pid } = await served()
    expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/)
    expect(pid).toBe(process.pid)
    expect(statSync(keyFile).mode & 0o777).toBe(0o600)
    const { projectId, serverId } = await sandbox(api)
    const target = { projectId, serverId }
    const body = { toolName: 'echo', parameters: { message: 'over http' } }
    expect(await api.call(servers.callTool, { ...target, body })).toMatchObject({
      content: [{ text: 'Echo: over http' }],
    })
    expect(await api.refused(projects.create, { body: '{' })).toMatchObject({ status: 400 })
    expect(await api.refused(account.me, {}, { key: 'sk_wrong' })).toMatchObject({ status: 401 })
  })

  test('limits each key as the service does', async () => {
    const { api } = await served({ rateLimit: 1, burst: 3 })
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.send(account.me)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toMatch(/^\d+$/)
  })

  test('refuses a host that others can reach, and a fault that it does not know', async () => {
    const dataDir = temporaryDirectory()
    await expect(serve({ dataDir, host: '0.0.0.0' })).rejects.toThrow('--allow-remote')
    await expect(serve({ dataDir, faults: ['flood=1'] })).rejects.toThrow('"flood=1" is not a fault')
    await expect(serve({ dataDir, faults: ['429=2'] })).rejects.toThrow('"429=2" is not a fault')
    const { baseUrl } = await served()
    const port = Number(new URL(baseUrl).port)
    await expect(serve({ dataDir, port })).rejects.toThrow(`Cannot listen on 127.0.0.1:${port}`)
  })

  test.each([
    ['429=1', '429'],
    ['500=1', '500'],
    ['html=1', 'html'],
    ['drop=1', 'broken'],
    ['truncate=1', 'broken'],
    ['latency=1', 'ok'],
  ])('adds the fault %s', async (fault, wanted) => {
    const { api } = await served({ faults: [fault] })
    expect(await outcome(api)).toBe(wanted)
  })

  test('the same seed meets the same faults', async () => {
    const meet = async (seed: number) => {
      const { api } = await served({
        faults: ['429=0.2,500=0.2', 'html=0.1', 'drop=0.2', 'truncate=0.2'],
        seed,
        rateLimit: 0,
      })
      const met: string[] = []
      for (let i = 0; i < 40; i += 1) met.push(await outcome(api))
      return met
    }
    const first = await meet(7)
    expect(new Set(first).size).toBeGreaterThan(3)
    expect(await meet(7)).toEqual(first)
    expect(await meet(8)).not.toEqual(first)
  })

  test.each(['SIGTERM', 'SIGINT'] as const)('ends cleanly on %s', async signal => {
    const dataDir = temporaryDirectory()
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL('./child.ts', import.meta.url)), 'serve', dataDir],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    onTestFinished(() => void child.kill('SIGKILL'))
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const { baseUrl, keyFile } = JSON.parse(String((await lines.next()).value)) as Greeting
    const api = createApi(fetch, readFileSync(keyFile, 'utf8').trim(), baseUrl)
    const { projectId, serverId } = await sandbox(api)
    const target = { projectId, serverId }
    await api.call(servers.validate, target)
    const exited = once(child, 'exit')
    const pending = api.send(servers.callTool, {
      ...target,
      body: { toolName: 'trigger-long-running-operation', parameters: { duration: 0.5, steps: 1 } },
    })
    const second = await api.send(account.me)
    expect(second.status).toBe(200)
    child.kill(signal)
    expect((await pending).status).toBe(200)
    expect(JSON.parse(String((await lines.next()).value))).toEqual({ stopped: true })
    expect((await exited)[0]).toBe(0)
  })
})
