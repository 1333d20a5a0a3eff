import { expect, test, vi } from 'vitest'
import { BOUNDS } from '../../../lib/bounds.ts'
import { contract } from '../../contract/contract.ts'
import { plainHeaders } from '../../contract/message.ts'
import { createClient } from '../client.ts'
import { ApiError } from '../errors/api-error.ts'

const { most } = BOUNDS.answerValues
/** Number of errors that describe an answer well enough; a service that sends another list has one in each item. */
const FEW = 20

function clientOf(body: string) {
  const fetch = () => Promise.resolve({ status: 200, headers: plainHeaders({}), body })
  return createClient({ baseUrl: 'http://service.test/api/v1', fetch })
}

async function failureOf(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => undefined,
    (failed: unknown) => failed,
  )
  if (!(error instanceof ApiError)) throw new Error('it did not fail', { cause: error })
  return error
}

const listOf = (item: unknown, count: number): string => `{"items":[${Array(count).fill(JSON.stringify(item)).join()}]}`

test('an answer with too many values is refused before it is parsed', async () => {
  const parse = vi.spyOn(JSON, 'parse')
  const error = await failureOf(clientOf(listOf(0, most + 1)).projects.list())
  expect(error).toMatchObject({ kind: 'invalid-response', code: 'too-large' })
  expect(error.message).toContain('values')
  expect(parse).not.toHaveBeenCalled()
  parse.mockRestore()
})

test('an answer with the recorded results of a trial may have more values', async () => {
  const body = `{"items":[],"more":[${Array(most + 1)
    .fill(0)
    .join()}]}`
  const input = { projectId: 'p', runId: 'r' }
  await expect(clientOf(body).iterations.list(input)).resolves.toMatchObject({ items: [] })
  const larger = body.replace('0,', '0,'.repeat(BOUNDS.recordedValues.most))
  expect(await failureOf(clientOf(larger).iterations.list(input))).toMatchObject({ code: 'too-large' })
})

test.each([
  ['numbers', 0],
  ['empty records', {}],
  ['records of another kind', { id: 1, name: [] }],
])('a long list with errors (%s) is described by a few of them, and is parsed once', async (_, item) => {
  const parse = vi.spyOn(JSON, 'parse')
  const error = await failureOf(clientOf(listOf(item, 100_000)).projects.list())
  expect(error).toMatchObject({ code: 'mismatch' })
  expect(error.issues.length).toBeLessThanOrEqual(FEW)
  expect(error.message).toMatch(/items\[0\]/)
  expect(parse).toHaveBeenCalledTimes(1)
  parse.mockRestore()
})

test('a short answer names each of its errors', async () => {
  const items = [{ id: 1, name: 'a' }, { id: 'b' }]
  const error = await failureOf(clientOf(JSON.stringify({ items })).projects.list())
  expect(error.issues.map(({ path }) => path)).toEqual(['items[0].id', 'items[1].name'])
})

test('a number that needs a bigint is valid if a number of any length is allowed', async () => {
  const long = '123456789012345678901234567890'
  const body = `{"items":[{"id":"a","name":"n","createdAt":${long}}]}`
  await expect(clientOf(body).projects.list()).resolves.toMatchObject({ items: [{ createdAt: Number(long) }] })
})

test('a list with more items than a function call takes arguments is returned completely', async () => {
  const count = 130_000
  const items = await clientOf(listOf({ id: 'a', name: '' }, count)).items(contract.projects.list, {})
  expect(items).toHaveLength(count)
})
