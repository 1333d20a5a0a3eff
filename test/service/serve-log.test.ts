import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { createLog } from '../../src/cli/output/log.ts'
import { createRedaction } from '../../src/cli/output/redaction.ts'
import { serve } from '../../src/cli/serve/serve.ts'
import { UsageError } from '../../src/cli/config/settings.ts'
import { sandbox, temporaryDirectory } from './harness.ts'
import { serveHere } from './serve-here.ts'
import { PATIENCE } from '../patience.ts'

const { account, servers, projects } = contract

const temporaryFile = (name: string) => join(temporaryDirectory(), name)

type Line = {
  time: string
  requestId: string
  method: string
  path: string
  status: number
  durationMs: number
  keyId: string | null
}

describe('the log of requests', () => {
  test('has one line for each request, with the id that the caller was told, and no secret', async () => {
    const file = temporaryFile('requests.log')
    const { api, baseUrl } = await serveHere({ requestLog: file, rateLimit: 0 })
    const { projectId, serverId } = await sandbox(api)
    const body = { toolName: 'echo', parameters: { message: 'a secret of the body' } }
    const called = await api.send(servers.callTool, { projectId, serverId, body })
    const listed = await api.send(projects.list, { organizationId: 'secret-of-the-query' })
    const unknown = await api.send(account.me, {}, { key: 'sk_000000000000unknown' })
    const visit = await fetch(new URL('/visit/s3cr3t-of-the-link', baseUrl))
    await visit.arrayBuffer()
    const text = readFileSync(file, 'utf8')
    const lines = text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Line)
    expect(lines).toHaveLength(7)
    expect(lines.slice(3)).toMatchObject([
      { method: 'POST', path: `/api/v1/projects/${projectId}/servers/${serverId}/tools/call`, status: 200 },
      { method: 'GET', path: '/api/v1/projects', status: 404 },
      { method: 'GET', path: '/api/v1/me', status: 401, keyId: null },
      { method: 'GET', path: expect.stringMatching(/^\/visit\//), status: visit.status, keyId: null },
    ])
    expect(lines.slice(3, 6).map(({ requestId }) => requestId)).toEqual(
      [called, listed, unknown].map(each => each.headers.get('x-request-id')),
    )
    expect(lines[0]).toMatchObject({ keyId: expect.stringMatching(/^key_/), durationMs: expect.any(Number) })
    expect(Number.isNaN(Date.parse(lines[0]!.time))).toBe(false)
    for (const secret of ['secret', 's3cr3t', 'sk_0', api.key]) expect(text).not.toContain(secret)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('goes to standard output as readable text', async () => {
    const words: string[] = []
    const { promise: greeted, resolve } = Promise.withResolvers<void>()
    const stdout = (text: string) => {
      words.push(text)
      resolve()
    }
    const served = serveHere({ requestLog: '-', json: false, stdout })
    served.catch(() => {})
    await greeted
    const [, baseUrl] = /at (\S+)\n/.exec(words[0]!) ?? []
    const response = await fetch(`${baseUrl}/me`)
    await vi.waitFor(() => expect(words).toHaveLength(2), { ...PATIENCE, interval: 5 })
    const id = response.headers.get('x-request-id')
    expect(words[1]).toMatch(new RegExp(`^\\S+Z ${id} GET /api/v1/me 401 [\\d.]+ms -\\n$`))
  })

  test('is refused if it cannot be written', async () => {
    const options = { dataDir: temporaryDirectory(), requestLog: '/does/not/exist/requests.log' }
    await expect(serve(options)).rejects.toThrow(UsageError)
  })
})

describe('the log of the program', () => {
  test('is readable only by its owner, even if the file existed before', () => {
    const file = temporaryFile('mcpdeck.log')
    writeFileSync(file, 'earlier\n', { mode: 0o644 })
    const log = createLog(file)
    log.line('one')
    log.error(new Error('Bearer sk_0123456789abcdef failed'))
    const text = readFileSync(file, 'utf8')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(text).toMatch(/^earlier\n\S+Z start\n\S+Z one\n\S+Z Error: Bearer \[secret\]/)
    expect(text.split('\n').filter(line => /^\S+Z /.test(line))).toHaveLength(3)
    expect(() => createLog('/does/not/exist/mcpdeck.log')).toThrow(UsageError)
  })

  test.each([
    ['Authorization: bearer abc.def-ghi', 'Authorization: bearer [secret]'],
    ['key sk_50a5dd9ebb46xyz used', 'key sk_[secret] used'],
    ['model key sk-ant-api03-abcdef refused', 'model key sk-[secret] refused'],
    ['GET /visit/AbC_123/messages', 'GET /visit/[secret]/messages'],
    ['http://h/x?access_token=abc&b=1&code=xyz', 'http://h/x?access_token=[secret]&b=1&code=[secret]'],
    ['{"refresh_token": "a\\"b", "n": 1}', '{"refresh_token": "[secret]", "n": 1}'],
    ['https://me:pass@host/x', 'https://[secret]@host/x'],
    ['the env value hunter2-of-env', 'the env value [secret]'],
    ['plain text of /projects/prj_1', 'plain text of /projects/prj_1'],
    ['a\nforged 2026-01-01T00:00:00Z line\u001B[2J', 'a\n  forged 2026-01-01T00:00:00Z line\\x1b[2J'],
  ])('has %j as %j', (text, noted) => {
    const redact = createRedaction({ MCPDECK_API_KEY: 'hunter2-of-env' })
    expect(redact(text)).toBe(noted)
  })

  test('contains no key, whatever text is around it', () => {
    const redact = createRedaction({})
    const key = fc.stringMatching(/^[a-f0-9]{12}[\w-]{20,43}$/)
    fc.assert(
      fc.property(fc.string(), key, fc.string(), (before, secret, after) => {
        expect(redact(`${before} sk_${secret} ${after}`)).not.toContain(secret)
      }),
    )
  })
})
