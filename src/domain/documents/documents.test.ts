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

/** Values of the variables of exported servers and clients. */
const ENV = new Proxy<Record<string, string>>(
  {},
  {
    get: (_, name) =>
      String(name).endsWith('_URL')
        ? 'https://example.com/mcp?q=1'
        : String(name).endsWith('_ARGS')
          ? ''
          : 'sk_live_0123456789',
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
const tricky = fc.oneof(text, fc.constantFrom('${X}', '$${', 'a: b', 'sk_live_0123456789', 'yes', '1e3', '# no'))
const name = tricky.filter(value => value.trim() !== '')
const names = fc.uniqueArray(name, { minLength: 1, maxLength: 3 })
const open = fc
  .dictionary(text, fc.oneof(tricky, fc.jsonValue({ maxDepth: 2 })), { maxKeys: 3 })
  .map(value => JSON.parse(JSON.stringify(value)) as Record<string, unknown>)
const fanOut = { sessionsPerTarget: fc.integer({ min: 1, max: 100 }), maxTurns: fc.integer({ min: 1, max: 200 }) }
const pick = fc.nat(20)

/** A random project whose records refer to earlier ones by number. */
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

/** Creates the records over the API, without files. */
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

test('a project that is exported and applied to an empty project is exported as the same files again', async () => {
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
    { numRuns: 10 },
  )
})

const CLIENT = 'client: { name: desk, config: { modelId: openai/gpt-5 } }\n'
const ENVIRONMENT = 'environment: { name: staging, client: desk, description: one }\n'

test('a concurrent change is not overwritten, and is shown beside the file and the base version', async () => {
  const projectId = await emptyProject()
  await apply(projectId, `${CLIENT}---\n${ENVIRONMENT}`)
  const { client } = service
  const [environment] = (await client.environments.list({ projectId })).items
  const [desk] = (await client.clients.list({ projectId })).items
  const ours = `${CLIENT.replace('gpt-5', 'gpt-5-mini')}---\n${ENVIRONMENT.replace('one', 'ours')}`
  const plan = await planned(projectId, ours)
  const { id: environmentId, revision } = environment!
  const body = { description: 'theirs', expectedRevision: revision }
  await client.environments.update({ projectId, environmentId, body })
  const config = { modelId: 'openai/gpt-5', theme: 'dark' }
  await client.clients.update({ projectId, clientId: desk!.id, body: { config, expectedConfigId: desk!.configId! } })
  const outcomes = await carried(projectId, plan)
  expect(outcomes).toMatchObject([
    { name: 'desk', kind: 'conflict' },
    { name: 'staging', kind: 'conflict' },
  ])
  expect(outcomes[1]!.lines).toEqual([
    'Someone else changed it meanwhile; nothing was sent.',
    'theirs: description: "one" -> "theirs"',
    'yours: description: "one" -> "ours"',
  ])
  expect(await client.clients.get({ projectId, clientId: desk!.id })).toMatchObject({ config })
})

test('a record that someone else created in the meantime is kept if it is equal, and shown if it differs', async () => {
  const projectId = await emptyProject()
  const files = `${CLIENT}---\npersona: { name: Tom, role: a clerk }\n`
  const plan = await planned(projectId, files)
  await apply(projectId, files.replace('a clerk', 'a guest'))
  const outcomes = await carried(projectId, plan)
  expect(kindsOf(outcomes)).toEqual(['client desk already', 'persona Tom conflict'])
  expect(outcomes[1]!.lines).toContain('theirs -> yours: role: "a guest" -> "a clerk"')
  expect((await service.client.personas.list({ projectId })).items).toHaveLength(1)
})

test('a record that someone else created is not created twice, even after a change of its noun', async () => {
  const projectId = await emptyProject()
  await apply(projectId, 'persona: { name: Priya, role: a clerk }')
  const files = 'persona: { name: Priya, role: a guest }\n---\npersona: { name: Tom, role: a clerk }\n'
  const plan = await planned(projectId, files)
  await apply(projectId, 'persona: { name: Tom, role: a clerk }')
  expect(kindsOf(await carried(projectId, plan))).toEqual(['persona Priya changed', 'persona Tom already'])
  expect((await service.client.personas.list({ projectId })).items).toHaveLength(2)
})

test('records that refer to a refused record are not sent, and all others are', async () => {
  const projectId = await emptyProject()
  const files = `server: { name: s, enabled: true, transportType: http, url: 'https://e.com', command: node }
---
client: { name: desk, servers: [s], config: { modelId: m } }
---
${ENVIRONMENT}---
persona: { name: Tom, role: a clerk }
`
  expect(kindsOf(await apply(projectId, files))).toEqual([
    'server s failed',
    'client desk skipped',
    'environment staging skipped',
    'persona Tom created',
  ])
})

test('with pruning, records missing from the files are deleted, dependents first', async () => {
  const projectId = await emptyProject()
  await apply(projectId, `${CLIENT}---\n${ENVIRONMENT}---\npersona: { name: Tom, role: a clerk }\n`)
  const outcomes = await apply(projectId, 'persona: { name: Priya, role: a clerk }', DOCUMENT_NOUNS)
  expect(kindsOf(outcomes)).toEqual([
    'persona Priya created',
    'persona Tom deleted',
    'environment staging deleted',
    'client desk deleted',
  ])
})

test('invalid files are refused with every line, without showing the value of a variable', async () => {
  const wrong = `server: { name: s, enabled: true, transportType: http, url: "\${BAD}" }
---
server: { name: t, enabled: true, transportType: stdio, command: "\${MISSING}", args: '"open' }
---
persona: { name: Tom, rolle: a clerk }
---
persona: { name: Tom, role: a clerk }
---
persona:
  name: Tom
  role: a guest
---
something: {}
`
  const { problems } = readDocuments([{ file: 'p.yaml', text: wrong }], { BAD: 'not an address' })
  expect(problems.map(({ line, message }) => `${line}: ${message}`)).toEqual([
    expect.stringMatching(/^1: "server.url" .*filled in\.$/) as string,
    '3: The environment has no variable MISSING; set it, since "server.command" is filled from it.',
    expect.stringMatching(/^5: /) as string,
    expect.stringContaining('There is no field "rolle". Did you mean "role"?') as string,
    expect.stringMatching(/^13: A document says what it is first: server:/) as string,
    '10: p.yaml:7 describes the persona "Tom" already.',
  ])
  expect(JSON.stringify(problems)).not.toContain('not an address')
  const projectId = await emptyProject()
  await expect(planned(projectId, ENVIRONMENT)).rejects.toThrow(
    'Neither the project nor the files have one client "desk".',
  )
  await apply(projectId, 'persona: { name: Tom, role: a }\n---\npersona: { name: Ann, role: a }\n')
  const journey = 'journey: { name: Trip, goal: g, persona: Tom, sessionsPerTarget: 1, maxTurns: 1 }'
  await apply(projectId, journey)
  await expect(planned(projectId, journey.replace('Tom', 'Ann'))).rejects.toThrow(
    'The persona of a journey cannot be changed',
  )
})

test('exported files contain no secrets', async () => {
  const projectId = await emptyProject()
  const files = `server: { name: My server!, enabled: true, transportType: http, url: 'https://u:pa55@e.com/?q=t0p', clientSecret: s3cret }
---
client: { name: desk, config: { modelId: 'a $\${b} c', token: t0ken-of-desk } }
`
  await apply(projectId, files)
  const out = await exported(projectId)
  for (const secret of ['pa55', 't0p', 's3cret', 't0ken']) expect(out).not.toContain(secret)
  expect(out).toContain('url: ${MY_SERVER_URL}')
  expect(out).toContain('clientSecret: ${MY_SERVER_CLIENT_SECRET}')
  expect(out).toContain('token: ${CLIENT_DESK_TOKEN}')
  expect(out).toContain('modelId: a $${b} c')
})

test('a record that someone else changed after the plan is not deleted', async () => {
  const projectId = await emptyProject()
  await apply(projectId, 'persona: { name: Tom, role: a clerk }\n---\npersona: { name: Ann, role: a clerk }\n')
  const plan = await planned(projectId, 'persona: { name: Priya, role: a clerk }', ['persona'])
  await apply(projectId, 'persona: { name: Tom, role: a guest }')
  const outcomes = await carried(projectId, plan)
  expect(kindsOf(outcomes).toSorted()).toEqual(['persona Ann deleted', 'persona Priya created', 'persona Tom conflict'])
  expect(outcomes.find(({ kind }) => kind === 'conflict')?.lines).toEqual([
    'Someone else changed it meanwhile; it was not deleted.',
  ])
  const { items } = await service.client.personas.list({ projectId })
  expect(items.map(({ name: called }) => called).toSorted()).toEqual(['Priya', 'Tom'])
})

test('a file of a folder with rows of a suite is no document of its own', () => {
  const rows = '- { t: A }\n- { t: B }\n'
  const text =
    "suite: { name: N }\ncases: [{ each: { file: a.yaml }, title: '{{t}}', steps: [{ id: s, kind: prompt }] }]\n"
  const beside = (name: string) => ({ path: `evals/${name}`, read: { ok: true, value: rows } as const })
  const sources = [
    { file: 'evals/a.yaml', text: rows, beside },
    { file: 'evals/b.yaml', text, beside },
  ]
  const { docs, problems } = readDocuments(sources, {})
  expect(problems).toEqual([])
  expect(docs.flatMap(doc => (doc.noun === 'suite' ? doc.suite.cases.map(({ title }) => title) : []))).toEqual([
    'A',
    'B',
  ])
  const asTyped = sources.map(source => ({ ...source, file: `./${source.file}` }))
  expect(readDocuments(asTyped, {}).problems).toEqual([])
  expect(readDocuments(sources.slice(0, 1), {}).problems).toMatchObject([{ file: 'evals/a.yaml', line: 1 }])
})
