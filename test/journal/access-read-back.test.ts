import { describe, expect, test } from 'vitest'
import { ApiError } from '../../src/api/client/errors/api-error.ts'
import { allEndpoints } from '../../src/api/contract/contract.ts'
import { caps } from '../service/visits.ts'
import { open, shown, TOO_LATE } from './faulty-line.ts'

/** A published environment, and one that is not. */
async function furnish({ direct, projectId, serverId }: Awaited<ReturnType<typeof open>>) {
  const config = { modelId: 'small', serverIds: [serverId] }
  const { id: hostId } = await direct.clients.create({ projectId, body: { name: 'desk', config } })
  const environment = (name: string) => direct.environments.create({ projectId, body: { name, hostId } })
  const [published, other] = [await environment('Published'), await environment('Other')]
  const scenario = await direct.userTesting.publish({
    projectId,
    environmentId: published.id,
    body: { mode: 'invited_only' },
  })
  const target = { projectId, scenarioId: scenario.id }
  return { projectId, published: published.id, other: other.id, target }
}

type Ids = Awaited<ReturnType<typeof furnish>>

const cases: [operation: string, input: (ids: Ids) => object, lost: string, answerLost: string][] = [
  [
    'publishScenario',
    ({ projectId, other }) => ({ projectId, environmentId: other, body: {} }),
    'did not happen: no scenario publishes the environment.',
    'happened: Other publishes the environment.',
  ],
  [
    'unpublishScenario',
    ({ projectId, published }) => ({ projectId, environmentId: published }),
    'did not happen: Published publishes the environment.',
    'happened: no scenario publishes the environment.',
  ],
  [
    'rebindScenario',
    ({ target, other }) => ({ ...target, body: { environmentId: other } }),
    'did not happen: it points at another environment.',
    'happened: it points at that environment.',
  ],
  [
    'rotateScenarioLink',
    ({ target }) => target,
    'may have happened: the scenario was changed then or later; which link works now is not known.',
    'may have happened: the scenario was changed then or later; which link works now is not known.',
  ],
  [
    'upsertScenarioMember',
    ({ target }) => ({ ...target, body: { email: 'ada@example.com' } }),
    'may have happened: the service never lists the members of a scenario.',
    'may have happened: the service never lists the members of a scenario.',
  ],
  [
    'setGuestExecution',
    ({ target }) => ({ ...target, body: caps }),
    'may have happened: the service answers guest limits to no read.',
    'may have happened: the service answers guest limits to no read.',
  ],
]

describe('a change of access whose answer is lost is read back as far as the contract permits', () => {
  test.each(
    cases.flatMap(([operation, input, lost, answerLost]) => [
      [operation, 'lost', lost, input] as const,
      [operation, 'answer-lost', answerLost, input] as const,
    ]),
  )('%s, %s: %s', async (operation, fate, sentence, input) => {
    const opened = await open()
    const ids = await furnish(opened)
    const { client, resolve } = opened.start()
    const endpoint = allEndpoints().find(other => other.operation === operation)!
    const { seen } = opened
    void opened.meet(fate, fate)
    await expect(client.call(endpoint, input(ids))).rejects.toBeInstanceOf(ApiError)
    const count = seen.length
    const early = await resolve()
    opened.clock.advance(TOO_LATE)
    const told = sentence.startsWith('did not') ? await resolve() : early
    expect(early.map(({ isEarly = false }) => isEarly)).toEqual([sentence.startsWith('did not')])
    expect(shown(told).map(([, said]) => said!.replace(/^[A-Z][a-z -]+? (?=happened|did|may)/, ''))).toEqual([sentence])
    expect(seen).toHaveLength(count)
  })
})
