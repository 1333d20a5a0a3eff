import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { overWeb } from '../../../../test/web.ts'
import { VirtualClock } from '../../../../test/client/virtual-clock.ts'
import { ApiError, type ApiErrorFields } from '../errors/api-error.ts'
import { createBudget } from '../budget/budget.ts'
import { createClient } from '../client.ts'
import { contract, IDEMPOTENCY_HEADER } from '../../contract/contract.ts'
import { defaultRetryRule, isRepeatable, retryDelay } from './retry.ts'

const failure = (fields: Partial<ApiErrorFields>) => new ApiError({ kind: 'http', message: '', sent: true, ...fields })

describe('the pause before a retry', () => {
  test('grows, is jittered from zero and never exceeds its maximum', () => {
    const error = failure({ status: 503 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.double({ min: 0, max: 0.999, noNaN: true }), (failed, random) => {
        const rule = { ...defaultRetryRule, attempts: 100 }
        const delay = retryDelay(error, failed, rule, random)!
        expect(delay).toBeGreaterThanOrEqual(0)
        expect(delay).toBeLessThan(Math.min(rule.capMs, rule.baseMs * 2 ** (failed - 1)))
      }),
    )
  })

  test('is never shorter than Retry-After; if Retry-After is too long, there is no retry', () => {
    const rule = defaultRetryRule
    const waits = fc.integer({ min: 0, max: 600 })
    fc.assert(
      fc.property(waits, fc.double({ min: 0, max: 0.999, noNaN: true }), (seconds, random) => {
        const delay = retryDelay(failure({ status: 503, retryAfterMs: seconds * 1000 }), 1, rule, random)
        if (seconds > 60) expect(delay).toBeUndefined()
        else expect(delay).toBeGreaterThanOrEqual(seconds * 1000)
      }),
    )
  })

  test.each([
    [{ status: 500 }, true],
    [{ status: 502, code: 'SERVER_UNREACHABLE' }, true],
    [{ status: 502, code: 'SERVER_UNREACHABLE', details: { programBroke: true } }, false],
    [{ status: 503 }, true],
    [{ status: 504, code: 'TIMEOUT' }, false],
    [{ status: 429, code: 'RATE_LIMITED', limit: 'key-rate' }, true],
    [{ status: 429, code: 'RATE_LIMITED', limit: 'concurrent-runs' }, false],
    [{ status: 429, code: 'RATE_LIMITED', limit: 'daily-quota' }, false],
    [{ status: 403, code: 'FORBIDDEN' }, false],
    [{ status: 503, code: 'FORBIDDEN' }, false],
    [{ status: 404 }, false],
    [{ status: 409, code: 'CONFLICT' }, false],
    [{ status: 501 }, false],
    [{ status: 418, code: 'TEAPOT' }, false],
    [{ kind: 'network', code: 'reset' }, true],
    [{ kind: 'network', code: 'connect-timeout' }, true],
    [{ kind: 'network', code: 'tls' }, false],
    [{ kind: 'timeout' }, false],
    [{ kind: 'aborted' }, false],
    [{ kind: 'invalid-response', code: 'mismatch' }, false],
    [{ kind: 'refused', code: 'rate-paused' }, false],
  ] as [Partial<ApiErrorFields>, boolean][])('%j may be repeated: %s', (fields, repeats) => {
    expect(retryDelay(failure(fields), 1, defaultRetryRule, 0.5) !== undefined).toBe(repeats)
  })

  test('reads, harmless writes and writes with an accepted key may be retried, other writes may not', () => {
    expect(isRepeatable(contract.runs.get, undefined)).toBe(true)
    expect(isRepeatable(contract.servers.doctor, undefined)).toBe(true)
    expect(isRepeatable(contract.runs.cancel, undefined)).toBe(true)
    expect(isRepeatable(contract.runs.create, undefined)).toBe(false)
    expect(isRepeatable(contract.runs.create, 'k')).toBe(true)
    expect(isRepeatable(contract.runs.rerun, 'k')).toBe(false)
  })
})

type Step = { status: number; code?: string; retryAfter?: string } | 'reset' | 'garbage' | 'ok'

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record(
    {
      status: fc.constantFrom(400, 401, 403, 404, 409, 422, 429, 500, 502, 503, 504, 301),
      code: fc.constantFrom('RATE_LIMITED', 'INTERNAL_ERROR', 'FORBIDDEN', 'CONFLICT', 'NEW_CODE'),
      retryAfter: fc.constantFrom('0', '1', '30', '61', 'soon'),
    },
    { requiredKeys: ['status'] },
  ),
  fc.constantFrom<Step[]>('reset', 'garbage', 'ok'),
)

const good = { runId: 'r', suiteId: 's', status: 'pending' }

