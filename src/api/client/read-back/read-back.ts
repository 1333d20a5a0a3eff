import { runName, type EvalRun } from '../../contract/runs.ts'
import { ApiError } from '../errors/api-error.ts'
import { allEndpoints, contract } from '../../contract/contract.ts'
import type { AnyEndpoint, InputOf } from '../../contract/endpoint.ts'
import { toEpochMs } from '../../contract/shapes.ts'
import { localMoment } from '../../../lib/times.ts'
import { serviceOffset } from '../transport/service-time.ts'
import type { Finding, JournalEntry } from '../journal/entry.ts'
import { beginnings } from './beginnings.ts'
import { localWork } from './local-work.ts'
import {
  asFields,
  type Fields,
  inList,
  isFromThen,
  type LookUp,
  type ReadBack,
  type ReadBackAnswer,
  type ReadBackContext,
  sign,
  single,
  timeOf,
  UNKNOWN,
  unlessMissing,
} from './lookups.ts'
import { stops } from './stops.ts'

type Place = { projectId: string; runId: string }

const LATEST_RUNS = 100

/** Operations whose effect is found elsewhere than under their own path. */
const special: Readonly<Record<string, ReadBack>> = {
  [contract.runs.create.operation]: launchReadBack,
  [contract.runs.rerun.operation]: rerunReadBack,
  [contract.journeyRuns.launch.operation]: waveReadBack,
  [contract.agent.turn.operation]: turnReadBack,
  [contract.chats.say.operation]: chatReadBack,
  [contract.userTesting.publish.operation]: publishedReadBack('happened'),
  [contract.userTesting.publishPut.operation]: publishedReadBack('happened'),
  [contract.userTesting.unpublish.operation]: publishedReadBack('did-not-happen'),
  [contract.userTesting.rebind.operation]: rebindReadBack,
  [contract.userTesting.rotateLink.operation]: rotateReadBack,
  [contract.suites.schedule.operation]: changeReadBack(part(contract.suites.get, 'schedule')),
  [contract.hosts.setServers.operation]: changeReadBack(part(contract.hosts.get, 'config')),
  [contract.hosts.duplicate.operation]: listReadBack(contract.hosts.list),
  [contract.clients.duplicate.operation]: listReadBack(contract.clients.list),
  [contract.environments.name.operation]: changeReadBack(single(contract.environments.get)),
  [contract.environments.archive.operation]: changeReadBack(archivedOf, { archived: true }),
  [contract.environments.restore.operation]: changeReadBack(archivedOf, { archived: false }),
  [contract.images.promote.operation]: changeReadBack(single(contract.images.get), { sharing: 'project' }),
  [contract.checkRepos.connect.operation]: repoReadBack,
  ...stops,
  ...beginnings,
  ...localWork,
}

const { servers, cases, runGroups, images, computer, tunnels, chat, personas, journeys, evalIngest } = contract
const { connections, conformanceIngest, userTesting, userTestingInsights } = contract
const MEMBERS = 'the service never lists the members of a scenario'
const COMPUTER = 'the service answers the state of a computer to no read'
const INGESTED = 'what ingest stores is not described, so that no read can be compared with it'
const TUNNELS = 'no read shows whether a tunnel is open'
const DRAFTS = 'drafts are stored nowhere; asking again draws on the daily quota'

/** Writes whose outcome no read shows, each with the reason as it follows a colon. */
export const UNSHOWN: Readonly<Record<string, string>> = {
  [userTesting.upsertMember.operation]: MEMBERS,
  [userTesting.removeMember.operation]: MEMBERS,
  [userTesting.setGuestExecution.operation]: 'the service answers guest limits to no read',
  [servers.importTokens.operation]: 'the service never shows tokens',
  [cases.createBatch.operation]: 'the service does not say which batch a case came from',
  [cases.generate.operation]: 'the service does not say which request a case was generated for',
  [runGroups.create.operation]: 'no list shows run groups',
  [images.use.operation]: COMPUTER,
  [computer.reset.operation]: COMPUTER,
  [connections.create.operation]: 'no list shows connection requests',
  [connections.retryValidation.operation]: 'a connection request does not say how often it was validated',
  [tunnels.create.operation]: TUNNELS,
  [tunnels.close.operation]: TUNNELS,
  [chat.send.operation]: 'its body is not described, so that no session can be compared with it',
  [personas.generate.operation]: DRAFTS,
  [journeys.generate.operation]: DRAFTS,
  [userTestingInsights.request.operation]: 'insights are read by a window that only the lost answer names',
  [evalIngest.report.operation]: INGESTED,
  [evalIngest.iterations.operation]: INGESTED,
  [conformanceIngest.report.operation]: INGESTED,
  [conformanceIngest.upsertReport.operation]: INGESTED,
}

