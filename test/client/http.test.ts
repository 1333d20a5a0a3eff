import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ApiError } from '../../src/api/client/errors/api-error.ts'
import { createBudget } from '../../src/api/client/budget/budget.ts'
import { type Client, createClient } from '../../src/api/client/client.ts'
import { contract } from '../../src/api/contract/contract.ts'
import { describeError } from '../../src/api/client/errors/error-text.ts'
import { createHttpFetch, type HttpFetch } from '../../src/api/client/transport/fetch.ts'
import type { Deprecation } from '../../src/api/client/transport/transport.ts'
import { type BehaviourName, goodRun, startMisbehavingServer } from './misbehaving-server.ts'
import { PATIENCE } from '../patience.ts'

const KEY = 'sk_secret-key-of-the-test'
/** Deadlines in milliseconds: for answers that never come, and for those that come, even on a busy machine. */
const [SHORT, AMPLE] = [300, 20_000]

let server: Awaited<ReturnType<typeof startMisbehavingServer>>
let elsewhere: Awaited<ReturnType<typeof startMisbehavingServer>>
let http: HttpFetch
let client: Client
const deprecations: Deprecation[] = []

function clientOf(baseUrl: string, fetch = http.fetch): Client {
  return createClient({
    fetch,
    baseUrl: `${baseUrl}/api/v1`,
    key: KEY,
    budget: createBudget({ unlimited: true, random: () => 0 }),
    deadlineMs: AMPLE,
    maxResponseBytes: 1_000_000,
    retry: { baseMs: 1, capMs: 2 },
    onDeprecation: deprecation => deprecations.push(deprecation),
  })
}

beforeAll(async () => {
  elsewhere = await startMisbehavingServer('http://unused.test')
  server = await startMisbehavingServer(elsewhere.origin)
  http = createHttpFetch()
  client = clientOf(server.origin)
  // The first request loads the HTTP library, which takes longer than these deadlines.
  await fetchOnce()
})

afterAll(async () => {
  await Promise.all([server.close(), elsewhere.close()])
  await http.close()
})

/** Sends one request without a deadline. */
const fetchOnce = async () => {
  const unhurried = createClient({
    fetch: http.fetch,
    baseUrl: `${server.origin}/api/v1`,
    key: KEY,
    budget: createBudget({ unlimited: true }),
  })
  await unhurried.runs.get({ projectId: 'p', runId: 'good' })
}

const read = (name: BehaviourName, from = client) => from.runs.get({ projectId: 'p', runId: name })

async function failureOf(work: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await work.then(
    value => expect.unreachable(`answered ${inspect(value)}`),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ApiError)
  const text = describeError(error)
  expect(inspect({ error, text }, { depth: 9, showHidden: true })).not.toContain(KEY)
  for (const words of Object.values(text)) expect(words).not.toMatch(/undefined|^$/)
  return error as ApiError
}

describe('good answers are read', () => {
  test.each(['good', 'chunked', 'gzip', 'br', 'deflate'] as const)('%s', async name => {
    expect(await read(name)).toEqual(goodRun)
  })

  test('the key is sent, and the body is available as received', async () => {
    const before = server.seen.length
    const input = { projectId: 'p', runId: 'good' }
    const answer = await client.exchange(contract.runs.get, input)
    expect(answer).toMatchObject({ status: 200, requestId: 'req-7', text: JSON.stringify(goodRun) })
    expect(server.seen[before]?.headers).toMatchObject({ authorization: `Bearer ${KEY}` })
  })

  test('a deprecated path is reported', async () => {
    await read('deprecated')
    expect(deprecations).toEqual([{ endpoint: contract.runs.get, link: '</next>' }])
  })
})

