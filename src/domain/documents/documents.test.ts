import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openService, type TestService } from '../../../test/harness.tsx'
import { readDocuments, type Doc } from './document.ts'
import { exportDocuments } from './export.ts'
import { DOCUMENT_NOUNS, type DocumentNoun } from './nouns.ts'
import { planDocuments, writesOf, type Plan } from './plan.ts'
import { sendPlan, type Outcome } from './send.ts'
import { documentStore } from './store.ts'

let service: TestService
beforeAll(async () => {
  service = await openService()
})
afterAll(() => service.close())

/** What the variables of exported servers and clients hold. */
const ENV = new Proxy<Record<string, string>>(
  {},
  {
    get: (_, name) =>
      String(name).endsWith('_URL') ? 'https://example.com/mcp?q=1' : String(name).endsWith('_ARGS') ? '' : 'node',
  },
)

let made = 0
async function emptyProject(): Promise<string> {
  made += 1
  return (await service.client.projects.create({ body: { name: `Project ${made}` } })).id
}

function docsOf(text: string, env: Record<string, string | undefined> = ENV): readonly Doc[] {
  const { docs, problems } = readDocuments([{ file: 'a.yaml', text }], env)
  expect(problems).toEqual([])
  return docs
}

async function planned(projectId: string, text: string, prune: readonly DocumentNoun[] = []): Promise<Plan> {
  const plan = await planDocuments(documentStore(service.client, projectId), docsOf(text), prune)
  if ('problems' in plan) throw new Error(plan.problems.map(({ message }) => message).join('\n'))
  return plan
}

const carried = (projectId: string, plan: Plan) =>
  sendPlan(service.client, documentStore(service.client, projectId), projectId, plan)

async function apply(
  projectId: string,
  text: string,
  prune: readonly DocumentNoun[] = [],
): Promise<readonly Outcome[]> {
  return await carried(projectId, await planned(projectId, text, prune))
}

async function exported(projectId: string): Promise<string> {
  const left: string[] = []
  const documents = await exportDocuments(
    documentStore(service.client, projectId),
    { nouns: DOCUMENT_NOUNS },
    sentence => left.push(sentence),
  )
  expect(left).toEqual([])
  return documents.map(({ path, text }) => `# ${path}\n${text}`).join('---\n')
}