/** Returns how to read a write back, or undefined if the contract offers no way. */
export function readBackOf(endpoint: AnyEndpoint): ReadBack | undefined {
  if (Object.hasOwn(UNSHOWN, endpoint.operation)) return undefined
  const way = wayBack(endpoint)
  return way && (async context => soFar(await way(context), context))
}

/**
 * Derives how to read back from the contract's paths: a DELETE or PATCH is read at its path, a POST in the list there.
 */
function wayBack(endpoint: AnyEndpoint): ReadBack | undefined {
  const declared = special[endpoint.operation]
  if (declared) return declared
  const read = readAt(endpoint.path)
  if (endpoint.method === 'POST') return read && listReadBack(read)
  const lookUp = read ? single(read) : inListAbove(endpoint)
  if (!lookUp) return undefined
  return endpoint.method === 'DELETE' ? goneReadBack(lookUp) : changeReadBack(lookUp)
}

/** Weakens a negative answer: a missing effect proves nothing while the service may still act on the request. */
function soFar(answer: ReadBackAnswer, { entry, now }: ReadBackContext): ReadBackAnswer {
  const until = timeOf(entry).last - (serviceOffset() ?? 0)
  if (answer.finding !== 'did-not-happen' || answer.isOver) return answer
  if (!entry.sent || now >= until) return { ...answer, isOver: answer.endsByItself ?? false }
  const because = `${answer.because}; the service may still act on it until ${localMoment(until, now)}`
  return { finding: 'cannot-be-known', because, isEarly: true }
}

function readAt(path: string): AnyEndpoint | undefined {
  return allEndpoints().find(other => other.method === 'GET' && other.path === path)
}

/** For a thing without a read of its own, finds it in the list one level above its path. */
function inListAbove(endpoint: AnyEndpoint): LookUp | undefined {
  const above = /^(.*)\/\{(\w+)\}$/.exec(endpoint.path)
  const [, path = '', parameter = ''] = above ?? []
  const list = readAt(path)
  return list && (async context => await inList(list, context, item => item['id'] === context.entry.input[parameter]))
}

function goneReadBack(lookUp: LookUp): ReadBack {
  return async context =>
    (await lookUp(context))
      ? { finding: 'did-not-happen', because: 'it is still there' }
      : { finding: 'happened', because: 'it is gone' }
}

/** Reads whether a thing is archived. If a service leaves the field out, nothing is known. */
async function archivedOf(context: ReadBackContext): Promise<Fields | undefined> {
  const environment = await single(contract.environments.get)(context)
  return environment && { archived: environment['archived'] ?? undefined }
}

/** Reads a part of an answer, such as the schedule of a suite. */
function part(read: AnyEndpoint, name: string): LookUp {
  return async context => {
    const whole = await single(read)(context)
    return whole && asFields(whole[name])
  }
}

/** @param change what exists afterwards, if that is not the body */
function changeReadBack(lookUp: LookUp, change?: Fields): ReadBack {
  return async context => {
    const now = await lookUp(context)
    if (!now) return { finding: 'cannot-be-known', because: 'what it was to change is gone' }
    const shown = shows(now, change ?? context.entry.input['body'])
    if (shown === 'nothing') return { finding: 'cannot-be-known', because: 'the service does not show these fields' }
    if (shown === 'part') return { finding: 'cannot-be-known', because: 'the service does not show all these fields' }
    if (shown === 'all')
      return context.entry.complete
        ? { finding: 'happened', because: 'the change is there' }
        : { finding: 'cannot-be-known', because: 'the service does not show its secrets' }
    return { finding: 'did-not-happen', because: 'the change is not there' }
  }
}

