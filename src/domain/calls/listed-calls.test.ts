import { expect, test } from 'vitest'
import { ApiError } from '../../api/client/errors/api-error.ts'
import { statusOf } from './listed-calls.ts'

const endpoint = { operation: 'callTool', risk: 'write' } as const
const statusAfter = (kind: 'tool' | 'prompt', error: unknown) =>
  statusOf({ kind, outcome: { state: 'failed', error, durationMs: 1 } })

test('a tool whose answer was lost, or could not be read by this program, may have done its work', () => {
  const lost = { kind: 'network', code: 'reset', message: 'gone', endpoint } as const
  expect(statusAfter('tool', new ApiError({ ...lost, sent: true }))).toBe('unknown')
  expect(statusAfter('tool', new ApiError({ ...lost, sent: false }))).toBe('failed')
  expect(statusAfter('tool', new TypeError('items is not iterable'))).toBe('unknown')
  expect(statusAfter('prompt', new TypeError('items is not iterable'))).toBe('failed')
})
