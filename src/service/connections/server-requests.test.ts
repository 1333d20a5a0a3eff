import { afterEach, describe, expect, test, vi } from 'vitest'
import { asking, everything } from '../../../test/servers/targets.ts'
import { createConnections, type Connections } from './engine.ts'
import { createServerRequests, type ServerRequests, type WaitingRequest } from './server-requests.ts'
import { PATIENCE } from '../../../test/patience.ts'

let connections: Connections
let requests: ServerRequests
let roots = [{ uri: 'file:///work', name: 'work' }]
afterEach(() => connections.close())

/** Creates connections to servers whose requests can be answered. */
function attended(idleMs = 30_000): void {
  requests = createServerRequests({ rootsOf: () => roots, onChange: () => undefined })
  connections = createConnections({ deadlineMs: 20_000, idleMs, requests })
}
const target = everything()
const call = (toolName: string, parameters = {}, on = target, signal?: AbortSignal) =>
  connections.callTool(on, { toolName, parameters }, signal)
const textOf = ({ content }: { content: readonly Record<string, unknown>[] }) =>
  content.map(({ text }) => text).join('\n')
/** Returns the only open request once there is one. */
const waits = (): Promise<WaitingRequest> =>
  vi.waitFor(
    () => {
      expect(requests.all()).toHaveLength(1)
      return requests.all()[0]!
    },
    { ...PATIENCE, interval: 10 },
  )
const answer = (request: WaitingRequest, result: Record<string, unknown>) =>
  requests.settle(request.serverId, request.id, { result })

describe('the requests of the reference server', () => {
  test('are answered: a form is filled in, an address accepted, a message written, and roots are listed', async () => {
    attended()
    const filled = call('trigger-elicitation-request')
    const form = await waits()
    expect(form).toMatchObject({ kind: 'form', call: 'tools/call trigger-elicitation-request' })
    answer(form, { action: 'accept', content: { name: 'Ada', integer: 7 } })
    expect(textOf(await filled)).toMatch(/- Name: Ada[^]*- Favorite Integer: 7/)

    const visited = call('trigger-url-elicitation', { url: 'https://a.example/', message: 'Sign in' })
    const visit = await waits()
    expect(visit).toMatchObject({ kind: 'url', params: { url: 'https://a.example/' } })
    answer(visit, { action: 'decline' })
    expect(textOf(await visited)).toContain('declined to open the URL')

    const sampled = call('trigger-sampling-request', { prompt: 'Hi' })
    const sample = await waits()
    expect(sample).toMatchObject({ kind: 'sampling', params: { maxTokens: 100 } })
    const content = { type: 'text', text: 'by hand' }
    answer(sample, { role: 'assistant', content, model: 'a person', stopReason: 'endTurn' })
    expect(textOf(await sampled)).toContain('by hand')

    expect(textOf(await call('get-roots-list'))).toContain('file:///work')
    roots = [{ uri: 'file:///other', name: 'other' }]
    requests.rootsChanged(target.id)
    await vi.waitFor(async () => expect(textOf(await call('get-roots-list'))).toContain('file:///other'), {
      ...PATIENCE,
      interval: 20,
    })
  })

  test('are not offered if nobody can answer them, and never in trials', async () => {
    const offered = (tools: readonly { name: string }[]) => tools.some(({ name }) => name.startsWith('trigger-elicit'))
    attended()
    expect(offered((await connections.listTools(target)).items)).toBe(true)
    expect(offered(await connections.use(target, undefined, session => session.listTools()))).toBe(false)
    // The doctor examines the process whose lists the screens show.
    expect(offered((await connections.doctor(target)).tools)).toBe(true)
    expect(offered((await connections.exportSnapshot(target)).tools)).toBe(false)
    await connections.close()
    connections = createConnections({ deadlineMs: 20_000 })
    expect(offered((await connections.listTools(target)).items)).toBe(false)
  })
})

