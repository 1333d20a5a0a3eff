import { afterEach, describe, expect, test } from 'vitest'
import { small, stdioTarget } from '../../../test/servers/targets.ts'
import { createConnections, type Connections } from './engine.ts'
import { measureMemory } from '../../../test/work.ts'

let connections: Connections
const connect = (options: Parameters<typeof createConnections>[0] = {}) => {
  connections = createConnections({ deadlineMs: 10_000, ...options })
  return connections
}
afterEach(() => connections.close())

const unreachable = (message: RegExp) => ({ code: 'SERVER_UNREACHABLE', message: expect.stringMatching(message) })
const call = { toolName: 'pid' }

describe('an unusable server', () => {
  test("with a command that does not exist is reported with the command's name", async () => {
    const missing = stdioTarget([], { transport: { type: 'stdio', command: 'no-such-command', args: [], env: {} } })
    const { listTools, doctor } = connect()
    await expect(listTools(missing)).rejects.toMatchObject(unreachable(/command not found: no-such-command/))
    expect(await doctor(missing)).toMatchObject({
      status: 'error',
      connection: { status: 'skipped' },
      checks: { probe: { status: 'error' }, connection: { status: 'skipped' } },
      error: { code: 'SERVER_UNREACHABLE' },
    })
  })

  test('with an invalid record causes VALIDATION_ERROR, and the request is not repeated', async () => {
    const command = process.execPath
    const broken = stdioTarget([], { transport: { type: 'stdio', command, args: ['a\0secret'], env: {} } })
    const refusal = await connect()
      .listTools(broken)
      .catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'VALIDATION_ERROR' })
    expect(String(refusal)).not.toContain('secret')
  })

  test('that exits is reported with its last output', async () => {
    const { listTools, doctor } = connect()
    const words = /exited with code 3: cannot read the configuration: TOKEN is missing$/
    await expect(listTools(small('exits'))).rejects.toMatchObject(unreachable(words))
    const report = await doctor(small('exits'))
    expect(report).toMatchObject({
      status: 'error',
      connection: { status: 'error', detail: expect.stringMatching(words) },
      checks: { probe: { status: 'ok' }, connection: { status: 'ok' }, initialization: { status: 'error' } },
    })
  })

  test('with an unknown protocol version is reported with the supported versions', async () => {
    const words = /speaks protocol version 2099-01-01, and mcpdeck 20\d\d-.*2024-11-05/
    await expect(connect().listTools(small('future'))).rejects.toMatchObject(unreachable(words))
  })

  test('that offers an older version in its refusal is used with that version', async () => {
    const { initInfo } = await connect().validate(small('older'))
    expect(initInfo.protocolVersion).toBe('2024-11-05')
  })

  test('that refuses to initialize is unreachable', async () => {
    await expect(connect().listTools(small('refuses'))).rejects.toMatchObject(unreachable(/not today/))
  })

  test('that exits during a call is not called again', async () => {
    const failed = connect().callTool(small('dies-in-call'), call)
    await expect(failed).rejects.toMatchObject(unreachable(/exited with code 7: out of luck$/))
  })

  test('that exits during several calls is reported as possibly ended by any of them', async () => {
    const { callTool, validate } = connect()
    await validate(small('dies-in-call'))
    const failed = await Promise.allSettled([1, 2, 3].map(() => callTool(small('dies-in-call'), call)))
    const message = /exited with code 7: out of luck \(2 other requests were under way, any of which may be why\)$/
    expect(failed.map(end => end.status === 'rejected' && (end.reason as unknown))).toEqual(
      [1, 2, 3].map(() => expect.objectContaining(unreachable(message)) as unknown),
    )
  })
})

describe('a silent server', () => {
  test('that never answers causes TIMEOUT', async () => {
    const { listTools, validate, doctor } = connect({ deadlineMs: 300 })
    const late = { code: 'TIMEOUT', message: expect.stringContaining('within 0.3 s') }
    await expect(listTools(small('silent'))).rejects.toMatchObject(late)
    await expect(validate(small('silent'))).rejects.toMatchObject(late)
    expect(await doctor(small('silent'))).toMatchObject({ status: 'error', error: { code: 'TIMEOUT' } })
    const message = expect.stringMatching(
      /initialize\. It printed 2 lines that are not messages of MCP, first: Listening on 3000\. Its last output on stderr: ready$/,
    )
    expect(await doctor(small('no-mcp', { timeoutMs: 5000 }))).toMatchObject({ error: { code: 'TIMEOUT', message } })
  })

  test('is first told the server’s own deadline, and its session is not used again', async () => {
    const engine = connect()
    const silent = small('silent-call', { timeoutMs: 5000 })
    const failed = engine.callTool(silent, call)
    await expect(failed).rejects.toMatchObject({ code: 'TIMEOUT', message: expect.stringContaining('tools/call') })
    expect((await engine.listTools(silent)).items).toHaveLength(3)
  })

  test('is abandoned with the caller’s reason if the caller aborts', async () => {
    const engine = connect()
    await engine.listTools(small('silent-call'))
    const reason = new Error('enough')
    const signal = AbortSignal.abort(reason)
    await expect(engine.callTool(small('silent-call'), call, signal)).rejects.toBe(reason)
    await expect(engine.doctor(small('silent-call'), signal)).rejects.toBe(reason)
    const later = new AbortController()
    const running = engine.callTool(small('silent-call'), call, later.signal)
    await engine.listTools(small('silent-call'))
    later.abort(reason)
    await expect(running).rejects.toBe(reason)
  })
})

describe('a server that sends too much', () => {
  const limit = 1024 * 1024

  test('is still used if it prints other text between the messages', async () => {
    expect((await connect().listTools(small('garbage'))).items).toHaveLength(3)
  })

  test.each(['floods-garbage', 'floods-messages', 'floods-requests'])('loses its connection: %s', async behaviour => {
    const failed = connect({ maxResultBytes: limit }).callTool(small(behaviour), call)
    await expect(failed).rejects.toMatchObject(unreachable(/printed more than 1 MiB without an answer/))
  })

  test('loses its connection after an answer of 50 MiB, and the answer is not stored', async () => {
    const { callTool, listTools } = connect()
    await listTools(small('huge-line'))
    const growth = measureMemory(50 * limit)
    const failed = callTool(small('huge-line'), call)
    await expect(failed).rejects.toMatchObject(unreachable(/answered more than 8 MiB/))
    expect(growth()).toBeLessThan(1)
  })
})
