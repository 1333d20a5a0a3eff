import { describe, expect, test } from 'vitest'
import { publishEnvironment } from '../../src/domain/scenarios/publish.ts'
import { createBudget } from '../../src/api/client/budget/budget.ts'
import { createClient } from '../../src/api/client/client.ts'
import { plainHeaders } from '../../src/api/contract/message.ts'
import type { Fetch } from '../../src/api/client/transport/fetch.ts'

const account = { id: 'usr_1', email: 'one@deployment.test' }
const published = { id: 'scn_1', name: 'Study', mode: 'project_members', accessVersion: 1, created: true }

/** A deployment that answers each HTTP method as told. */
function deployment(answers: Record<string, { status: number; body: object }>) {
  const seen: string[] = []
  const fetch: Fetch = async ({ method, body }) => {
    seen.push(`${method} ${typeof body === 'string' ? body : ''}`)
    const { status, body: answer } = method === 'GET' ? { status: 200, body: account } : answers[method]!
    return { status, headers: plainHeaders({ 'content-type': 'application/json' }), body: JSON.stringify(answer) }
  }
  const client = createClient({
    fetch,
    baseUrl: 'http://deployment.test/api/v1',
    key: 'sk_test',
    budget: createBudget({ unlimited: true }),
  })
  const input = { projectId: 'prj_1', environmentId: 'env_1', body: { mode: 'project_members' as const } }
  return { seen, publish: () => publishEnvironment(client, input) }
}

const refusal = (status: number, code: string) => ({ status, body: { code, message: 'No.' } })

describe('publishing a scenario', () => {
  test('uses POST if the deployment accepts it', async () => {
    const { seen, publish } = deployment({ POST: { status: 200, body: published } })
    expect(await publish()).toMatchObject(published)
    expect(seen).toEqual(['POST {"mode":"project_members"}'])
  })

  test.each([
    // A request for the account distinguishes a missing path from a wrong address. It is sent once, before any other
    // answer.
    [404, 'NOT_FOUND', ['GET ']],
    [405, 'METHOD_NOT_ALLOWED', []],
  ])('uses PUT, with the same body, if POST answers %i', async (status, code, between) => {
    const { seen, publish } = deployment({ POST: refusal(status, code), PUT: { status: 200, body: published } })
    expect(await publish()).toMatchObject(published)
    expect(seen).toEqual(['POST {"mode":"project_members"}', ...between, 'PUT {"mode":"project_members"}'])
  })

  test('reports the environment as missing if both methods do', async () => {
    const { seen, publish } = deployment({ POST: refusal(404, 'NOT_FOUND'), PUT: refusal(404, 'NOT_FOUND') })
    await expect(publish()).rejects.toMatchObject({ status: 404, endpoint: 'publishScenarioPut' })
    expect(seen.map(each => each.split(' ')[0])).toEqual(['POST', 'GET', 'PUT'])
  })

  test.each([
    [400, 'VALIDATION_ERROR'],
    [403, 'FORBIDDEN'],
    [409, 'CONFLICT'],
  ])('is not retried after %i', async (status, code) => {
    const { seen, publish } = deployment({ POST: refusal(status, code) })
    await expect(publish()).rejects.toMatchObject({ status, code })
    expect(seen).toHaveLength(1)
  })
})
