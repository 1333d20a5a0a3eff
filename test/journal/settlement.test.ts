import { describe, expect, test } from 'vitest'
import { ApiError } from '../../src/api/client/errors/api-error.ts'
import { readBackOf, UNSHOWN } from '../../src/api/client/read-back/read-back.ts'
import { allEndpoints, contract } from '../../src/api/contract/contract.ts'
import type { AnyEndpoint } from '../../src/api/contract/endpoint.ts'
import { open, shown, TOO_LATE } from './faulty-line.ts'

/** Possible outcomes of a write whose answer was lost; the first that applies is used. */
function settlementOf(endpoint: AnyEndpoint): string {
  const { operation, risk, idempotency = 'none', leavesNothing } = endpoint
  if (leavesNothing !== undefined) return 'leaves nothing'
  if (risk === 'write' && ['header', 'natural'].includes(idempotency)) return 'sent again'
  if (UNSHOWN[operation] !== undefined) return 'no read shows it'
  return readBackOf(endpoint) ? 'read back' : 'forgotten'
}

/** A new write must be added here, so that its author decides how a lost answer is handled. */
const SETTLEMENTS: Readonly<Record<string, string>> = {
  'leaves nothing': `createEvalIngestUploadUrl heartbeatConformanceIngestRun clearTraffic clearConsole setLogLevel
    subscribeToResource draftSamplingAnswer`,
  'sent again': `attachEvalSuiteEnvironment createEvalCases ensureAdhocEnvironment startEvalIngestRun
    finalizeEvalIngestRun startConformanceIngestRun finalizeConformanceIngestRun createPersona createJourney createSwarm
    dismissSwarmFinding undismissSwarmFinding dismissUserTestingFinding undismissUserTestingFinding setServerRoots
    discardAgentProposal setGrant keepTokens`,
  'no read shows it': `importOAuthTokens generateEvalCases createEvalRunGroup useSandboxImage resetComputer
    createServerConnection retryServerConnectionValidation createTunnel closeTunnel sendChatSessionMessage reportEvalRun
    ingestEvalRunIterations reportConformanceRun upsertConformanceIngestReport generatePersonas generateJourneys
    upsertScenarioMember removeScenarioMember setGuestExecution requestUserTestingInsights`,
  'read back': `createProject updateProject deleteProject createProjectServer updateProjectServer deleteProjectServer
    callTool createEvalSuite updateEvalSuite deleteEvalSuite updateEvalSuiteSchedule createEvalCase updateEvalCase
    deleteEvalCase createEvalRun cancelEvalRun rerunEvalRun requestEvalRunInsights requestEvalRunJudge createClient
    updateClient deleteClient duplicateClient createHost updateHost deleteHost setHostServers duplicateHost
    createEnvironment updateEnvironment nameEnvironment archiveEnvironment restoreEnvironment createSandboxImage
    updateSandboxImage deleteSandboxImage buildSandboxImage promoteSandboxImage cancelServerConnection sayInChat
    runAgentTurn connectEvalCheckRepo updatePersona deletePersona updateJourney archiveJourney updateSwarm archiveSwarm
    launchJourneyRun cancelJourneyRun requestWaveInsights cancelWaveInsights publishScenario publishScenarioPut
    unpublishScenario updateUserTestingScenario rebindScenario rotateScenarioLink cancelUserTestingInsights
    startClaudeReadinessRun startOpenAIReadinessRun cancelReadinessRun signOut restartServer endServer
    answerServerRequest clearCalls`,
}

test('each write says what happens if its answer is lost', () => {
  const writes = allEndpoints().filter(({ risk }) => risk !== 'read')
  const listed = Object.entries(SETTLEMENTS).flatMap(([kind, names]) => names.split(/\s+/).map(name => [name, kind]))
  expect(Object.fromEntries(writes.map(each => [each.operation, settlementOf(each)]))).toEqual(
    Object.fromEntries(listed),
  )
})

type Opened = Awaited<ReturnType<typeof open>>

