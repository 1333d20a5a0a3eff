import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inWorkspace } from '../prepared-workspace.ts'
import { startHttpServer } from '../servers/http-server.ts'
import { openHome } from './program.ts'

const SMALL = join(import.meta.dirname, '../servers/stdio-server.mjs')

const SHORT = ['--timeout', '3s', 'pid', '--yes']

let home: Awaited<ReturnType<typeof openHome>>
const run = (...args: string[]) => home.run(args)

beforeAll(async () => {
  home = await openHome()
  await inWorkspace(home.home, async ({ client, projectId }) => {
    for (const [name, behaviour] of Object.entries({
      small: 'healthy',
      mortal: 'dies-in-call',
      numbers: 'numbers',
      announces: 'announces',
      both: 'both',
      markdown: 'markdown',
      circles: 'circles',
    }))
      await client.servers.create({
        projectId,
        body: { name, enabled: true, transportType: 'stdio', command: process.execPath, args: [SMALL, behaviour] },
      })
  })
})
afterAll(() => home.close())

describe('a JSON-RPC error of a tool', () => {
  const call = ['call', 'small', 'fail', 'code=-32603', 'data={"row":7}', '--yes', '--unchecked']

  test('is printed with its code, message and data, and the same call is sent again', async () => {
    for (const _ of ['first', 'second']) {
      const { code, stdout, stderr } = await run(...call)
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
      expect(stderr).toContain('answered tools/call with error -32603: as you wish')
      expect(stderr).toContain('Its data: {"row":7}')
      expect(stderr).not.toMatch(/may have happened|nreachable/)
    }
    expect((await run('journal')).stdout).not.toContain('callTool')
  })

  test('is the frame as received with --json', async () => {
    const { code, stdout } = await run(...call, '--json')
    expect(code).toBe(3)
    expect(JSON.parse(stdout)).toMatchObject({
      jsonrpc: '2.0',
      error: { code: -32603, message: 'as you wish', data: { row: 7 } },
    })
  })
})

test('after a lost connection, a tool that writes may have acted, but a read-only tool has not', async () => {
  for (const _ of ['first', 'second']) {
    const { code, stderr } = await run('call', 'mortal', 'look', '--yes')
    expect(code).toBe(3)
    expect(stderr).toContain('out of luck')
    expect(stderr).not.toContain('may have happened')
  }
  expect((await run('call', 'mortal', 'act', '--yes')).stderr).toContain('may have happened')
  expect((await run('call', 'mortal', 'act', '--yes')).stderr).toContain('Nothing was sent')
})

test('whole numbers beyond 2^53 are printed as received, and sent as given', async () => {
  const given = await run('call', 'numbers', 'give', '--yes', '--json')
  expect(given.stdout).toContain('"id":9007199254740993,"total":12345678901234567890')
  expect((await run('call', 'numbers', 'give', '--yes')).stdout).toContain('12345678901234567890')
  expect((await run('tools', 'numbers', '--json')).stdout).toContain('"maximum":9223372036854775807')
  const taken = await run('call', 'numbers', 'take', 'id=9007199254740993', '--yes')
  expect(taken).toMatchObject({ code: 0, stdout: expect.stringContaining('"id":9007199254740993') })
  const before = join(home.home, 'before.json')
  writeFileSync(before, (await run('snapshot', 'numbers')).stdout)
  expect(readFileSync(before, 'utf8')).toContain('"maximum": 9223372036854775807')
  expect(await run('snapshot', 'diff', before, 'numbers')).toMatchObject({ code: 0 })
  writeFileSync(before, readFileSync(before, 'utf8').replace('9223372036854775807', '9223372036854775806'))
  expect((await run('snapshot', 'diff', before, 'numbers')).stdout).toContain('9223372036854775807')
})

test.each(['json', 'sse'])('whole numbers beyond 2^53 arrive unchanged over HTTP as %s', async format => {
  const server = await startHttpServer({
    'tools/call': ({ id }, _request, response) => {
      const message = `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"n":9007199254740993}}}`
      const isStream = format === 'sse'
      response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json')
      response.end(isStream ? `data: ${message}\n\n` : message)
    },
  })
  try {
    const { stdout } = await run('call', '--url', server.url, 'count', '--yes', '--json')
    expect(stdout).toContain('9007199254740993')
  } finally {
    await server.close()
  }
})

