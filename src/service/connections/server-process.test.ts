import { expect, test } from 'vitest'
import { lastLine } from './server-process.ts'

test('the last words are one line without control characters', () => {
  expect(lastLine('first\n\u001b[31mlast\u0007 one\u001b[0m\r\n\n  \n')).toBe('last one')
  expect(lastLine('')).toBe('')
  expect(lastLine('x'.repeat(1000))).toHaveLength(300)
})