/** The records that the writes below refer to. The server is connected, and one call of it has ended. */
async function furnish({ direct, projectId, suiteId, serverId }: Opened) {
  const server = { projectId, serverId }
  await direct.servers.callTool({ ...server, body: { toolName: 'get-env' } })
  const config = { modelId: 'small', serverIds: [serverId] }
  const { id: hostId } = await direct.hosts.create({ projectId, body: { name: 'desk', config } })
  const { id: bareHostId } = await direct.hosts.create({ projectId, body: { name: 'bare', template: 'claude' } })
  const { id: remoteId } = await direct.servers.create({
    projectId,
    body: { name: 'remote', enabled: true, transportType: 'http', url: 'https://remote.invalid/mcp' },
  })
  const environment = (name: string) => direct.environments.create({ projectId, body: { name, hostId } })
  const [kept, shelved] = [await environment('Kept'), await environment('Shelved')]
  const { environment: nameless } = await direct.environments.ensureAdhoc({ projectId, body: { hostId } })
  const { revision } = await direct.environments.archive({
    projectId,
    environmentId: shelved.id,
    body: { expectedRevision: shelved.revision },
  })
  await direct.suites.attachEnvironment({ projectId, suiteId, body: { environmentId: kept.id } })
  const ids = { projectId, suiteId, serverId, remoteId, bareHostId }
  return { ...ids, server, kept, shelved: { ...shelved, revision }, nameless }
}

type Ids = Awaited<ReturnType<typeof furnish>>
type Case = [operation: string, input: (ids: Ids) => object, lost: string, answerLost: string]

const changed = ['did not happen: the change is not there.', 'happened: the change is there.'] as const
const moment = String.raw`since [-\d ]*\d\d:\d\d`
const inPlace = `did not happen: its connection is the one from before, ${moment}.`

const cases: Case[] = [
  [
    'restartServer',
    ({ server }) => ({ ...server, body: {} }),
    inPlace,
    `happened: its connection is a new one, ${moment}.`,
  ],
  ['endServer', ({ server }) => ({ ...server, body: {} }), inPlace, 'happened: no connection from before is left.'],
  [
    'callTool',
    ({ server }) => ({ ...server, body: { toolName: 'echo', parameters: { message: 'm' } } }),
    // The list of calls does not go back further, so that it may have been cleared.
    'may have happened: no read shows it.',
    String.raw`may have happened: a call of echo at [-\d ]*\d\d:\d\d is listed as answered; the service does not say who made it.`,
  ],
  [
    'clearCalls',
    ({ server }) => server,
    'did not happen: calls from before are still listed.',
    'happened: no call from before is listed.',
  ],
  [
    'signOut',
    ({ server }) => server,
    'happened: no tokens are stored for it.',
    'happened: no tokens are stored for it.',
  ],
  [
    'archiveEnvironment',
    ({ projectId, kept }) => ({ projectId, environmentId: kept.id, body: { expectedRevision: kept.revision } }),
    ...changed,
  ],
  [
    'restoreEnvironment',
    ({ projectId, shelved }) => ({
      projectId,
      environmentId: shelved.id,
      body: { expectedRevision: shelved.revision },
    }),
    ...changed,
  ],
  [
    'nameEnvironment',
    ({ projectId, nameless }) => ({
      projectId,
      environmentId: nameless.id,
      body: { expectedRevision: nameless.revision, name: 'Named' },
    }),
    ...changed,
  ],
  [
    'setHostServers',
    ({ projectId, bareHostId, serverId }) => ({ projectId, hostId: bareHostId, body: { serverIds: [serverId] } }),
    // A list that differs may have been changed since then.
    'may have happened: the service does not show these fields.',
    changed[1],
  ],
  [
    'updateEvalSuiteSchedule',
    ({ projectId, suiteId, kept }) => ({
      projectId,
      suiteId,
      body: { enabled: true, intervalMinutes: 60, environmentId: kept.id },
    }),
    ...changed,
  ],
  [
    'startClaudeReadinessRun',
    ({ projectId, remoteId }) => ({ projectId, serverId: remoteId }),
    'did not happen: no readiness run began then.',
    String.raw`may have happened: readiness run \S+ began then; the service does not say who started it.`,
  ],
]

