import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openService, type TestService } from '../../../../test/harness.tsx'
import { launchStage } from '../../../../test/launch-stage.ts'
import { ApiError } from '../../../api/client/errors/api-error.ts'
import { environmentFault } from '../../../domain/runs/launch-refusal.ts'
import { launchCall } from '../../../domain/runs/launch-rules.ts'
import { textOfValues } from '../../../components/form/field-input.ts'
import { draftedLaunch, emptyDraft, type LaunchDraft } from './draft.ts'
import type { LaunchFacts, Preview } from './facts.ts'

let service: TestService
beforeAll(async () => {
  service = await openService({ maxConcurrentRuns: 10_000 })
})
afterAll(() => service.close())

/** Whether client and service accept the launch as written, including the rules for a run group. */
async function isAccepted(projectId: string, { request, attach }: ReturnType<typeof draftedLaunch>) {
  const call = launchCall(request)
  const { client } = service
  expect(attach).toEqual([])
  try {
    if (call.kind === 'run') {
      await client.runs.create({ projectId, body: call.body })
    } else {
      const { serverIds, model, modelApiKeys } = request
      const left = {
        ...(serverIds.length > 0 && { serverIds }),
        ...(model !== undefined && { model }),
        ...(modelApiKeys && { modelApiKeys }),
      }
      await client.runGroups.create({ projectId, body: { ...call.body, ...left } })
    }
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

test('the form allows what the service accepts, whatever is attached and chosen', async () => {
  const { client } = service
  const stage = await launchStage(client)
  const { projectId } = stage
  const dead = await stage.deadServer()
  const config = { serverIds: [dead] }
  const clients = [await stage.mcpClient('A', config), await stage.mcpClient('B', config)]
  const environments = [await stage.environment('one', clients[0]!), await stage.environment('two', clients[1]!)]
  const shelved = await stage.environment('shelved', clients[0]!)
  const attachments = [[], [environments[0]!], environments, [shelved], [environments[0]!, shelved]]
  const suites: { id: string; facts: LaunchFacts }[] = []
  for (const environmentIds of attachments)
    for (const hosts of [[], clients.slice(0, 1), clients])
      for (const servers of [[], [dead]]) {
        const suiteId = await stage.suite('Suite', { environmentIds, hosts, servers })
        suites.push({ id: suiteId, facts: undefined as never })
      }
  await stage.archive(shelved)
  const previews = new Map<string, Preview>()
  for (const environmentId of [...environments, shelved])
    previews.set(
      environmentId,
      await client.environments.resolve({ projectId, environmentId }).then(
        resolved => ({ resolved }),
        error => ({ fault: environmentFault(error)!.sentence }),
      ),
    )
  for (const suite of suites) {
    suite.facts = {
      suite: await client.suites.get({ projectId, suiteId: suite.id }),
      cases: (await client.cases.list({ projectId, suiteId: suite.id })).items,
      environments: (await client.environments.list({ projectId })).items,
      servers: (await client.servers.list({ projectId })).items,
      inFlight: [],
      slots: undefined,
      durations: undefined,
      lastEnded: undefined,
      failedLast: undefined,
      marked: [],
      previews,
      unread: {},
    }
  }
  const seen = { allowed: 0, refused: 0 }
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...suites),
      fc.record({
        environments: fc.nat({ max: 7 }),
        clients: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat({ max: 3 })),
        servers: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, fc.constant(dead)),
        model: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, fc.constant('openai/gpt-y')),
        key: fc.oneof({ weight: 4, arbitrary: fc.constant('') }, fc.constantFrom('sk-own', 'with space')),
        iterations: fc.constantFrom('', '', '', '1', '10', '0', '11', '2.5'),
        passRate: fc.constantFrom('', '', '', '0.5', '80'),
        some: fc.constantFrom('all', 'all', 'some'),
      }),
      async ({ facts }, choice) => {
        const pick = (ids: readonly string[], bits: number) =>
          textOfValues(ids.filter((_, index) => bits & (1 << index)))
        const attached = facts.suite.environmentIds ?? []
        const draft: LaunchDraft = {
          ...emptyDraft(),
          environments: pick(attached, choice.environments),
          clients: pick(
            (facts.suite.hosts ?? []).map(({ id }) => id),
            choice.clients,
          ),
          servers: choice.servers,
          model: choice.model,
          key: choice.key,
          keyProvider: choice.key === '' ? '' : 'openai',
          iterations: choice.iterations,
          passRate: choice.passRate,
          cases: choice.some,
          someCases: facts.cases[0]!.id,
        }
        const launch = draftedLaunch(facts, draft)
        const isAllowed = Object.keys(launch.errors).length === 0
        seen[isAllowed ? 'allowed' : 'refused'] += 1
        expect({ draft, errors: launch.errors, accepted: await isAccepted(projectId, launch) }).toMatchObject({
          accepted: isAllowed,
        })
      },
    ),
    { numRuns: 150 },
  )
  expect(Math.min(seen.allowed, seen.refused)).toBeGreaterThan(10)
})

test('an environment that is not attached is offered only together with attaching it', async () => {
  const { client } = service
  const stage = await launchStage(client)
  const { projectId } = stage
  const own = await stage.mcpClient('Own')
  const environmentId = await stage.environment('Later', own)
  const suiteId = await stage.suite('Attaching')
  const body = { suiteId, environmentId }
  await expect(client.runs.create({ projectId, body })).rejects.toMatchObject({ reason: 'ENVIRONMENT_NOT_ATTACHED' })
  const facts: LaunchFacts = {
    suite: await client.suites.get({ projectId, suiteId }),
    cases: (await client.cases.list({ projectId, suiteId })).items,
    environments: [],
    servers: [],
    inFlight: [],
    slots: undefined,
    durations: undefined,
    lastEnded: undefined,
    failedLast: undefined,
    marked: [],
    previews: new Map(),
    unread: {},
  }
  const launch = draftedLaunch(facts, { ...emptyDraft(), environments: environmentId })
  expect(launch).toMatchObject({ errors: {}, attach: [environmentId] })
})