describe('bad answers end in the right error', () => {
  const cases: [BehaviourName, Partial<ApiError>, number][] = [
    ['slow-headers', { kind: 'timeout', sent: true }, 1],
    ['slow-body', { kind: 'timeout', sent: true }, 1],
    ['slow-error-body', { kind: 'timeout', sent: true }, 1],
    ['cut-body', { kind: 'network', code: 'reset', sent: true }, 3],
    ['cut-last', { kind: 'network', code: 'reset', sent: true }, 3],
    ['cut-chunked', { kind: 'network', code: 'reset', sent: true }, 3],
    ['cut-error-body', { kind: 'http', status: 409, answer: 'empty' }, 1],
    ['reset', { kind: 'network', code: 'reset', sent: true }, 3],
    ['closed', { kind: 'network', code: 'reset', sent: true }, 3],
    ['long-length', { kind: 'network', code: 'reset' }, 3],
    ['short-length', { kind: 'invalid-response', code: 'not-json' }, 1],
    ['not-http', { kind: 'network', code: 'protocol' }, 3],
    ['huge-headers', { kind: 'network', code: 'protocol' }, 3],
    ['bad-gzip', { kind: 'network', code: 'decode' }, 3],
    ['cut-gzip', { kind: 'invalid-response', code: 'not-json' }, 1],
    ['bomb-gzip', { kind: 'invalid-response', code: 'too-large' }, 1],
    ['oversized', { kind: 'invalid-response', code: 'too-large' }, 1],
    ['html-200', { kind: 'invalid-response', code: 'html' }, 1],
    ['html-502', { kind: 'http', status: 502, answer: 'html' }, 3],
    ['truncated-json', { kind: 'invalid-response', code: 'not-json' }, 1],
    ['empty-200', { kind: 'invalid-response', code: 'mismatch' }, 1],
    ['empty-204', { kind: 'invalid-response', code: 'mismatch', status: 204 }, 1],
    ['odd-status', { kind: 'http', status: 799 }, 1],
    ['rate-without-hint', { kind: 'http', status: 429, limit: 'key-rate' }, 0],
    ['rate-until-tomorrow', { kind: 'http', status: 429, retryAfterMs: 40_000_000 }, 1],
    ['down', { kind: 'http', status: 503, code: 'INTERNAL_ERROR', answer: 'contract' }, 3],
    ['forbidden', { kind: 'http', status: 403, code: 'FORBIDDEN', message: 'no' }, 1],
  ]
  test.each(cases)('%s', async (name, expected, requests) => {
    const own = createClient({
      fetch: http.fetch,
      baseUrl: `${server.origin}/api/v1`,
      key: KEY,
      budget: createBudget({ unlimited: true, random: () => 0 }),
      deadlineMs: expected.kind === 'timeout' ? SHORT : AMPLE,
      maxResponseBytes: 1_000_000,
      retry: { baseMs: 1, capMs: 2, attempts: requests === 0 ? 1 : 3 },
    })
    const error = await failureOf(read(name, own))
    expect(error).toMatchObject({ ...expected, endpoint: 'getEvalRun' })
    expect(server.count(name)).toBe(requests || 1)
  })

  test('an answer with hundreds of thousands of faults is reported as not matching the contract', async () => {
    const items = `[${'0,'.repeat(300_000)}0]`
    const own = createClient({
      fetch: () => Promise.resolve(new Response(`{"items":${items}}`)),
      baseUrl: `${server.origin}/api/v1`,
      key: KEY,
      budget: createBudget({ unlimited: true }),
    })
    expect(await failureOf(own.projects.list())).toMatchObject({
      kind: 'invalid-response',
      code: 'mismatch',
      issues: [{ path: 'items[0]', expected: 'expected object' }],
    })
  })

  test('an answer with wrong types is reported with each field and kept as received', async () => {
    const error = await failureOf(read('wrong-types'))
    expect(error).toMatchObject({ kind: 'invalid-response', code: 'mismatch', status: 200 })
    expect(error.issues).toEqual([
      { path: 'id', expected: 'expected string' },
      { path: 'summary.total', expected: 'expected number' },
    ])
    expect(error.excerpt).toContain('"total":"many"')
    expect(describeError(error).sentence).toContain('summary.total: expected number')
  })

  test('the error of an answer beyond the size limit names the limit', async () => {
    expect((await failureOf(read('oversized'))).message).toContain('1000000 bytes')
  })

  test('an answer of ten megabytes is within the usual limit', async () => {
    const patient = createClient({
      fetch: http.fetch,
      baseUrl: `${server.origin}/api/v1`,
      key: KEY,
      budget: createBudget({ unlimited: true }),
    })
    expect((await read('oversized', patient)).filler).toHaveLength(10_000_000)
  })

  test('a key that the service repeats is removed from its message, and so are control characters', async () => {
    expect((await failureOf(read('echo'))).excerpt).toBe('<html>Bearer [key]</html>')
    const error = await failureOf(read('echo-json'))
    expect(error).toMatchObject({ message: 'bad Bearer [key]', details: { header: 'Bearer [key]' } })
    expect((await failureOf(read('escape'))).excerpt).toBe('␛]0;owned␇plain')
  })
})

