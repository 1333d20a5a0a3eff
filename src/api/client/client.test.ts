import { inspect } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { overWeb } from '../../../test/web.ts'
import { VirtualClock } from '../../../test/client/virtual-clock.ts'
import { ApiError, isMissing } from './errors/api-error.ts'
import { createBudget } from './budget/budget.ts'
import { type ClientOptions, createClient } from './client.ts'
import { newIdempotencyKey, pathParameters, type AnyEndpoint, type InputOf } from '../contract/endpoint.ts'
import { allEndpoints, contract } from '../contract/contract.ts'
import { describeError } from './errors/error-text.ts'
import { MAX_ANSWER_LEVELS } from '../../lib/json.ts'
import { plainHeaders } from '../contract/message.ts'

const run = { id: 'r', suiteId: 's', status: 'running', createdAt: 1 }

function service(answer: (request: Request, nth: number) => Response, options: Partial<ClientOptions> = {}) {
  const clock = new VirtualClock()
  const requests: Request[] = []
  const client = createClient({
    baseUrl: 'http://service.test/api/v1/',
    key: 'sk_test',
    clock,
    fetch: overWeb(async request => {
      requests.push(request)
      return answer(request, requests.length)
    }),
    ...options,
  })
  return { client, requests, clock }
}

const failure = async (work: Promise<unknown>): Promise<ApiError> => {
  const error: unknown = await work.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ApiError)
  return error as ApiError
}

async function collect<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const page of pages) all.push(page)
  return all
}

test.each(allEndpoints().filter(({ method, local }) => method === 'DELETE' && !local))(
  'the operation $operation succeeds by its status alone if there is no body, else by its body',
  async endpoint => {
    const ids = Object.fromEntries(pathParameters(endpoint.path).map(name => [name, 'x']))
    const body = endpoint.body?.isOptional() === false ? { body: { windowId: 'w' } } : {}
    const input = { ...ids, ...body } as InputOf<AnyEndpoint>
    const bodiless = service(() => new Response(null, { status: 204 })).client
    expect(await bodiless.exchange(endpoint, input)).toMatchObject({ value: {}, text: '{}', status: 204 })
    const whole = { id: 'x', waveId: 'x', deleted: true, archived: true, removed: 'x' }
    expect(await service(() => Response.json(whole)).client.call(endpoint, input)).toEqual(whole)
    const silent = service(() => new Response('', { status: 200 }))
    if (!endpoint.response.safeParse(null).success)
      expect(await failure(silent.client.call(endpoint, input))).toMatchObject({ kind: 'invalid-response' })
  },
)

describe('a request of the client', () => {
  test('is made from the declaration', async () => {
    const { client, requests } = service(() => Response.json({ items: [run] }))
    const page = await client.runs.list({ projectId: 'a/b', suiteId: 's', limit: 5 })
    expect(page.items[0]?.status).toBe('running')
    const [request] = requests
    expect(request?.method).toBe('GET')
    expect(request?.url).toBe('http://service.test/api/v1/projects/a%2Fb/eval-suites/s/runs?limit=5')
    expect(request?.headers.get('authorization')).toBe('Bearer sk_test')
    expect(request?.headers.get('content-type')).toBeNull()
    expect(request?.headers.get('idempotency-key')).toBeNull()
  })

  test('with a body sends it as JSON, an absent optional one as {}', async () => {
    const { client, requests } = service(() => Response.json({ runId: 'r', suiteId: 's', status: 'pending' }))
    await client.runs.create({ projectId: 'p', body: { suiteId: 's' } }, { idempotencyKey: 'key-1' })
    expect(await requests[0]?.text()).toBe('{"suiteId":"s"}')
    expect(requests[0]?.headers.get('content-type')).toBe('application/json')
    expect(requests[0]?.headers.get('idempotency-key')).toBe('key-1')
    await client.servers.checkOAuth({ projectId: 'p', serverId: 's' }).catch(() => undefined)
    expect(await requests[1]?.text()).toBe('{}')
    await client.runs.cancel({ projectId: 'p', runId: 'r' }).catch(() => undefined)
    expect(requests[2]?.body).toBeNull()
  })

  test('names a vocabulary only if told to', async () => {
    const plain = service(() => Response.json({ id: 'u' }))
    await plain.client.account.me()
    expect([...plain.requests[0]!.headers.keys()].join()).not.toContain('vocabulary')
    const two = service(() => Response.json({ id: 'u' }), { vocabulary: { service: 'mcpjam', version: '2' } })
    await two.client.account.me()
    expect(two.requests[0]?.headers.get('x-mcpjam-eval-vocabulary')).toBe('2')
  })
})

