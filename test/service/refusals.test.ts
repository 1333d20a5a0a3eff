import { expect, test } from 'vitest'
import { allEndpoints, contract } from '../../src/api/contract/contract.ts'
import { pathParameters } from '../../src/api/contract/endpoint.ts'
import { refusalOf, REFUSALS, type Refused } from '../../src/service/core/refusals.ts'
import { open, sandbox } from './harness.ts'

/** A body that is valid for each operation that needs one. */
const BODIES: Partial<Record<Refused, object>> = {
  'images.create': { name: 'Mine', blueprint: 'base: x' },
  'images.update': { name: 'Mine' },
  'images.validate': { blueprint: 'base: x' },
  'tunnels.create': { name: 'mine' },
  'chat.send': { message: 'Hello', browser: { profileId: 'p' } },
  'evalIngest.uploadUrl': {},
  'checkRepos.connect': { projectId: 'p', suiteId: 's', repo: 'a/b', outagePolicy: 'fail_open' },
}

const refused = allEndpoints().filter(endpoint => refusalOf(endpoint) !== undefined)

test('every refusal belongs to an operation, and is a sentence', () => {
  expect(refused.map(({ resource, name }) => `${resource}.${name}`).toSorted()).toEqual(
    Object.keys(REFUSALS).toSorted(),
  )
  for (const sentence of Object.values(REFUSALS)) expect(sentence).toMatch(/^[A-Z].{40,}\.$/)
})

test.each(refused)('$operation is refused in a sentence that says what to do', async endpoint => {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  const name = `${endpoint.resource}.${endpoint.name}` as Refused
  const ids = Object.fromEntries(pathParameters(endpoint.path).map(parameter => [parameter, 'id_1']))
  const input = { ...ids, ...('projectId' in ids && { projectId }) }
  const body = BODIES[name]
  expect(await api.refused(endpoint, { ...input, ...(body && { body }) })).toMatchObject({
    status: 422,
    code: 'FEATURE_NOT_SUPPORTED',
    message: REFUSALS[name],
  })
  expect(await api.refused(endpoint, { ...input, ...(body && { body }) }, { key: 'sk_wrong' })).toMatchObject({
    status: 401,
  })
})

test('a refused operation still reports invalid requests first', async () => {
  const { api } = await open()
  expect(await api.refused(contract.chat.send, { body: { browser: 'yes' } })).toMatchObject({
    status: 400,
    code: 'VALIDATION_ERROR',
    details: { field: 'browser' },
  })
})