describe('a write whose answer is lost is read back', () => {
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
    // Existing records are a moment older than the write.
    if (fate === 'lost') opened.clock.advance(5_000)
    void opened.meet(fate, fate)
    await expect(client.call(endpoint, input(ids))).rejects.toBeInstanceOf(ApiError)
    const count = opened.seen.length
    const early = await resolve()
    const isUndone = sentence.startsWith('did not')
    expect(early.map(({ isEarly = false }) => isEarly)).toEqual([isUndone])
    opened.clock.advance(TOO_LATE)
    const told = isUndone ? await resolve() : early
    const said = shown(told).map(([, words]) => words!.replace(/^.*? (?=happened|did not|may have)/, ''))
    expect(said).toEqual([expect.stringMatching(new RegExp(`^${sentence}$`))])
    expect(opened.seen).toHaveLength(count)
  })
})

test.each(['restartServer', 'endServer'])('%s leaves nothing to decide, whatever the outcome', async operation => {
  for (const fate of ['lost', 'answer-lost'] as const) {
    const opened = await open()
    const { server } = await furnish(opened)
    const { client, resolve, journal } = opened.start()
    opened.clock.advance(5_000)
    void opened.meet(fate, fate)
    const endpoint = allEndpoints().find(other => other.operation === operation)!
    const input: object = { ...server, body: {} }
    await expect(client.call(endpoint, input)).rejects.toBeInstanceOf(ApiError)
    opened.clock.advance(TOO_LATE)
    const [told] = await resolve()
    expect(told?.sentence).toContain(' server “everything” (')
    expect(await journal.unresolved()).toEqual([])
  }
})

test('a restart that was never sent, and one whose server is gone, are settled', async () => {
  const opened = await open()
  const { server } = await furnish(opened)
  const { client, resolve, journal, kill } = opened.start()
  opened.clock.advance(5_000)
  await journal.begin({ endpoint: contract.liveServers.restart, input: { ...server, body: {} } })
  void opened.meet('lost', 'lost')
  await expect(client.liveServers.end({ ...server, body: {} })).rejects.toBeInstanceOf(ApiError)
  kill()
  await opened.direct.servers.delete(server)
  expect((await opened.start().resolve()).map(({ isOpen }) => isOpen)).toEqual([false, false])
  expect(await resolve()).toEqual([])
})

describe('a write that leaves nothing', () => {
  const { traffic, console, liveServers } = contract
  const writes: [operation: string, endpoint: AnyEndpoint, body: object][] = [
    ['clearTraffic', traffic.clear, {}],
    ['clearConsole', console.clear, {}],
    ['setLogLevel', liveServers.setLogLevel, { body: { level: 'error' } }],
    ['subscribeToResource', liveServers.subscribe, { body: { uri: 'demo://x', subscribed: true } }],
  ]

  test.each(writes)('%s is not recorded, so that a lost answer leaves no doubt', async (_operation, endpoint, body) => {
    const { start, meet, projectId, serverId } = await open()
    const { client, journal } = start()
    void meet('lost', 'lost')
    const input: object = { projectId, serverId, ...body }
    await expect(client.call(endpoint, input)).rejects.toMatchObject({ sent: true })
    expect(await journal.unresolved()).toEqual([])
  })

  test.each(writes)(
    '%s that an earlier version recorded is closed, and not sent',
    async (_operation, endpoint, body) => {
      const { start, projectId, serverId, seen } = await open()
      const { journal, kill } = start()
      const intent = await journal.begin({ endpoint, input: { projectId, serverId, ...body } })
      intent.sent()
      kill()
      const { resolve } = start()
      expect(await resolve()).toMatchObject([
        { isOpen: false, sentence: expect.stringContaining(endpoint.leavesNothing!) },
      ])
      expect(await resolve()).toEqual([])
      expect(seen).toEqual([])
    },
  )
})
