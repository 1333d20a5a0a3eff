import { describe, expect, test } from 'vitest'
import { ApiError, type ApiErrorFields, refusal } from './api-error.ts'
import { advice } from './error-advice.ts'
import { describeError, failureSentence, unquotedMessage } from './error-text.ts'

const failed = (fields: Partial<ApiErrorFields>) =>
  new ApiError({ kind: 'http', message: 'in their words', answer: 'contract', sent: true, ...fields })

const title = (fields: Partial<ApiErrorFields>) => describeError(failed(fields)).title

const launch = { operation: 'createEvalRun', risk: 'spend' } as const

describe('the text of an error', () => {
  test.each([
    [{ status: 401, code: 'UNAUTHORIZED' }, advice.UNAUTHORIZED],
    [{ status: 401, code: 'UNAUTHORIZED', details: { reason: 'ORPHANED_KEY' } }, advice.ORPHANED_KEY],
    [{ status: 401, code: 'OAUTH_REQUIRED' }, advice.OAUTH_REQUIRED],
    [{ status: 403, code: 'FORBIDDEN' }, advice.FORBIDDEN],
    [{ status: 404, code: 'NOT_FOUND' }, advice.NOT_FOUND],
    [{ status: 409, code: 'CONFLICT' }, advice.CONFLICT],
    [{ status: 409, code: 'CONFLICT', details: { reason: 'SOMETHING_NEW' } }, advice.CONFLICT],
    [{ status: 422, code: 'FEATURE_NOT_SUPPORTED' }, advice.FEATURE_NOT_SUPPORTED],
    [{ status: 502, code: 'SERVER_UNREACHABLE' }, advice.SERVER_UNREACHABLE],
    [{ status: 504, code: 'TIMEOUT' }, advice.TIMEOUT],
    [{ status: 500, code: 'INTERNAL_ERROR' }, advice.INTERNAL_ERROR],
    [{ status: 429, code: 'RATE_LIMITED', limit: 'key-rate' }, advice['key-rate']],
    [{ status: 429, code: 'RATE_LIMITED', limit: 'concurrent-runs' }, advice.CONCURRENT_RUN_LIMIT],
    [{ status: 429, code: 'RATE_LIMITED', limit: 'insights-per-day' }, advice['insights-per-day']],
    [{ status: 302, answer: 'empty' }, advice.redirect],
    [{ status: 502, answer: 'html' }, advice['proxy-page']],
    [{ status: 404, answer: 'text' }, advice['foreign-answer']],
    [{ status: 418, code: 'TEAPOT' }, advice['unknown-code']],
    [{ kind: 'network', code: 'dns' }, advice['network.dns']],
    [{ kind: 'timeout', code: 'deadline' }, advice.timeout],
    [{ kind: 'invalid-response', code: 'html' }, advice['invalid-response.html']],
    [{ kind: 'refused', code: 'read-only' }, advice['refused.read-only']],
  ] as [Partial<ApiErrorFields>, { title: string }][])('is right for %j', (fields, expected) => {
    expect(title(fields)).toBe(expected.title)
  })

  test('every kind has a title, a sentence and a next step', () => {
    for (const entry of Object.values(advice)) {
      const error = failed({ status: 400, code: 'X' })
      for (const words of [entry.title, entry.sentence, entry.next])
        expect(typeof words === 'string' ? words : words(error)).toMatch(/\S/)
    }
  })

  test('an unknown code is shown with its status', () => {
    expect(describeError(failed({ status: 418, code: 'TEAPOT' })).sentence).toContain('418 with the code TEAPOT')
  })

  test('an error inside a report, which has no status, is shown without one, whatever its code', () => {
    for (const code of ['tool_runtime', ...Object.keys(advice)]) {
      const { title: words, sentence, next } = describeError(failed({ status: undefined, code }))
      expect([words, sentence, next].join(' ')).not.toContain('undefined')
    }
    expect(describeError(failed({ status: undefined, code: 'tool_runtime' })).sentence).toBe(
      'The service answered with the code tool_runtime.',
    )
  })

  test('a missing permission is reported once, with the reason of the service', () => {
    const message = 'The server "one" names another authorization server'
    const error = failed({ status: 401, code: 'OAUTH_REQUIRED', message })
    expect(failureSentence(error)).toContain(`key of this profile is fine. The service says: ${message}. Sign in`)
    expect(unquotedMessage(error)).toBeUndefined()
    expect(failureSentence(failed({ status: 401, code: 'OAUTH_REQUIRED', message: '' }))).not.toContain('says')
    const unreachable = failed({ status: 502, code: 'SERVER_UNREACHABLE', message: 'It exited: TOKEN is missing' })
    expect(failureSentence(unreachable)).toContain('The service says: It exited: TOKEN is missing.')
    expect(unquotedMessage(unreachable)).toBeUndefined()
    expect(unquotedMessage(failed({ status: 403, code: 'FORBIDDEN', message }))).toBe(message)
  })

  test('valid values and the field are taken from the details', () => {
    const details = { field: 'model', hostedModels: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] }
    const text = describeError(failed({ status: 400, code: 'VALIDATION_ERROR', details }))
    expect(text.sentence).toContain('namely model')
    expect(text.next).toBe('Correct the input; valid: a, b, c, d, e, f and 2 more.')
    const candidates = { reason: 'ENVIRONMENT_REQUIRED', candidates: [{ id: 'e1', name: 'Stage' }, { id: 'e2' }] }
    expect(describeError(failed({ status: 400, code: 'VALIDATION_ERROR', details: candidates })).next).toBe(
      'Choose one: Stage, e2.',
    )
  })

  test('waits are given in seconds, then in minutes', () => {
    const wait = (retryAfterMs?: number) =>
      describeError(failed({ status: 429, code: 'RATE_LIMITED', limit: 'burst-brake', retryAfterMs })).next
    expect(wait(7_000)).toBe('Wait 7 s, then repeat.')
    expect(wait(300_000)).toBe('Wait 5 min, then repeat.')
    expect(wait()).toBe('Wait a little, then repeat.')
  })

  test('a write without an answer may have succeeded; a refused write and a read have not', () => {
    const doubt = 'may have happened'
    expect(describeError(failed({ kind: 'timeout', endpoint: launch })).sentence).toContain(doubt)
    expect(describeError(failed({ status: 500, endpoint: launch })).sentence).toContain(doubt)
    expect(describeError(failed({ status: 409, code: 'CONFLICT', endpoint: launch })).sentence).not.toContain(doubt)
    expect(
      describeError(failed({ kind: 'network', code: 'dns', sent: false, endpoint: launch })).sentence,
    ).not.toContain(doubt)
    const read = { operation: 'getEvalRun', risk: 'read' } as const
    expect(describeError(failed({ kind: 'timeout', endpoint: read })).sentence).not.toContain(doubt)
  })

  test.each([
    { kind: 'timeout' },
    { kind: 'network', code: 'reset' },
    { kind: 'network', code: 'other' },
    { kind: 'invalid-response', code: 'html' },
    { kind: 'invalid-response', code: 'not-json' },
    { status: 500, code: 'INTERNAL_ERROR' },
    { status: 502, answer: 'html' },
    { status: 503, code: 'SOMETHING_NEW' },
    { status: 302, answer: 'empty' },
    { status: 307, answer: 'html' },
  ] as Partial<ApiErrorFields>[])('the warning that %j may have succeeded fits in 80 columns', fields => {
    expect(failureSentence(failed({ ...fields, endpoint: launch })).slice(0, 75)).toContain('it may have happened')
    expect(failureSentence(failed({ ...fields, endpoint: launch }))).toMatch(/\. Check [^.]*\.$/)
  })

  test('an invalid input names its fields', () => {
    const issues = [{ path: 'body.suiteId', expected: 'expected string' }]
    expect(describeError(refusal('invalid-input', 'm', { issues })).sentence).toBe(
      'Nothing was sent: body.suiteId: expected string.',
    )
  })

  test('any other error is reported as a bug of the program', () => {
    expect(describeError(new TypeError('boom'))).toMatchObject({ title: 'Fault in mcpdeck' })
    expect(describeError('boom').sentence).toContain('boom')
  })
})

test('an error of the operating system is not reported as a bug of the program, however it was thrown', () => {
  const cause = Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC', syscall: 'write' })
  expect(describeError(new Error('The notebook n cannot be written.', { cause }))).toEqual({
    title: 'Refused by this machine',
    sentence: 'The notebook n cannot be written.',
    next: 'Make room on that disk, then try again.',
  })
  const missing = Object.assign(new Error('ENOENT: mkdir x'), { code: 'ENOENT', syscall: 'mkdir' })
  expect(describeError(missing).title).toBe('Refused by this machine')
  expect(describeError(new Error('x is undefined')).title).toBe('Fault in mcpdeck')
})
