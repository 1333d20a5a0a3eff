import { expect, test } from 'vitest'
import { isPartOf } from './live.ts'

test.each([
  ['file:///doc1/part', 'file:///doc1', true],
  ['file:///doc1/part', 'file:///doc1/', true],
  ['file:///doc1#part', 'file:///doc1', true],
  ['file:///doc10', 'file:///doc1', false],
  ['file:///doc', 'file:///doc1', false],
])('an update of %s concerns a subscription to %s: %s', (uri, whole, concerns) => {
  expect(isPartOf(uri, whole)).toBe(concerns)
})
