import { once } from 'node:events'
import { statSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { serve } from '../../src/cli/serve/serve.ts'
import { sandbox, temporaryDirectory } from './harness.ts'
import { serveHere } from './serve-here.ts'

const { account, projects, servers } = contract

describe('mcpdeck serve', () => {
  test('speaks the contract on loopback with a key of its own', async () => {
    const { api, baseUrl, keyFile, pid } = await serveHere()
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

  test('answers runs of a suite as a bare list, as documented, or in the published envelope', async () => {
    const runsOf = async (options: Parameters<typeof serveHere>[0]): Promise<unknown> => {
      const { api } = await serveHere(options)
      const { projectId, suiteId } = await sandbox(api)
      return await (await api.send(contract.runs.list, { projectId, suiteId })).json()
    }
    expect(await runsOf({})).toEqual([])
    expect(await runsOf({ shape: 'published' })).toEqual({ items: [] })
  })

  test('limits each key as the service does', async () => {
    const { api } = await serveHere({ rateLimit: 1, burst: 3 })
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.send(account.me)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toMatch(/^\d+$/)
  })

  test.each([
    '0.0.0.0',
    '::',
    '',
    '0',
    '10.0.0.1',
    '::ffff:127.0.0.1',
    '127.0.0.1.example.com',
    'localhost.example.com',
    '127.1',
  ])('refuses the host "%s", which others may reach, unless asked for it', async host => {
    const dataDir = temporaryDirectory()
    await expect(serve({ dataDir, host })).rejects.toThrow('--allow-remote')
  })

  test('listens on other addresses if asked to, and warns about that', async () => {
    const warnings: string[] = []
    const stderr = (text: string) => void warnings.push(text)
    const { baseUrl, api } = await serveHere({ host: '0.0.0.0', allowRemote: true, stderr })
    expect(baseUrl).toContain('//0.0.0.0:')
    expect(warnings.join('')).toMatch(/Other machines can reach/)
    expect((await api.send(account.me)).status).toBe(200)
    const silent: string[] = []
    await serveHere({ allowRemote: true, stderr: text => void silent.push(text) })
    expect(silent).toEqual([])
  })

  test('says why it cannot listen', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void taken.close())
    await new Promise(resolve => taken.once('listening', resolve))
    const { port } = taken.address() as { port: number }
    const dataDir = temporaryDirectory()
    await expect(serve({ dataDir, port })).rejects.toThrow(`Cannot listen on 127.0.0.1:${port}`)
  })
})

describe('the host name of a request', () => {
  /** The answer to a request with this Host header, because fetch sets its own. */
  const ask = async (baseUrl: string, key: string, host: string, path = '/me') => {
    const { hostname, port, pathname } = new URL(baseUrl)
    const headers = { host, authorization: `Bearer ${key}` }
    const asked = request({ hostname, port, path: path === '/me' ? pathname + path : path, headers }).end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    return { status: response.statusCode, text: await text(response) }
  }

  test('must be one of loopback or an allowed one; the refusal says how to allow it', async () => {
    const { api, baseUrl, printed } = await serveHere({ allowHost: ['Deck.example'], requestLog: '-' })
    for (const host of [
      '127.0.0.1',
      'localhost:1',
      'LOCALHOST',
      'a.localhost',
      '[::1]:80',
      '127.9.9.9',
      'deck.example',
    ])
      expect({ host, ...(await ask(baseUrl, api.key, host)) }).toMatchObject({ host, status: 200 })
    printed.length = 0
    const strange = ['evil.test', 'evil.test:4747', 'localhost.evil.test', '127.0.0.1.evil.test', '10.0.0.1', '[::2]']
    for (const host of strange)
      expect({ host, ...(await ask(baseUrl, api.key, host)) }).toMatchObject({
        host,
        status: 403,
        text: expect.stringMatching(/"FORBIDDEN".*--allow-host/),
      })
    expect(printed).toHaveLength(strange.length)
    expect(await ask(baseUrl, api.key, 'evil.test', '/visit/nothing')).toMatchObject({ status: 403 })
  })
})