const kindsOf = (outcomes: readonly Outcome[]) => outcomes.map(({ noun, name, kind }) => `${noun} ${name} ${kind}`)

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter(value => value.isWellFormed())
const name = text.filter(value => value.trim() !== '')
const names = fc.uniqueArray(name, { minLength: 1, maxLength: 3 })
const open = fc
  .dictionary(text, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  .map(value => JSON.parse(JSON.stringify(value)) as Record<string, unknown>)
const fanOut = { sessionsPerTarget: fc.integer({ min: 1, max: 100 }), maxTurns: fc.integer({ min: 1, max: 200 }) }
const pick = fc.nat(20)

/** A random project, its records referring to those before them by their numbers. */
const world = fc.record({
  servers: names,
  http: fc.record(
    { useOAuth: fc.boolean(), oauthScopes: fc.array(text, { maxLength: 2 }), clientSecret: text, query: fc.boolean() },
    { requiredKeys: ['query'] },
  ),
  clients: names,
  config: open,
  environments: fc.uniqueArray(
    fc.record({ name, description: text, modelId: name, client: pick }, { requiredKeys: ['name', 'client'] }),
    { selector: each => each.name, minLength: 1, maxLength: 3 },
  ),
  suites: fc.uniqueArray(
    fc.record({ name, attached: fc.boolean(), cases: fc.array(text, { minLength: 1, maxLength: 3 }) }),
    { selector: each => each.name, maxLength: 2 },
  ),
  personas: fc.uniqueArray(
    fc.record({ name, role: name, notes: text, avatarShape: fc.nat(9) }, { requiredKeys: ['name', 'role'] }),
    { selector: each => each.name, minLength: 1, maxLength: 2 },
  ),
  swarms: fc.uniqueArray(fc.record({ name, description: text, targets: fc.boolean(), ...fanOut }), {
    selector: each => each.name,
    minLength: 1,
    maxLength: 2,
  }),
  journeys: fc.uniqueArray(
    fc.record({ name, goal: name, persona: pick, inSwarm: fc.boolean(), targets: fc.boolean(), ...fanOut }),
    { selector: each => each.name, maxLength: 3 },
  ),
})
type World = typeof world extends fc.Arbitrary<infer T> ? T : never

/** Makes the records over the API, as no file was involved. */
async function build(projectId: string, drawn: World): Promise<void> {
  const { client } = service
  const at = <T>(list: readonly T[], index: number): T => list[index % list.length]!
  const serverIds: string[] = []
  for (const [index, server] of drawn.servers.entries()) {
    const { query, ...oauth } = drawn.http
    const transport =
      index === 0
        ? { transportType: 'http' as const, url: query ? ENV['X_URL']! : 'https://example.com/mcp', ...oauth }
        : { transportType: 'stdio' as const, command: 'node' }
    serverIds.push(
      (await client.servers.create({ projectId, body: { name: server, enabled: index !== 1, ...transport } })).id,
    )
  }
  const clientIds: string[] = []
  for (const [index, each] of drawn.clients.entries()) {
    const { serverIds: _, optionalServerIds: _o, ...config } = drawn.config
    const lists = index === 0 ? { serverIds } : index === 1 ? { serverIds: [], optionalServerIds: serverIds } : {}
    const body = { name: each, config: { ...config, modelId: 'openai/gpt-5', ...lists } }
    clientIds.push((await client.clients.create({ projectId, body })).id)
  }
  const environmentIds: string[] = []
  for (const { client: of, ...body } of drawn.environments)
    environmentIds.push(
      (await client.environments.create({ projectId, body: { ...body, hostId: at(clientIds, of) } })).id,
    )
  for (const { name: suite, attached, cases } of drawn.suites) {
    const tests = cases.map((message, index) => ({
      title: `${index} ${message}`,
      steps: [{ id: 'call', kind: 'toolCall' as const, toolName: message, arguments: { index } }],
    }))
    const { suiteId } = await client.suites.create({
      projectId,
      body: { name: suite, serverIds, model: 'openai/gpt-5', tests },
    })
    if (attached)
      await client.suites.update({ projectId, suiteId, body: { environmentIds, hosts: [{ host: clientIds[0]! }] } })
  }
  const personaIds: string[] = []
  for (const body of drawn.personas) personaIds.push((await client.personas.create({ projectId, body })).id)
  const swarmIds: string[] = []
  for (const { targets, ...body } of drawn.swarms)
    swarmIds.push((await client.swarms.create({ projectId, body: { ...body, ...(targets && { environmentIds }) } })).id)
  for (const { persona, inSwarm, targets, ...body } of drawn.journeys) {
    const journey = await client.journeys.create({
      projectId,
      body: { ...body, personaId: at(personaIds, persona), ...(inSwarm && { swarmId: swarmIds[0]! }) },
    })
    const wanted = targets ? environmentIds : null
    await client.journeys.update({ projectId, journeyId: journey.id, body: { environmentIds: wanted } })
  }
}

test(
  'a project that was exported and applied to an empty one is exported as the same files',
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(world, async drawn => {
        const [from, to] = [await emptyProject(), await emptyProject()]
        await build(from, drawn)
        const files = await exported(from)
        const outcomes = await apply(to, files)
        expect(outcomes.filter(({ kind }) => kind !== 'created')).toEqual([])
        expect(await exported(to)).toBe(files)
        const again = writesOf(await planned(to, files))
        expect(again.filter(step => !('change' in step && step.change.resent.length > 0))).toEqual([])
      }),
      { numRuns: 12 },
    )
  },
)