function answer(next: Step): Response {
  if (next === 'reset') throw Object.assign(new TypeError('fetch failed'), { cause: resetError() })
  if (next === 'garbage') return new Response('<html>')
  if (next === 'ok') return Response.json(good)
  const { status, code, retryAfter } = next
  const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
  return Response.json(code ? { code, message: 'm' } : {}, { status, headers })
}

function resetError(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
}

function scripted(steps: Step[]) {
  const clock = new VirtualClock()
  const requests: Request[] = []
  const client = createClient({
    baseUrl: 'http://service.test/api/v1',
    clock,
    budget: createBudget({ clock, unlimited: true }),
    fetch: overWeb(async request => {
      requests.push(request)
      return answer(steps[requests.length - 1] ?? 'ok')
    }),
  })
  return { clock, client, requests }
}

const launch = { projectId: 'p', body: { suiteId: 's' } }

describe('for any sequence of answers', () => {
  test('a write without a key is sent at most once', async () => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 6 }), async steps => {
      const { clock, client, requests } = scripted(steps)
      await clock.finish(client.runs.create(launch).catch(() => undefined))
      await clock.finish(
        client.runs.rerun({ projectId: 'p', runId: 'r', body: { scope: 'failed_cases' } }).catch(() => undefined),
      )
      // If the rate of the key refuses the launch, the rerun waits or is never sent.
      const sent = requests.map(request => request.url.split('/').at(-1))
      expect(sent).toEqual(['eval-runs', 'rerun'].slice(0, sent.length))
      expect(sent).not.toEqual([])
      expect(clock.pending).toBe(0)
    })
    await fc.assert(property, { numRuns: 200 })
  })

  test('a write with a key keeps it, is sent at most three times and never after a final answer', async () => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 6 }), async steps => {
      const { clock, client, requests } = scripted(steps)
      await clock.finish(client.runs.create(launch, { idempotencyKey: 'intent-1' }).catch(() => undefined))
      expect(requests.length).toBeLessThanOrEqual(3)
      expect(new Set(requests.map(request => request.headers.get(IDEMPOTENCY_HEADER)))).toEqual(new Set(['intent-1']))
      for (const answered of steps.slice(0, requests.length - 1)) expect(answered).not.toSatisfy(isFinal)
    })
    await fc.assert(property, { numRuns: 200 })
  })
})

function isFinal(answered: Step): boolean {
  if (answered === 'ok' || answered === 'garbage') return true
  if (answered === 'reset') return false
  return ![429, 500, 502, 503, 504].includes(answered.status)
}

describe('the retry loop', () => {
  test('waits as long as Retry-After says, then succeeds', async () => {
    const { clock, client, requests } = scripted([{ status: 429, code: 'RATE_LIMITED', retryAfter: '20' }])
    const start = clock.now()
    await clock.finish(client.account.me().catch(() => undefined))
    expect(requests).toHaveLength(2)
    expect(clock.now() - start).toBeGreaterThanOrEqual(20_000)
  })

  test('gives up at once if Retry-After is too long, and says how long it is', async () => {
    const { clock, client, requests } = scripted([{ status: 503, retryAfter: '61' }])
    await expect(clock.finish(client.account.me())).rejects.toMatchObject({ status: 503, retryAfterMs: 61_000 })
    expect(requests).toHaveLength(1)
  })

  test('an attempt that may have arrived is still reported if a later attempt was never sent', async () => {
    const { clock, client, requests } = scripted(['reset', { status: 429, retryAfter: '0' }])
    const stop = new AbortController()
    const call = client.runs.create(launch, { idempotencyKey: 'k', signal: stop.signal })
    call.catch(() => undefined)
    await clock.advance(0)
    expect(requests).toHaveLength(1)
    client.budget.acquire().then(
      permit => permit.limited(20_000),
      () => undefined,
    )
    await clock.advance(10_000)
    expect(client.budget.snapshot().waiting).toBe(1)
    stop.abort()
    const expected = { kind: 'aborted', sent: true, endpoint: 'createEvalRun', risk: 'spend' }
    await expect(clock.finish(call)).rejects.toMatchObject(expected)
    expect(requests).toHaveLength(1)
  })

  test('an aborted wait ends at once and leaves no timer', async () => {
    const { clock, client, requests } = scripted([{ status: 503, retryAfter: '30' }])
    const stop = new AbortController()
    const call = client.account.me({}, { signal: stop.signal })
    call.catch(() => undefined)
    await clock.advance(1_000)
    expect(requests).toHaveLength(1)
    stop.abort()
    await expect(clock.finish(call)).rejects.toMatchObject({ kind: 'aborted', sent: true })
    expect(clock.pending).toBe(0)
  })
})
