import { expect, test } from 'vitest'
import { ServiceError } from '../core/errors.ts'
import { toMatchOptions } from './call-matching.ts'

test.each([
  [{ toolCallOrder: 'any' }, { toolCallOrder: 'ignore' }],
  [{ toolCallOrder: 'in-order' }, { toolCallOrder: 'superset' }],
  [{ toolCallOrder: 'exact' }, { toolCallOrder: 'strict' }],
  [{ extraToolCalls: 'unlimited' }, { maxExtraToolCalls: null }],
  [{ extraToolCalls: 0 }, { maxExtraToolCalls: 0 }],
  [{ arguments: 'exact' }, { argumentMatching: 'exact' }],
  [
    { toolCallOrder: 'exact', extraToolCalls: 2, arguments: 'ignore' },
    { toolCallOrder: 'strict', maxExtraToolCalls: 2, argumentMatching: 'ignore' },
  ],
  [
    { toolCallOrder: 'superset', maxExtraToolCalls: null, argumentMatching: 'partial' },
    { toolCallOrder: 'superset', maxExtraToolCalls: null, argumentMatching: 'partial' },
  ],
  [{}, {}],
])('the match options %j become %j, which converting again does not change', (options, internal) => {
  expect(toMatchOptions(options)).toEqual(internal)
  expect(toMatchOptions(toMatchOptions(options))).toEqual(internal)
})

test.each([
  [{ toolCallOrder: 'any', maxExtraToolCalls: 1 }, 'matchOptions.maxExtraToolCalls'],
  [{ toolCallOrder: 'strict', arguments: 'exact' }, 'matchOptions.toolCallOrder'],
  [{ extraToolCalls: 1, argumentMatching: 'exact' }, 'matchOptions.argumentMatching'],
  [{ toolCallOrder: 'sorted' }, 'matchOptions.toolCallOrder'],
  [{ extraToolCalls: -1 }, 'matchOptions.extraToolCalls'],
  [{ order: 'any' }, 'matchOptions.order'],
  [[], 'matchOptions'],
])('the match options %j are refused, and the refusal names %s', (options, field) => {
  const refused = () => toMatchOptions(options)
  expect(refused).toThrow(ServiceError)
  expect(refused).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR', details: { field } }))
})