/**
 * Returns how to read back a creation in a list. A name and a time are a sign of it, but no proof: a colleague may have
 * created another thing with the same name.
 */
function listReadBack(list: AnyEndpoint): ReadBack {
  return async context => {
    const body = (context.entry.input['body'] ?? {}) as Fields
    const field = ['name', 'title'].find(name => typeof body[name] === 'string')
    if (field === undefined) return UNKNOWN
    const found = await inList(list, context, item => item[field] === body[field] && isFromThen(item, context.entry))
    if (!found) return { finding: 'did-not-happen', because: `no new ${String(body[field])} is there` }
    return sign(`${String(body[field])} is there`, 'who created it')
  }
}

/**
 * Reads back a turn of the agent. Only the local workspace stores turns, each with the conversation that the request
 * names.
 */
async function turnReadBack({ client, entry, options }: ReadBackContext): Promise<ReadBackAnswer> {
  const { projectId, body } = entry.input as InputOf<typeof contract.agent.turn>
  const { conversationId, messages } = body
  if (conversationId === undefined) return UNKNOWN
  try {
    const { items } = await client.agentTurns.list({ projectId, conversationId }, options)
    const asked = messages.at(-1)?.content
    const turn = items.find(each => each.question === asked && isFromThen({ createdAt: each.startedAt }, entry))
    if (!turn) return { finding: 'did-not-happen', because: 'the agent was not asked' }
    const made = turn.createdResources?.length ?? 0
    return { finding: 'happened', because: `the turn is ${turn.status}, and created ${made === 0 ? 'nothing' : made}` }
  } catch (error) {
    if (error instanceof ApiError && error.code === 'local-only') return UNKNOWN
    throw error
  }
}

/**
 * Reads back a message of a chat. It is in its session, or in a new session that began then. Others may send the same
 * text.
 */
async function chatReadBack({ client, entry, options }: ReadBackContext): Promise<ReadBackAnswer> {
  const { projectId, body } = entry.input as InputOf<typeof contract.chats.say>
  const begun = async () => await client.items(contract.sessions.list, { projectId, sourceType: 'direct' }, options)
  const ids =
    body.sessionId === undefined
      ? (await begun()).filter(({ startedAt }) => isFromThen({ createdAt: startedAt }, entry)).map(({ id }) => id)
      : [body.sessionId]
  for (const sessionId of ids) {
    const { messages } = await client.chats.get({ projectId, sessionId }, options)
    if (messages.some(({ text, createdAt }) => text === body.text && isFromThen({ createdAt }, entry)))
      return sign(`session ${sessionId} has it`, 'who said it')
  }
  return { finding: 'did-not-happen', because: 'no session has it' }
}

async function rerunReadBack(context: ReadBackContext): Promise<ReadBackAnswer> {
  const source = placeOf(context.entry.input as Place)
  const { suiteId } = await context.client.runs.get(source, context.options)
  const knownRunIds = new Set([...context.knownRunIds, source.runId])
  return await runsOfThen({ ...context, knownRunIds }, suiteId)
}

async function launchReadBack(context: ReadBackContext): Promise<ReadBackAnswer> {
  const { body } = context.entry.input as InputOf<typeof contract.runs.create>
  if (body.suiteId !== undefined) return await runsOfThen(context, body.suiteId)
  const suite = await inList(
    contract.suites.list,
    context,
    item => item['name'] === body.suiteName && isFromThen(item, context.entry),
  )
  if (!suite) return { finding: 'did-not-happen', because: `no new suite ${body.suiteName ?? ''} is there` }
  return await runsOfThen(context, String(suite['id']))
}

/**
 * Looks for runs that match the request. No answer says who launched a run, so a single match is likely, not proven.
 */
