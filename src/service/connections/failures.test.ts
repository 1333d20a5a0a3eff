import { expect, test } from 'vitest'
import { ServiceError } from '../core/errors.ts'
import { brokeOver } from './failures.ts'

const errorOf = (syscall: string, code: string) => Object.assign(new Error(`${syscall} ${code}`), { code, syscall })
const failedBy = (cause: Error) =>
  new ServiceError('SERVER_UNREACHABLE', 'gone', { cause: new TypeError('fetch failed', { cause }) })

test.each([
  ['connect', 'ECONNREFUSED'],
  ['connect', 'EHOSTUNREACH'],
  ['connect', 'ETIMEDOUT'],
  ['getaddrinfo', 'ENOTFOUND'],
])('a call that failed with %s %s never arrived', (syscall, code) => {
  const error = errorOf(syscall, code)
  expect(brokeOver(failedBy(error))).toBe(false)
  expect(brokeOver(failedBy(Object.assign(new AggregateError([error, error]), { code })))).toBe(false)
})

test.each(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ECONNRESET'])(
  'a call whose connection was lost with %s may have had an effect',
  code => {
    for (const syscall of ['read', 'write']) expect(brokeOver(failedBy(errorOf(syscall, code)))).toBe(true)
  },
)