test('a stream that is resumed twice sends the id of its last event each time', async () => {
  let asked: number | undefined
  const ids: unknown[] = []
  const server = await startHttpServer({
    'tools/call': ({ id }, _request, response) => {
      asked = id
      response.setHeader('content-type', 'text/event-stream')
      response.end('id: e1\nretry: 10\ndata: \n\n')
    },
    // The library opens streams with a GET without a body.
    '': ({ method }, request, response) => {
      const lastId = request.headers['last-event-id']
      if (method !== '' || lastId === undefined) return void response.writeHead(405).end()
      ids.push(lastId)
      response.setHeader('content-type', 'text/event-stream')
      if (ids.length === 1) return void response.end(': nothing yet\n\n')
      const result = { content: [{ type: 'text', text: 'arrived' }] }
      response.end(`id: e2\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: asked, result })}\n\n`)
    },
  })
  try {
    const { stdout, code } = await run('call', '--url', server.url, 'count', '--yes')
    expect({ stdout, code, ids }).toEqual({ stdout: 'arrived\n', code: 0, ids: ['e1', 'e1'] })
  } finally {
    await server.close()
  }
})

test('the message of a call that takes too long names the default, the limit and the option', async () => {
  const { code, stderr } = await run('call', '--command', `'${process.execPath}' '${SMALL}' silent-call`, ...SHORT)
  expect(code).toBe(3)
  expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(/--timeout.*30 s by default, at most 300 s/)
})

describe('a list that a server announces but does not have', () => {
  test('is left out of a snapshot, and a comparison reports it as not read', async () => {
    const { code, stdout, stderr } = await run('snapshot', 'announces')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ tools: [{ name: 'pid' }, {}, {}], prompts: [], resources: [] })
    expect(stderr).toMatch(/The prompts could not be read\. .*-32601/)
    expect(stderr).toMatch(/The resources could not be read\. .*-32603: Not␛\[2J here/)
    const [half, whole] = [join(home.home, 'half.json'), join(home.home, 'whole.json')]
    writeFileSync(half, stdout)
    expect(await run('snapshot', 'diff', half, 'announces')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/list prompts: could be read neither before nor now, and are\s+not compared/),
      stderr: expect.stringContaining('0 breaking, 2 that may break, 0 not breaking.'),
    })
    expect(await run('snapshot', 'diff', half, 'announces', '--strict')).toMatchObject({ code: 1 })
    writeFileSync(whole, JSON.stringify({ ...JSON.parse(stdout), unread: undefined, prompts: [{ name: 'old' }] }))
    const compared = await run('snapshot', 'diff', whole, 'announces', '--json')
    expect(JSON.parse(compared.stdout)).toMatchObject({
      items: [
        { impact: 'unknown', of: 'list', name: 'prompts', kind: 'unread' },
        { impact: 'unknown', of: 'list', name: 'resources', kind: 'unread' },
      ],
      exitCode: 0,
    })
    expect(compared.stderr).toContain('The prompts could not be read.')
  })
})

test('--stderr prints everything a program wrote before it failed, without control characters', async () => {
  const command = `'${process.execPath}' '${SMALL}' exits`
  const { code, stderr } = await run('tools', '--command', command, '--stderr')
  expect(code).toBe(3)
  expect(stderr).toMatch(/^starting\n␛\[31mcannot read the configuration:␇ TOKEN is missing␛\[0m\n/)
  expect(stderr).toContain('exited with code 3')
  expect((await run('tools', '--command', command)).stderr).not.toContain('starting')
})

describe('plain output has the same data as JSON output', () => {
  test.each([
    ['both', 'three rows\n{\n  "rows": [\n    1,\n    2,\n    3\n  ]\n}\n'],
    ['same', '{"rows": [1]}\n'],
    ['error', 'quota used up\n{\n  "retryAfter": 30\n}\n'],
    ['link', '[resource_link file:///r.csv: R␛[2J, text/csv, 1234 bytes]\n'],
  ])('for the result of %s', async (tool, printed) => {
    expect((await run('call', 'both', tool, '--yes')).stdout).toBe(printed)
  })

  test('the text of a resource is written to a file unchanged', async () => {
    expect((await run('read', 'markdown', 'small://raw')).stdout).toBe('one\r\ntwo\u200e \u00ad\f end\n')
  })

  test('tools already read from an endless list are printed, and the output says that it is incomplete', async () => {
    const { code, stdout, stderr } = await run('tools', 'circles')
    expect({ code, stdout }).toEqual({ code: 3, stdout: expect.stringContaining('again') })
    expect(stderr).toContain('The list is not complete.')
  })
})
