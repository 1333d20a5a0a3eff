import { expect, test } from 'vitest'
import type { Client } from '../../api/client/client.ts'
import { ApiError } from '../../api/client/errors/api-error.ts'
import type { DoctorReport } from '../../api/contract/server-operations.ts'
import { examined } from '../servers/findings.ts'
import { knownResults } from './known-results.ts'

const target = { projectId: 'p', serverId: 's' }
const report = {
  status: 'ready',
  checks: {},
  tools: [{ name: 'sum', inputSchema: { type: 'object' }, outputSchema: { type: 'object' } }],
} as unknown as DoctorReport

/** Reads recorded results from a service that answers with this error, and returns the findings about them. */
async function findingsAfter(error: ApiError) {
  const results = async () => {
    throw error
  }
  const known = await knownResults({ calls: { results } } as unknown as Client, target)
  const { findings } = await examined(report, known)
  return findings.filter(({ rule }) => rule === 'result')
}

test('recorded results that cannot be read are reported as not compared', async () => {
  const broken = new ApiError({ kind: 'http', code: 'INTERNAL_ERROR', status: 500, message: 'It broke.', sent: true })
  expect(await findingsAfter(broken)).toEqual([
    { kind: 'unchecked', rule: 'result', text: 'Recorded results were not compared with output schemas: It broke' },
  ])
})

test.each([
  { kind: 'refused', code: 'local-only', message: 'local', sent: false },
  { kind: 'http', code: 'FEATURE_NOT_SUPPORTED', status: 422, message: 'off', sent: true },
  { kind: 'http', code: 'NOT_FOUND', status: 404, message: 'none', sent: true },
] as const)('a service without recorded results is not reported: %o', async error => {
  expect(await findingsAfter(new ApiError(error))).toEqual([])
})

test('a request for recorded results contains only project and server, whatever else the caller knows', async () => {
  const asked: unknown[] = []
  const results = async (input: unknown) => {
    asked.push(input)
    return { items: [] }
  }
  const more = { ...target, body: {} }
  await knownResults({ calls: { results } } as unknown as Client, more)
  expect(asked).toEqual([target])
})