async function runsOfThen(context: ReadBackContext, suiteId: string): Promise<ReadBackAnswer> {
  const { client, entry, knownRunIds, hasRivals, options } = context
  const { projectId } = entry.input as Place
  const { items } = await client.runs.list({ projectId, suiteId, limit: LATEST_RUNS }, options)
  const ours = items.filter(
    run =>
      isFromThen(run, entry) && !knownRunIds.has(run.id) && (run.source ?? 'api') === 'api' && isAsWanted(run, entry),
  )
  const [first] = ours
  const oldest = items.at(-1)
  if (!first && oldest && items.length >= LATEST_RUNS && toEpochMs(oldest.createdAt)! > timeOf(entry).first)
    return { finding: 'cannot-be-known', because: `only the latest ${LATEST_RUNS} runs of the suite can be read` }
  if (!first) {
    const because = `no run of the suite began then${sinceThen(items, entry, knownRunIds)}`
    return { finding: 'did-not-happen', because }
  }
  const seen =
    ours.length > 1
      ? `${ours.length} runs of the suite began then`
      : `${runName(first)} began then and is ${first.status}`
  return {
    ...sign(seen, `who launched ${ours.length > 1 ? 'them' : 'it'}`),
    // A run does not name its cases, so it may be of another part of the suite.
    ...(ours.length === 1 && !hasRivals && !caseIdsOf(entry) && { result: { runId: first.id } }),
  }
}

function caseIdsOf({ input }: JournalEntry): readonly unknown[] | undefined {
  const ids = asFields(input['body'])['caseIds']
  return Array.isArray(ids) ? ids : undefined
}

/** Whether the fields of a run match the request. A missing field proves nothing. */
function isAsWanted(run: EvalRun, entry: JournalEntry): boolean {
  const { notes, environment, client } = run
  const wanted: Fields = { ...asFields(entry.input['body']), cases: caseIdsOf(entry)?.length }
  const shown = { notes, environmentId: environment?.id, namedHostId: client?.id, cases: run['selectedCaseCount'] }
  return Object.entries(shown).every(
    ([name, value]) => value == null || wanted[name] === undefined || wanted[name] === value,
  )
}

/** Names the runs that were launched since the write, which a person should know before launching the same run late. */
function sinceThen(runs: readonly EvalRun[], entry: JournalEntry, knownRunIds: ReadonlySet<string>): string {
  const { last } = timeOf(entry)
  const [newest, ...others] = runs.filter(
    ({ id, createdAt }) => !knownRunIds.has(id) && createdAt != null && toEpochMs(createdAt)! > last,
  )
  if (!newest) return ''
  const more = others.length > 0 ? ` and ${others.length} more` : ''
  return `, and since then ${runName(newest)}${more} was launched`
}

/** Maximum number of scenarios that are read, with one request each, to find the scenario of an environment. */
const MOST_SCENARIOS = 50

/**
 * Reads back a publish. The list does not contain the environments of scenarios, so each scenario is read until one
 * matches.
 */
function publishedReadBack(whenThere: Finding): ReadBack {
  const whenGone: Finding = whenThere === 'happened' ? 'did-not-happen' : 'happened'
  return async context => {
    const { client, entry, options } = context
    const { projectId, environmentId } = entry.input as { projectId: string; environmentId: string }
    let looked = 0
    for await (const { items } of client.pages(contract.scenarios.list, { projectId }, options))
      for (const { id, name } of items) {
        looked += 1
        const because = `only ${MOST_SCENARIOS} of its scenarios were read`
        if (looked > MOST_SCENARIOS) return { finding: 'cannot-be-known', because }
        const detail = await scenarioOf(context, projectId, id)
        if (detail && detail.environmentId == null)
          return { finding: 'cannot-be-known', because: 'the service does not report what its scenarios publish' }
        if (detail?.environmentId === environmentId)
          return { finding: whenThere, because: `${name} publishes the environment` }
      }
    return { finding: whenGone, because: 'no scenario publishes the environment' }
  }
}

/** Returns undefined if it was deleted meanwhile. */
async function scenarioOf({ client, options }: ReadBackContext, projectId: string, scenarioId: string) {
  return await unlessMissing(client.userTesting.get({ projectId, scenarioId }, options))
}

async function rebindReadBack(context: ReadBackContext): Promise<ReadBackAnswer> {
  const { projectId, scenarioId, body } = context.entry.input as InputOf<typeof contract.userTesting.rebind>
  const detail = await scenarioOf(context, projectId, scenarioId)
  if (!detail) return { finding: 'cannot-be-known', because: 'the scenario is gone' }
  if (detail.environmentId == null)
    return { finding: 'cannot-be-known', because: 'the service does not report its environment' }
  return detail.environmentId === body.environmentId
    ? { finding: 'happened', because: 'it points at that environment' }
    : { finding: 'did-not-happen', because: 'it points at another environment' }
}