describe('retries over a real connection', () => {
  test('a burst of 503 and a 429 with a time to wait are waited out', async () => {
    expect(await read('burst')).toEqual(goodRun)
    expect(server.count('burst')).toBe(3)
    expect(await read('rate-with-hint')).toEqual(goodRun)
    expect(server.count('rate-with-hint')).toBe(2)
  })

  test.each(['reset', 'closed', 'not-http', 'cut-body', 'html-502'] as const)(
    'a write without a key that gets "%s" is sent only once and may have happened',
    async name => {
      const before = server.count(name)
      const body = { scope: 'failed_cases' as const }
      const error = await failureOf(client.runs.rerun({ projectId: 'p', runId: name, body }))
      expect(server.count(name)).toBe(before + 1)
      expect(describeError(error).sentence).toContain('may have happened')
    },
  )
})

describe('the key stays at its address', () => {
  test('a redirect is an error that names its target, and is not followed', async () => {
    const error = await failureOf(read('redirect'))
    expect(error).toMatchObject({ kind: 'http', status: 302 })
    expect(error.message).toContain(elsewhere.origin)
    expect(error.message).not.toContain('token')
    expect(describeError(error).title).toBe('Redirected')
    expect(elsewhere.seen).toEqual([])
  })

  test('a fetch that is limited to an address refuses every other', async () => {
    const bound = createHttpFetch({ baseUrl: server.origin })
    const error = await failureOf(read('good', clientOf(elsewhere.origin, bound.fetch)))
    expect(error).toMatchObject({ kind: 'refused', code: 'foreign-address', sent: false })
    expect(elsewhere.seen).toEqual([])
    await bound.close()
  })
})

describe('a connection fails because of', () => {
  test('a port on which nothing listens', async () => {
    const closed = createServer()
    await new Promise<void>(resolve => closed.listen(0, '127.0.0.1', resolve))
    const { port } = closed.address() as AddressInfo
    await new Promise(resolve => closed.close(resolve))
    const error = await failureOf(read('good', clientOf(`http://127.0.0.1:${port}`)))
    expect(error).toMatchObject({ kind: 'network', code: 'refused', systemCode: 'ECONNREFUSED', sent: false })
  })

  test('an unknown name', async () => {
    const patient = createClient({
      fetch: http.fetch,
      baseUrl: 'http://service.invalid/api/v1',
      budget: createBudget({ unlimited: true }),
      retry: { attempts: 1 },
    })
    const error = await failureOf(read('good', patient))
    expect(error).toMatchObject({ kind: 'network', code: 'dns', sent: false })
  })

  test('a port without TLS', async () => {
    const error = await failureOf(read('good', clientOf(server.origin.replace('http:', 'https:'))))
    expect(error).toMatchObject({ kind: 'network', code: 'tls' })
    expect(describeError(error).sentence).toBe(
      'The encrypted connection could not be established: no TLS is spoken there; http:// may be meant.',
    )
  })
})

describe('a request is cancelled by its caller', () => {
  test.each(['slow-headers', 'slow-body'] as const)('during %s', async name => {
    const before = server.count(name)
    const stop = new AbortController()
    const patient = createClient({
      fetch: http.fetch,
      baseUrl: `${server.origin}/api/v1`,
      budget: createBudget({ unlimited: true }),
    })
    const call = patient.runs.get({ projectId: 'p', runId: name }, { signal: stop.signal })
    const failure = failureOf(call)
    await expect.poll(() => server.count(name), PATIENCE).toBe(before + 1)
    stop.abort()
    expect(await failure).toMatchObject({ kind: 'aborted', sent: true, endpoint: 'getEvalRun' })
    expect(patient.budget.snapshot().inFlight).toBe(0)
  })
})

test('a port that is not allowed is reported as such', async () => {
  const failed = clientOf('http://127.0.0.1:9').account.me()
  await expect(failed).rejects.toMatchObject({ kind: 'network', message: 'bad port' })
})
