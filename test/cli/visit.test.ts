import { chmodSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { BOUNDS } from '../../src/lib/bounds.ts'
import { UsageError } from '../../src/cli/config/settings.ts'
import { runVisit } from '../../src/cli/visit/visit.ts'
import { until } from '../service/harness.ts'
import { scriptedModel, type Answer, type Asked } from '../service/scripted-model.ts'
import { openTerminal } from '../pty/terminal.ts'
import { openHome } from './program.ts'
import { helper, invite, published, served } from '../service/visits.ts'

const { userTesting, userTestingSessions } = contract

describe('mcpdeck visit', () => {
  /** A visit in which the test types the lines and reads the output. */
  function visiting(link: string, options: object = {}) {
    const input = new PassThrough()
    let output = ''
    const hear = (text: string) => (output += text)
    const code = runVisit(link, { input, print: hear, tell: hear, pollMs: 20, ...options })
    return {
      code,
      type: (line: string) => input.write(`${line}\n`),
      close: () => input.end(),
      until: (text: string) =>
        until(
          () => output,
          shown => shown.includes(text),
        ),
    }
  }

  test('sends line by line and leaves when told to', async () => {
    const hostile = (asked: Asked): Answer =>
      asked.prompts.at(-1) === 'hello' ? { text: 'first\u001b[2Jline\nsecond' } : helper(asked)
    const model = await scriptedModel(hostile)
    const { api } = await served({ models: model.settings })
    const { link, target } = await published(api, { mode: 'invited_only', description: 'Say what you think.' })
    const { code: invitation } = await invite(api, target, 'ada@example.org')
    const visit = visiting(link)
    await visit.until('Your invitation: ')
    visit.type(invitation)
    await visit.until('Say what you think.')
    visit.type('hello')
    await visit.until('first␛[2Jline\nsecond\n')
    visit.type('add the numbers')
    await visit.until('[get-sum was used]')
    visit.type('/rate 5 very good')
    await visit.until('Thank you.')
    visit.type('/end')
    expect(await visit.code).toBe(0)
    expect((await api.call(userTestingSessions.list, target)).items).toMatchObject([
      { feedback: { rating: 5, comment: 'very good' }, visitor: { deviceKind: 'terminal' } },
    ])
  })

  test('reports at once that the owner ended the visit, and why', async () => {
    const model = await scriptedModel(helper)
    const { api } = await served({ models: model.settings })
    const { link, projectId, environmentId } = await published(api, { mode: 'anyone_with_link' })
    const visit = visiting(link)
    await visit.until('> ')
    await api.call(userTesting.unpublish, { projectId, environmentId })
    await visit.until('The session has ended: the owner took this scenario offline.')
    expect(await visit.code).toBe(3)
    expect(await visiting(link).code).toBe(3)
  })

  /** A program on loopback that answers links as a test says, until the test ends. */
  async function stranger(answer: RequestListener): Promise<string> {
    const server = createServer(answer).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/visit/x`
  }

  test('reports within its time limit a link without an answer, or with another program behind it', async () => {
    const silent = visiting(await stranger(() => undefined), { answerMs: 100 })
    expect(await silent.until('\n')).toMatch(/cannot be reached: it did not answer within 0\.1 s\./)
    expect(await silent.code).toBe(3)
    const half = visiting(await stranger((_, response) => void response.write('{"name":')), { answerMs: 100 })
    expect(await half.until('\n')).toContain('did not answer within')
    expect(await half.code).toBe(3)
    const page = visiting(await stranger((_, response) => void response.end('<!doctype html>')))
    expect(await page.until('\n')).toBe('The link answers as no scenario does (HTTP 200).\n')
    expect(await page.code).toBe(3)
  })

  test('a message without an answer may have arrived, and the visit continues', async () => {
    const open = new Set<ServerResponse>()
    let most = 0
    const link = await stranger(({ method, url }, response) => {
      if (method === 'GET' && url === '/visit/x') return void response.end('{"name":"Help"}')
      if (url?.endsWith('/sessions')) return void response.end('{"token":"t"}')
      if (method === 'DELETE') return void response.destroy()
      if (url?.endsWith('/messages')) return
      open.add(response)
      most = Math.max(most, open.size)
      response.on('close', () => open.delete(response))
    })
    const visit = visiting(link, { replyMs: 200 })
    await visit.until('> ')
    visit.type('hello')
    await visit.until('it did not answer within 0.2 s. The message may have arrived all the same.')
    expect(most).toBeLessThanOrEqual(1)
    visit.close()
    await visit.until('Whether this ended the session is not known.')
    expect(await visit.code).toBe(3)
    await until(
      () => open.size,
      left => left === 0,
    )
  })

  test.each([
    ['an answer without an end', '{"name":"', /cannot be reached: its answer is too long/],
    ['an answer of another program', '{"status":"up"}', /^The link answers as no scenario does \(HTTP 200\)\.$/m],
  ])('%s is refused with a sentence', async (what, begin, words) => {
    let sent = 0
    const link = await stranger((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      if (what !== 'an answer without an end') return void response.end(begin)
      const more = function* () {
        yield begin
        for (const part = 'x'.repeat(2 ** 20); ; sent += part.length) yield part
      }
      void pipeline(more, response).catch(() => undefined)
    })
    const visit = visiting(link)
    expect(await visit.code).toBe(3)
    expect(await visit.until('.')).toMatch(words)
    expect(sent).toBeLessThan(4 * BOUNDS.answer.most)
  })

  test('ends the visit at the end of input, and visits nothing without a link', async () => {
    const { api } = await served()
    const { link } = await published(api, { mode: 'project_members' })
    const visit = visiting(link, { key: api.key })
    await visit.until('> ')
    visit.type('hello')
    await visit.until('configure a model')
    visit.close()
    expect(await visit.code).toBe(0)
    await expect(runVisit('no link')).rejects.toThrow(UsageError)
    expect(await visiting(link, { key: 'sk_wrong' }).code).toBe(3)
    expect(await visiting('http://127.0.0.1:9/visit/x').code).toBe(3)
  })
})

describe('the command', () => {
  async function inHome() {
    const home = await openHome()
    onTestFinished(() => home.close())
    const file = (name: string, text: string): string => {
      const path = join(home.home, name)
      writeFileSync(path, text, { mode: 0o600 })
      return path
    }
    return { ...home, file }
  }

  test('reads invitation and key from files that only their owner can read', async () => {
    const home = await inHome()
    const { api } = await served()
    const invited = await published(api, { mode: 'invited_only' })
    const { code } = await invite(api, invited.target, 'ada@example.org')
    const file = home.file('invitation', `${code}\n`)
    const visit = await home.run(['visit', invited.link, '--invitation-file', file], { input: '/end\n' })
    expect(visit).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Type a message .*\n> You ended this session\.\n$/),
      stdout: expect.stringMatching(/^.*\n$/),
    })
    const other = await served()
    const members = await published(other.api, { mode: 'project_members' })
    const key = home.file('key', other.api.key)
    const keyed = await home.run(['visit', members.link, '--key-file', key], { input: '/end\n' })
    expect(keyed.code).toBe(0)
    chmodSync(key, 0o644)
    const refused = await home.run(['visit', members.link, '--key-file', key])
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('can be read by others') })
  })

  test('hides a key that is typed at a terminal', async () => {
    const home = await inHome()
    const { api } = await served()
    const { link } = await published(api, { mode: 'project_members' })
    await using visit = openTerminal({ args: ['visit', link], home: home.home })
    await visit.waitFor(`API key of the workspace at ${new URL(link).host}:`)
    visit.type(`${api.key}\r`)
    await visit.waitFor('Type a message')
    visit.type('/end\r')
    expect(await visit.waitForExit()).toMatchObject({ code: 0 })
    expect(visit.output).not.toContain(api.key)
  })

  test('ends as wrong usage if there is no link, and without a verdict if the visitor is not admitted', async () => {
    const home = await inHome()
    expect(await home.run(['visit', 'nowhere'])).toMatchObject({ code: 2, stdout: '' })
    expect(await home.run(['visit', 'http://127.0.0.1:9/visit/x'])).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining('The scenario cannot be reached'),
    })
  })
})