/**
 * Reads back a new link. No read shows which link is valid, so a change of the scenario at that time is a sign, but no
 * proof.
 */
async function rotateReadBack({ client, entry, options }: ReadBackContext): Promise<ReadBackAnswer> {
  const { projectId, scenarioId } = entry.input as { projectId: string; scenarioId: string }
  const { updatedAt } = await client.scenarios.get({ projectId, scenarioId }, options)
  const changedAt = updatedAt == null ? undefined : toEpochMs(updatedAt)
  if (changedAt === undefined)
    return { finding: 'cannot-be-known', because: 'the service does not report when it was changed' }
  const because =
    changedAt < timeOf(entry).first
      ? 'the last change that the service reports was before; which link works now is not known'
      : 'the scenario was changed then or later; which link works now is not known'
  return { finding: 'cannot-be-known', because }
}

/** Reads back the settings of a repository. They are the whole effect, no matter who made the change. */
async function repoReadBack({ client, entry, options }: ReadBackContext): Promise<ReadBackAnswer> {
  const { organizationId, body } = entry.input as InputOf<typeof contract.checkRepos.connect>
  for await (const { available, items } of client.pages(contract.checkRepos.list, { organizationId }, options)) {
    if (available === false) return UNKNOWN
    if (items.some(({ repo, suiteId }) => repo === body.repo && suiteId === body.suiteId))
      return { finding: 'happened', because: `${body.repo} runs the suite` }
  }
  return { finding: 'did-not-happen', because: `${body.repo} does not run the suite` }
}

function placeOf({ projectId, runId }: Place): Place {
  return { projectId, runId }
}

/** Fields of a body that say what is to be changed, and are no part of the change. */
const CONDITIONS: ReadonlySet<string> = new Set(['expectedConfigId', 'expectedName', 'expectedRevision'])

/**
 * Returns how much of a change a record shows: `all` of it, `part` if the record lacks other fields of it, `not` if a
 * plain value differs, or `nothing` if it proves neither. Nested values only have to contain what was sent.
 */
function shows(record: Fields, change: unknown): 'all' | 'part' | 'not' | 'nothing' {
  const sent = Object.entries(asFields(change)).filter(([name]) => !CONDITIONS.has(name))
  const shown = sent.filter(([name]) => record[name] !== undefined)
  if (shown.length === 0) return 'nothing'
  const missing = shown.filter(([name, sent]) => !contains(record[name], sent))
  // Shown fields may have had these values before, so they prove nothing about a field that is not shown.
  if (missing.length === 0) return shown.length < sent.length ? 'part' : 'all'
  return missing.some(([, value]) => typeof value !== 'object' || value === null) ? 'not' : 'nothing'
}

function contains(value: unknown, sent: unknown): boolean {
  if (typeof sent !== 'object' || sent === null) return value === sent
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== Array.isArray(sent)) return false
  if (Array.isArray(sent) && sent.length !== (value as unknown[]).length) return false
  return Object.entries(sent).every(([name, part]) => contains((value as Fields)[name], part))
}

/** Reads back a launch. A run with its wave id proves it, because that id is created for the launch. */
async function waveReadBack({ client, entry, knownRunIds, options }: ReadBackContext): Promise<ReadBackAnswer> {
  const { projectId, journeyId, body } = entry.input as InputOf<typeof contract.journeyRuns.launch>
  if (body?.waveId === undefined) return UNKNOWN
  let statesWaves = false
  for await (const { items } of client.pages(contract.journeyRuns.list, { projectId, journeyId }, options))
    for (const { id, waveId } of items) {
      if (waveId === body.waveId && !knownRunIds.has(id))
        return { finding: 'happened', because: `it is run ${id}`, result: { id } }
      statesWaves ||= waveId != null
    }
  // If the feature is off, the list is empty. An empty list, or runs without wave ids, prove nothing.
  return statesWaves ? { finding: 'did-not-happen', because: 'no run of its wave is there' } : UNKNOWN
}
