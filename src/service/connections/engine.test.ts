import { spawn, type ChildProcess } from 'node:child_process'
import { createServer, type AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { everything, everythingArgs, httpTarget, modern, small } from '../../../test/servers/targets.ts'
import { ownPrograms } from './command-lookup.ts'
import { createTraffic } from './traffic.ts'
import { createConnections, type Connections } from './engine.ts'
import type { ServerTarget } from './types.ts'
import { PATIENCE } from '../../../test/patience.ts'

let connections: Connections
const connect = (options: Parameters<typeof createConnections>[0] = {}) => {
  connections = createConnections({ deadlineMs: 10_000, ...options })
  return connections
}
afterEach(() => connections.close())

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}

async function startEverything(mode: 'streamableHttp' | 'sse'): Promise<{ port: number; child: ChildProcess }> {
  const port = await freePort()
  const child = spawn(process.execPath, everythingArgs(mode), {
    env: { PATH: process.env['PATH'] ?? '', PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await new Promise<void>(resolve =>
    child.stderr?.on('data', text => String(text).includes(`port ${port}`) && resolve()),
  )
  return { port, child }
}

const servers: ChildProcess[] = []
const targets: Record<string, ServerTarget> = { stdio: everything() }
beforeAll(async () => {
  const [streamable, sse] = await Promise.all([startEverything('streamableHttp'), startEverything('sse')])
  servers.push(streamable.child, sse.child)
  targets['streamable-http'] = httpTarget(`http://127.0.0.1:${streamable.port}/mcp`)
  targets['sse'] = httpTarget(`http://127.0.0.1:${sse.port}/sse`)
})
afterAll(() => servers.forEach(server => server.kill()))

const target = (name: string) => targets[name] ?? everything()

describe.each(['stdio', 'streamable-http', 'sse'])('the reference server over %s', name => {
  test('validates, lists, calls and exports, gets prompts and reads resources', async () => {
    const { validate, listTools, listPrompts, listResources, callTool, getPrompt, readResource, exportSnapshot } =
      connect()
    const { initInfo } = await validate(target(name))
    expect(initInfo).toMatchObject({ transport: name, serverInfo: { name: 'mcp-servers/everything' } })
    const tools = await listTools(target(name))
    expect(tools.items).toContainEqual(
      expect.objectContaining({ name: 'echo', title: 'Echo Tool', annotations: expect.anything() }),
    )
    const called = await callTool(target(name), { toolName: 'echo', parameters: { message: 'hi' } })
    expect(called).toEqual({ content: [{ type: 'text', text: 'Echo: hi' }], durationMs: expect.any(Number) })
    const prompts = await listPrompts(target(name))
    expect(prompts.items.map(prompt => prompt.name)).toContain('args-prompt')
    const prompt = await getPrompt(target(name), { promptName: 'args-prompt', arguments: { city: 'Bern', state: 7 } })
    expect(JSON.stringify(prompt.messages)).toContain('Bern, 7')
    const [resource] = (await listResources(target(name))).items
    const read = await readResource(target(name), { uri: String(resource?.uri) })
    expect(read.contents[0]).toMatchObject({ uri: resource?.uri })
    const snapshot = await exportSnapshot(target(name))
    expect(snapshot).toMatchObject({ serverId: target(name).id, tools: tools.items, prompts: prompts.items })
  })

  test('the progress of a call is reported step by step', async () => {
    const steps: unknown[] = []
    const call = { toolName: 'trigger-long-running-operation', parameters: { duration: 0.4, steps: 4 } }
    const result = await connect().callTool(target(name), call, undefined, step => steps.push(step))
    expect(JSON.stringify(result.content)).toContain('completed')
    expect(steps).toEqual([1, 2, 3, 4].map(progress => ({ progress, total: 4 })))
  })

  test('its log messages, updates and suggestions arrive', async () => {
    const traffic = createTraffic()
    const { callTool, subscribe, complete, listResourceTemplates, live } = connect({ traffic })
    const [template] = (await listResourceTemplates(target(name))).items
    const asked = {
      of: 'template' as const,
      name: String(template?.['uriTemplate']),
      argument: 'resourceId',
      value: '7',
    }
    expect(await complete(target(name), asked)).toEqual({ values: ['7'] })
    const uri = 'demo://resource/static/document/features.md'
    await subscribe(target(name), { uri, subscribed: true })
    await callTool(target(name), { toolName: 'toggle-subscriber-updates' })
    await callTool(target(name), { toolName: 'toggle-simulated-logging' })
    await vi.waitFor(() => expect(live(target(name).id).subscriptions).toMatchObject([{ uri, updates: 1 }]), PATIENCE)
    const logged = () =>
      traffic
        .of(target(name).id)
        .lines()
        .entries.filter(({ stream }) => stream === 'log')
    await vi.waitFor(() => expect(JSON.stringify(logged())).toContain('-level'), PATIENCE)
  })

  test('a tool failure is a result, and an unknown prompt or resource is invalid input', async () => {
    const { callTool, getPrompt, readResource } = connect()
    const failed = await callTool(target(name), { toolName: 'get-sum', parameters: { a: 'x' } })
    expect(failed).toMatchObject({ isError: true })
    const wrong = { code: 'VALIDATION_ERROR', details: { protocolError: { code: -32602 } } }
    await expect(getPrompt(target(name), { promptName: 'nope' })).rejects.toMatchObject(wrong)
    await expect(readResource(target(name), { uri: 'demo://nope' })).rejects.toMatchObject(wrong)
  })

  test('the doctor finds it ready', async () => {
    const report = await connect().doctor(target(name))
    expect(report).toMatchObject({ status: 'ready', connection: { status: 'connected' }, error: null })
    expect(Object.values(report.checks).map(check => check.status)).not.toContain('error')
    expect(report.tools.length).toBeGreaterThan(5)
    expect(report.resourceTemplates.length).toBeGreaterThan(0)
  })
})

test('a server of the newest protocol revision only is reached', async () => {
  const { validate, callTool } = connect()
  expect(await validate(modern())).toMatchObject({
    initInfo: { protocolVersion: '2026-07-28', serverInfo: { name: 'modern' } },
  })
  const result = await callTool(modern(), { toolName: 'greet', parameters: { name: 'you' } })
  expect(result).toMatchObject({ content: [{ text: 'Hello you' }] })
})

const pidOf = async ({ callTool }: Pick<Connections, 'callTool'>, server: ServerTarget): Promise<number> => {
  const { content } = await callTool(server, { toolName: 'pid' })
  return (JSON.parse(String(content[0]?.['text'])) as { pid: number }).pid
}

describe('the pool of connections', () => {
  test('shares one program among several callers', async () => {
    const engine = connect()
    const pids = await Promise.all([1, 2, 3].map(() => pidOf(engine, small('healthy'))))
    expect(new Set(pids).size).toBe(1)
    const inTrial = await engine.use(small('healthy'), undefined, session => session.callTool('pid'))
    expect(JSON.parse(String(inTrial.result.content[0]?.['text']))).toMatchObject({ pid: pids[0] })
  })

  test('keeps a connection if one of its callers gives up', async () => {
    const engine = connect()
    const stop = new AbortController()
    const first = engine.listTools(small('healthy'), {}, stop.signal)
    const second = engine.listTools(small('healthy'))
    stop.abort(new Error('changed my mind'))
    await expect(first).rejects.toThrow('changed my mind')
    expect((await second).items).toHaveLength(3)
  })

  test('ends an idle program, and starts another for a changed configuration', async () => {
    const engine = connect({ idleMs: 50, heldMs: 50 })
    const first = await pidOf(engine, small('healthy'))
    const changed = small('healthy')
    if (changed.transport.type === 'stdio') changed.transport.env = { COLOUR: 'blue' }
    expect(await pidOf(engine, changed)).not.toBe(first)
    await vi.waitFor(() => expect(() => process.kill(first, 0)).toThrow('ESRCH'), PATIENCE)
  })

  test('does not reuse a dropped connection', async () => {
    const engine = connect()
    const first = await pidOf(engine, small('healthy'))
    engine.drop(small('healthy').id)
    expect(await pidOf(engine, small('healthy'))).not.toBe(first)
  })

  test('replaces a program that has ended', async () => {
    const engine = connect()
    const first = await pidOf(engine, small('healthy'))
    process.kill(first, 'SIGKILL')
    expect((await engine.listTools(small('healthy'))).items).toHaveLength(3)
    expect(await pidOf(engine, small('healthy'))).not.toBe(first)
  })

  test('aborts work in progress when it closes, and refuses later requests', async () => {
    const engine = connect()
    const call = engine.callTool(small('silent-call'), { toolName: 'pid' })
    const listed = await engine.listTools(small('silent-call'))
    expect(listed.items).toHaveLength(3)
    const outcome = call.catch((error: unknown) => error)
    await engine.close()
    expect(await outcome).toMatchObject({ code: 'SERVER_UNREACHABLE' })
    await expect(engine.listTools(small('healthy'))).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' })
  })
})

describe('the listings of a server', () => {
  test('are paged as the server pages them, and an export contains every page', async () => {
    const { listTools, exportSnapshot } = connect()
    const first = await listTools(small('pages'))
    expect(first).toMatchObject({ items: [{ name: 'tool-0', 'x-extra': { kept: true } }], nextCursor: '1' })
    const last = await listTools(small('pages'), { cursor: '2' })
    expect(last).toEqual({ items: [expect.objectContaining({ name: 'tool-2' })] })
    const { tools, prompts } = await exportSnapshot(small('pages'))
    expect(tools.map(tool => tool.name)).toEqual(['tool-0', 'tool-1', 'tool-2'])
    expect(prompts).toEqual([])
  })

  test('fail if a cursor repeats', async () => {
    const { exportSnapshot } = connect()
    await expect(exportSnapshot(small('circles'))).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' })
  })

  test('are reported by the doctor as failed, or as not offered', async () => {
    const report = await connect().doctor(small('circles'))
    expect(report).toMatchObject({ status: 'partial', connection: { status: 'connected' }, error: null })
    expect(report.checks).toMatchObject({ tools: { status: 'error' }, prompts: { status: 'skipped' } })
  })

  test('are an error for the doctor if one was announced and fails or is missing, except for templates', async () => {
    const report = await connect().doctor(small('announces'))
    expect(report.status).toBe('partial')
    expect(report.checks).toMatchObject({
      tools: { status: 'ok' },
      resources: { status: 'error', detail: expect.stringContaining('-32603') },
      prompts: { status: 'error', detail: expect.stringContaining('-32601') },
      resourceTemplates: { status: 'skipped' },
    })
  })

  test('the doctor counts what a program prints outside the protocol', async () => {
    const report = await connect().doctor(small('careless'))
    expect(report.probe).toMatchObject({ strayOutput: { lines: 1, first: 'Now listing the tools' } })
    expect(report.checks.connection.detail).toContain('It printed a line that is not a message of MCP')
    expect((await connect().doctor(small('healthy'))).probe).not.toHaveProperty('strayOutput')
  })

  test('the doctor reports each step as it ends', async () => {
    const steps: string[] = []
    const report = await connect().doctor(small('healthy'), undefined, step => void steps.push(step))
    expect([...new Set(steps)]).toEqual(Object.keys(report.checks))
    expect(steps.indexOf('tools')).toBeGreaterThan(steps.indexOf('initialization'))
  })

  test('a kind that the server lacks is not supported', async () => {
    const { listPrompts, readResource } = connect()
    await expect(listPrompts(small('healthy'))).rejects.toMatchObject({ code: 'FEATURE_NOT_SUPPORTED' })
    await expect(readResource(small('healthy'), { uri: 'a:b' })).rejects.toMatchObject({ status: 422 })
  })
})

test.each([
  [-32602, 'VALIDATION_ERROR'],
  [-32601, 'FEATURE_NOT_SUPPORTED'],
  [-32603, 'FEATURE_NOT_SUPPORTED'],
  [-32000, 'FEATURE_NOT_SUPPORTED'],
])('the protocol error %i is reported as %s and leaves the session open', async (code, expected) => {
  const engine = connect()
  const pid = await pidOf(engine, small('healthy'))
  const failed = engine.callTool(small('healthy'), { toolName: 'fail', parameters: { code, data: { row: 7 } } })
  const error = { code, message: 'as you wish', data: { row: 7 } }
  const details = { reason: 'PROTOCOL_ERROR', protocolError: error, frame: { id: expect.anything(), error } }
  await expect(failed).rejects.toMatchObject({ code: expected, details })
  expect(await pidOf(engine, small('healthy'))).toBe(pid)
})

/** Returns the environment that a server's program gets if mcpdeck's own environment has these variables. */
async function environmentSeen(ours: Record<string, string>): Promise<Record<string, string>> {
  const before = { ...process.env }
  Object.assign(process.env, ours)
  const server = small('healthy')
  if (server.transport.type === 'stdio') server.transport.env = { API_KEY: 'theirs' }
  try {
    const { content } = await connect().callTool(server, { toolName: 'environment' })
    return JSON.parse(String(content[0]?.['text'])) as Record<string, string>
  } finally {
    for (const name of Object.keys(ours))
      if (before[name] === undefined) delete process.env[name]
      else process.env[name] = before[name]
  }
}

const NETWORK = {
  HTTP_PROXY: 'http://user:password@proxy.test:3128',
  HTTPS_PROXY: 'http://proxy.test:3129',
  NO_PROXY: 'localhost',
  http_proxy: 'http://proxy.test:3130',
  https_proxy: 'http://proxy.test:3131',
  no_proxy: 'internal.test',
  SSL_CERT_FILE: '/etc/company/ca.pem',
  SSL_CERT_DIR: '/etc/company/certs',
  NODE_EXTRA_CA_CERTS: '/etc/company/extra.pem',
}

test('a program sees its own variables, the network settings and few others', async () => {
  const seen = await environmentSeen({ MCPDECK_TEST_SECRET: 'ours', npm_config_token: 'ours', ...NETWORK })
  expect(seen).toMatchObject({ API_KEY: 'theirs', ...NETWORK })
  const allowed = [
    'API_KEY',
    'PATH',
    'HOME',
    'LANG',
    'TMPDIR',
    '__CF_USER_TEXT_ENCODING',
    'MCPDECK_SERVER',
    ...Object.keys(NETWORK),
  ]
  expect(Object.keys(seen).filter(name => !allowed.includes(name))).toEqual([])
})

test('the PATH entries that npm adds for mcpdeck do not reach a program, and all others do', async () => {
  const root = resolve(import.meta.dirname, '../../..')
  const others = ['/home/me/project/node_modules/.bin', '/usr/local/bin', '/usr/bin', '/bin']
  const PATH = [join(root, 'node_modules/.bin'), others[0], join(root, 'node_modules/.bin'), ...others.slice(1)].join(
    ':',
  )
  expect((await environmentSeen({ PATH }))['PATH']).toBe(others.join(':'))
})

test.each([
  ['/opt/mcpdeck/dist/main.js', ['/opt/mcpdeck/node_modules/.bin']],
  ['/opt/mcpdeck/src/service/connections/command-lookup.ts', ['/opt/mcpdeck/node_modules/.bin']],
  ['/home/me/app/node_modules/mcpdeck/dist/main.js', ['/home/me/app/node_modules/mcpdeck/node_modules/.bin']],
  [
    '/home/me/.npm/_npx/1a2b/node_modules/mcpdeck/dist/main.js',
    ['/home/me/.npm/_npx/1a2b/node_modules/mcpdeck/node_modules/.bin', '/home/me/.npm/_npx/1a2b/node_modules/.bin'],
  ],
])('mcpdeck at %s removes only the folders of its own dependencies from the PATH', (file, folders) => {
  expect(ownPrograms(file)).toEqual(folders)
})

test('a disabled server is refused as invalid input, but may be examined', async () => {
  const engine = connect()
  const disabled = small('healthy', { enabled: false })
  await expect(engine.listTools(disabled)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  await expect(engine.validate(disabled)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  await expect(engine.use(disabled, undefined, async () => 1)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  expect(await engine.doctor(disabled)).toMatchObject({ status: 'ready' })
})