test.each([MAX_ANSWER_LEVELS + 1, 5000, 1_000_000])('an answer with %i nested levels is refused', async levels => {
  const deep = `{"items":[],"more":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
  const { client } = service(() => new Response(deep))
  expect(await failure(client.projects.list())).toMatchObject({ kind: 'invalid-response', code: 'too-large' })
  const refusing = service(() => new Response(deep, { status: 400 }))
  expect(await failure(refusing.client.projects.list())).toMatchObject({ kind: 'http', status: 400 })
  const flat = deep.replace(/\[{9,}\]+/, '['.repeat(MAX_ANSWER_LEVELS - 1) + ']'.repeat(MAX_ANSWER_LEVELS - 1))
  const { client: other } = service(() => new Response(flat))
  expect(JSON.stringify(await other.projects.list())).toBe(flat)
})

describe('no request is sent', () => {
  const create = contract.runs.create
  const cases: [
    string,
    () => Partial<ClientOptions>,
    (client: ReturnType<typeof createClient>) => Promise<unknown>,
    object,
  ][] = [
    [
      'read-only',
      () => ({ readOnly: true }),
      c => c.runs.create({ projectId: 'p', body: { suiteId: 's' } }),
      { code: 'read-only', endpoint: 'createEvalRun' },
    ],
    [
      'a bad body',
      () => ({}),
      c => c.call(create, { projectId: 'p', body: { suiteId: 3 } } as never),
      { code: 'invalid-input', issues: [{ path: 'body.suiteId', expected: 'expected string' }] },
    ],
    [
      'an undeclared field',
      () => ({}),
      c => c.call(create, { projectId: 'p', body: { suiteId: 's', zz: 1 } } as never),
      { code: 'invalid-input', message: 'body: Unrecognized key: "zz"' },
    ],
    [
      'a missing body',
      () => ({}),
      c => c.call(create, { projectId: 'p' } as never),
      { code: 'invalid-input', issues: [{ path: 'body', expected: 'expected object' }] },
    ],
    [
      'a bad query',
      () => ({}),
      c => c.runs.list({ projectId: 'p', suiteId: 's', limit: 500 }),
      { code: 'invalid-input', issues: [{ path: 'limit', expected: expect.stringContaining('<=100') }] },
    ],
    [
      'an undeclared query',
      () => ({}),
      c => c.call(contract.runs.rerunPreview, { projectId: 'p', runId: 'r', zz: 1 } as never),
      { code: 'invalid-input', message: `zz: not part of ${contract.runs.rerunPreview.operation}` },
    ],
    [
      'a path segment',
      () => ({}),
      c => c.runs.get({ projectId: 'p', runId: '..' }),
      { code: 'invalid-input', issues: [{ path: 'runId', expected: 'expected an id' }] },
    ],
    [
      'a key on an endpoint without keys',
      () => ({}),
      c => c.runs.rerun({ projectId: 'p', runId: 'r', body: { scope: 'failed_cases' } }, { idempotencyKey: 'k' }),
      { code: 'invalid-input', issues: [{ path: 'idempotencyKey', expected: 'not part of rerunEvalRun' }] },
    ],
    [
      'an overlong idempotency key',
      () => ({}),
      c => c.runs.create({ projectId: 'p', body: { suiteId: 's' } }, { idempotencyKey: 'k'.repeat(257) }),
      { code: 'invalid-input' },
    ],
    ['a key with a line break', () => ({ key: 'sk_hidden\n' }), c => c.account.me(), { code: 'invalid-key' }],
    [
      'an address with a password',
      () => ({ baseUrl: 'http://me:sk_hidden@service.test' }),
      c => c.account.me(),
      { code: 'invalid-address' },
    ],
    [
      'an address that is none',
      () => ({ baseUrl: 'service.test/api' }),
      c => c.account.me(),
      { code: 'invalid-address' },
    ],
  ]
  test.each(cases)('with %s', async (_name, options, call, expected) => {
    const { client, requests } = service(() => Response.json(run), options())
    const error = await failure(call(client))
    expect(error).toMatchObject({ kind: 'refused', sent: false, ...expected })
    expect(inspect(error)).not.toContain('sk_hidden')
    expect(requests).toEqual([])
    expect(client.budget.snapshot()).toMatchObject({ tokens: 10, inFlight: 0 })
  })

  test('a read that uses POST is allowed in read-only mode', async () => {
    const { client, requests } = service(() => Response.json({ success: true, status: 'ok' }), { readOnly: true })
    await client.servers.validate({ projectId: 'p', serverId: 's' })
    expect(requests[0]?.method).toBe('POST')
  })
})

describe('the budget of a client', () => {
  test('is used by every request, including retries', async () => {
    const answers = [503, 503, 200]
    const { client, clock, requests } = service((_, nth) => Response.json({ id: 'u' }, { status: answers[nth - 1]! }))
    const acquire = vi.spyOn(client.budget, 'acquire')
    await clock.finish(client.account.me())
    expect(requests).toHaveLength(3)
    expect(acquire).toHaveBeenCalledTimes(3)
    expect(client.budget.snapshot()).toMatchObject({ inFlight: 0 })
  })

  test('pauses for all requests if the rate of the key is exceeded, and only then', async () => {
    const limited = (body: object) => Response.json(body, { status: 429, headers: { 'retry-after': '30' } })
    const { client, clock } = service((_, nth) =>
      nth === 1 ? limited({ code: 'RATE_LIMITED', message: 'm' }) : Response.json({ id: 'u' }),
    )
    const call = client.account.me()
    await clock.advance(10)
    expect(client.budget.snapshot()).toMatchObject({ tokens: 0, inFlight: 0 })
    const other = client.account.me()
    await clock.advance(29_000)
    expect(client.budget.snapshot().waiting).toBe(1)
    await clock.finish(Promise.all([call, other]))

    const full = { code: 'RATE_LIMITED', message: 'm', details: { reason: 'CONCURRENT_RUN_LIMIT' } }
    const slots = service(() => limited(full))
    const error = await failure(
      slots.client.runs.create({ projectId: 'p', body: { suiteId: 's' } }, { idempotencyKey: 'k' }),
    )
    expect(error).toMatchObject({ limit: 'concurrent-runs', retryable: false })
    expect(slots.requests).toHaveLength(1)
    expect(slots.client.budget.snapshot()).toMatchObject({ tokens: 9, pausedUntil: undefined })
  })

  test('is released if a fetch never answers', async () => {
    const { client, clock } = service(() => Response.error(), { fetch: () => new Promise(() => {}) })
    await expect(clock.finish(client.account.me())).rejects.toMatchObject({ kind: 'timeout' })
    expect(client.budget.snapshot().inFlight).toBe(0)
    expect(clock.pending).toBe(0)
  })

  test('a request that is aborted while it waits was never sent', async () => {
    const clock = new VirtualClock()
    const budget = createBudget({ clock, capacity: 1 })
    const { client, requests } = service(() => Response.json({ id: 'u' }), { clock, budget })
    const permit = await budget.acquire()
    const stop = new AbortController()
    const call = failure(client.account.me({}, { signal: stop.signal }))
    stop.abort()
    expect(await call).toMatchObject({ kind: 'aborted', sent: false })
    expect(requests).toEqual([])
    permit.release()
  })
})

describe('pages of a list', () => {
  const iteration = (id: string) => ({ id, iterationNumber: 1, status: 'running' })

  test('follow the cursor in the query to the end', async () => {
    const { client, requests } = service((_, nth) =>
      Response.json({ items: [iteration(`i${nth}`)], nextCursor: nth < 3 ? `c${nth}` : '' }),
    )
    const ids: string[] = []
    for await (const page of client.pages(contract.iterations.list, { projectId: 'p', runId: 'r', limit: 1 }))
      ids.push(...page.items.map(item => item.id))
    expect(ids).toEqual(['i1', 'i2', 'i3'])
    expect(requests.map(request => new URL(request.url).search)).toEqual([
      '?limit=1',
      '?limit=1&cursor=c1',
      '?limit=1&cursor=c2',
    ])
  })

  test('follow the cursor in the body', async () => {
    const { client, requests } = service((_, nth) =>
      Response.json({ items: [{ name: `t${nth}` }], nextCursor: nth < 2 ? 'next' : null }),
    )
    const pages = await collect(client.pages(contract.servers.tools, { projectId: 'p', serverId: 's' }))
    expect(pages).toHaveLength(2)
    expect(await Promise.all(requests.map(request => request.text()))).toEqual(['{}', '{"cursor":"next"}'])
  })

  test('a list without a cursor is one page', async () => {
    const { client } = service(() => Response.json({ items: [run], nextCursor: 'ignored' }))
    const pages = await collect(client.pages(contract.runs.list, { projectId: 'p', suiteId: 's' }))
    expect(pages).toHaveLength(1)
  })

  test('end with an error if a cursor repeats', async () => {
    const cursors = ['a', 'b', 'a']
    const { client, requests } = service((_, nth) => Response.json({ items: [], nextCursor: cursors[nth - 1] }))
    const all = collect(client.pages(contract.iterations.list, { projectId: 'p', runId: 'r' }))
    expect(await failure(all)).toMatchObject({ kind: 'invalid-response', code: 'repeated-cursor' })
    expect(requests).toHaveLength(3)
  })
})

test('a new idempotency key matches the contract and never repeats', () => {
  const keys = new Set(Array.from({ length: 100 }, newIdempotencyKey))
  expect(keys.size).toBe(100)
  for (const key of keys) expect(key.length).toBeLessThanOrEqual(256)
})

describe('a deadline limits the time without new data', () => {
  /** Creates a client whose answer arrives in pieces, each after a pause in milliseconds. */
  function slowly(pauses: readonly number[], text = JSON.stringify(run), own: Partial<ClientOptions> = {}) {
    const clock = new VirtualClock()
    const pieces = async function* () {
      const length = Math.ceil(text.length / pauses.length)
      for (const [index, pause] of pauses.entries()) {
        await new Promise<void>(resolve => clock.after(pause, resolve))
        yield new TextEncoder().encode(text.slice(index * length, (index + 1) * length))
      }
    }
    const client = createClient({
      baseUrl: 'http://service.test/api/v1/',
      clock,
      fetch: async () => ({ status: 200, headers: plainHeaders({}), body: pieces() }),
      ...own,
    })
    return { clock, client, read: () => client.runs.get({ projectId: 'p', runId: 'r' }) }
  }

  test('an answer that keeps arriving is read completely', async () => {
    const { clock, read } = slowly([20_000, 29_000, 29_000, 25_000, 29_000])
    await expect(clock.finish(read())).resolves.toEqual(run)
    expect(clock.pending).toBe(0)
  })

  test('an answer that stalls fails after the deadline, and says how long no data came', async () => {
    const { clock, read } = slowly([20_000, 31_000])
    const error = await clock.finish(failure(read()))
    expect(error).toMatchObject({ kind: 'timeout', message: 'Nothing arrived for 30 s.' })
    expect(clock.now()).toBe(1_050_000)
  })

  test('a request that a local workspace forwards to a server may take as long as that server is allowed', async () => {
    const lists = (own: Pick<ClientOptions, 'serverDeadlineMs'>) => {
      const { clock, client } = slowly([90_000], '{"items":[]}', own)
      return clock.finish(client.servers.tools({ projectId: 'p', serverId: 's', body: {} }))
    }
    await expect(lists({})).rejects.toMatchObject({ kind: 'timeout' })
    await expect(lists({ serverDeadlineMs: 310_000 })).resolves.toEqual({ items: [] })
  })

  test('an answer that never ends is aborted after a total limit', async () => {
    const { clock, read } = slowly(
      Array.from({ length: 200 }, () => 10_000),
      'x'.repeat(200),
    )
    const error = await clock.finish(failure(read()))
    expect(error).toMatchObject({ kind: 'timeout', message: 'The answer was not complete after 600 s.' })
  })
})

describe('a 404', () => {
  const missing = () => Response.json({ code: 'NOT_FOUND', message: 'no' }, { status: 404 })
  const read = { projectId: 'p', runId: 'r' }

  test('before any success means a wrong base path if the account, read only once, is not found either', async () => {
    const { client, requests } = service(missing)
    for (let count = 0; count < 3; count += 1) {
      const error = await failure(client.runs.get(read))
      expect(describeError(error).title).toBe('Wrong base path')
      expect(isMissing(error)).toBe(false)
    }
    expect(requests.filter(({ url }) => url.endsWith('/me'))).toHaveLength(1)
  })

  test('before any success means that the resource does not exist if the account is found', async () => {
    const { client, requests } = service(({ url }) => (url.endsWith('/me') ? Response.json({ id: 'u' }) : missing()))
    expect(describeError(await failure(client.runs.get(read))).title).toBe('Not found')
    expect(isMissing(await failure(client.runs.get(read)))).toBe(true)
    expect(requests).toHaveLength(3)
  })

  test('after any successful answer means that the resource does not exist, without another read', async () => {
    const { client, requests } = service((_, nth) => (nth === 1 ? Response.json(run) : missing()))
    await client.runs.get(read)
    expect(describeError(await failure(client.runs.get(read))).title).toBe('Not found')
    expect(requests).toHaveLength(2)
  })
})

test('the error for a refused key says where the key came from', async () => {
  const refused = () => Response.json({ code: 'UNAUTHORIZED', message: 'no' }, { status: 401 })
  const named = service(refused, { keySource: 'variable MY_KEY' })
  const text = describeError(await failure(named.client.account.me()))
  expect(text.next).toBe('The key came from variable MY_KEY; put one there that the service accepts.')
  const { client } = service(refused)
  expect(describeError(await failure(client.account.me())).next).toBe('Enter another key for this profile.')
})