describe.each(['legacy', 'modern'] as const)('a server that uses %s protocol versions', era => {
  const server = asking(era)

  test('may wait for a person longer than a call may take, and gets exactly one answer', async () => {
    attended()
    await call('echo', {}, server)
    const called = call('form', {}, { ...server, timeoutMs: 1000 })
    const request = await waits()
    // This call starts later, so it times out after the first call would.
    await expect(call('never', {}, { ...server, id: 'another', timeoutMs: 1500 })).rejects.toMatchObject({
      code: 'TIMEOUT',
    })
    expect(answer(request, { action: 'accept', content: { name: 'Ada' } })).toBe(true)
    expect(answer(request, { action: 'accept', content: { name: 'Eve' } })).toBe(false)
    expect(textOf(await called)).toBe('{"action":"accept","content":{"name":"Ada"}}')
  })

  test('gets its roots, and learns that a person rejected its sampling request', async () => {
    attended()
    expect(textOf(await call('roots', {}, server))).toContain('"uri":"file:///')
    const called = call('sample', {}, server).then(textOf, String)
    const { id, serverId } = await waits()
    requests.settle(serverId, id, 'rejected')
    expect(await called).toContain('The person rejected the request.')
    expect(textOf(await call('echo', { a: 1 }, server))).toBe('{"a":1}')
  })

  test('has no open request after its call was cancelled', async () => {
    attended()
    const abort = new AbortController()
    const called = call('form', {}, server, abort.signal)
    await waits()
    abort.abort(new Error('enough'))
    await expect(called).rejects.toThrow('enough')
    expect(requests.all()).toEqual([])
  })

  test('is refused at once if it requests a schema of megabytes', async () => {
    attended()
    const said = await call('huge', {}, server).then(textOf, String)
    expect(said).toContain('too large to be shown')
    expect(requests.all()).toEqual([])
  })
})

describe('a misbehaving server', () => {
  const server = asking('legacy')

  test('may have only so many open requests, and further ones are refused', async () => {
    attended()
    expect(textOf(await call('flood', {}, server))).toBe('refused 968')
    expect(requests.all()).toHaveLength(32)
    await connections.close()
    expect(requests.all()).toEqual([])
  })

  test('gets one answer if two requests have the same id', async () => {
    attended()
    const called = call('twice', {}, server)
    answer(await waits(), { action: 'cancel' })
    expect(textOf(await called)).toBe('answered 1')
  })

  test('can withdraw a request', async () => {
    attended()
    const called = call('takesBack', {}, server)
    await waits()
    expect(textOf(await called)).toBe('taken back')
    expect(requests.all()).toEqual([])
  })

  test('may send a request after its call ended, which keeps the connection and belongs to no call', async () => {
    attended(500)
    await call('late', {}, server)
    expect((await waits()).call).toBeUndefined()
    // This call takes longer than an unused connection stays open.
    await expect(call('never', {}, { ...server, id: 'another', timeoutMs: 1500 })).rejects.toMatchObject({
      code: 'TIMEOUT',
    })
    expect(requests.all()).toHaveLength(1)
  })

  test('gets the reason if it requests something that is not in the protocol', async () => {
    attended()
    expect(textOf(await call('nested', {}, server))).toContain('Invalid elicitation request')
  })

  test('has no open request after its connection ended', async () => {
    attended()
    const called = call('form', {}, server).catch(String)
    await waits()
    await connections.close()
    await called
    expect(requests.all()).toEqual([])
  })
})

describe('a call that requires a visit to a page first', () => {
  test('keeps a request with the address until the server reports the visit as completed', async () => {
    attended()
    const on = asking('legacy')
    await expect(call('required', {}, on)).rejects.toMatchObject({
      code: 'FEATURE_NOT_SUPPORTED',
      message: expect.stringContaining('wants you to go to xn--pple-43d.example:8443 before tools/call; call again'),
    })
    expect(await waits()).toMatchObject({ kind: 'url', call: 'tools/call required', hasCallEnded: true })
    await expect(call('required', {}, on)).rejects.toThrow('call again afterwards: Sign in first.')
    expect(requests.all()).toHaveLength(1)
    await call('visited', {}, on)
    expect(requests.all()).toEqual([])
    expect(textOf(await call('required', {}, on))).toBe('welcome')
  })

  test('fails if nobody can make the visit', async () => {
    attended()
    const trial = connections.use(asking('legacy'), undefined, session => session.callTool('required', {}))
    await expect(trial).rejects.toThrow('call again afterwards')
    expect(requests.all()).toEqual([])
  })
})
