import { runName, type EvalRun, isTerminalRunStatus } from '../../contract/runs.ts'
import { ApiError } from '../errors/api-error.ts'
import { allEndpoints, contract } from '../../contract/contract.ts'
import { type AnyEndpoint, type InputOf, type OutputOf, pathParameters } from '../../contract/endpoint.ts'
import { toEpochMs } from '../../contract/shapes.ts'
import { localMoment } from '../../../lib/times.ts'
import { serviceOffset } from '../transport/service-time.ts'
import type { Finding, JournalEntry, EntryResult } from '../journal/entry.ts'
import type { CallOptions, Client } from '../client.ts'

/** What reading showed, and the reason in a few words that can follow "because" or a colon. */
export type ReadBackAnswer = {
  finding: Finding
  because: string
  /** What is there that may be of this write, or of somebody else's. */
  seen?: string
  /** What it made where it happened, or what it is likely to have made where that cannot be known. */
  result?: EntryResult
  /** Whether it did not happen and cannot any more, so that there is nothing to decide. */
  isOver?: boolean
  /** Whether the service may still act on the request, so that a later look may find more. */
  isEarly?: boolean
}

type ReadBackContext = {
  client: Client
  endpoint: AnyEndpoint
  entry: JournalEntry
  /** Runs that other writes account for. */
  knownRunIds: ReadonlySet<string>
  /** Whether another open write may have launched a run of the same project. */
  hasRivals: boolean
  /** By this machine's clock, in epoch milliseconds. */
  now: number
  options: CallOptions
}

/** Finds out by reads alone whether a write happened. @throws ApiError when reading fails */
type ReadBack = (context: ReadBackContext) => Promise<ReadBackAnswer>

type Fields = Record<string, unknown>
type Place = { projectId: string; runId: string }

/** How far a time of this machine may be off as the service's, in milliseconds. */
const SKEW_MS = 2 * 60_000
/** How long the service may take to act on a request that has left, in milliseconds. */
const SLOWEST_MS = 10 * 60_000
const LATEST_RUNS = 100

/** Operations whose trace lies elsewhere than under their own path. */
const special: Readonly<Record<string, ReadBack>> = {
  [contract.runs.create.operation]: launchReadBack,
  [contract.runs.rerun.operation]: rerunReadBack,
  [contract.runs.cancel.operation]: cancelReadBack,
  [contract.journeyRuns.launch.operation]: waveReadBack,
  [contract.agent.turn.operation]: turnReadBack,
  [contract.chats.say.operation]: chatReadBack,
  [contract.userTesting.publish.operation]: publishedReadBack('happened'),
  [contract.userTesting.publishPut.operation]: publishedReadBack('happened'),
  [contract.userTesting.unpublish.operation]: publishedReadBack('did-not-happen'),
  [contract.userTesting.rebind.operation]: rebindReadBack,
  [contract.userTesting.rotateLink.operation]: rotateReadBack,
  [contract.userTesting.upsertMember.operation]: noReadBack('the service never lists the members of a scenario'),
  [contract.userTesting.removeMember.operation]: noReadBack('the service never lists the members of a scenario'),
  [contract.userTesting.setGuestExecution.operation]: noReadBack('the service answers guest limits to no read'),
}

/** How to look back at a write, or undefined where the contract shows no way. */
export function readBackOf(endpoint: AnyEndpoint): ReadBack | undefined {
  const way = wayBack(endpoint)
  return way && (async context => soFar(await way(context), context))
}

/** Derived from the contract's paths: a DELETE or PATCH is read at its path, a POST in the list there. */
function wayBack(endpoint: AnyEndpoint): ReadBack | undefined {
  const declared = special[endpoint.operation]
  if (declared) return declared
  const read = readAt(endpoint.path)
  if (endpoint.method === 'POST') return read && listReadBack(read)
  const lookUp = read ? single(read) : inListAbove(endpoint)
  if (!lookUp) return undefined
  return endpoint.method === 'DELETE' ? goneReadBack(lookUp) : changeReadBack(lookUp)
}

/** That nothing came of a request so far proves nothing while the service may still act on it. */
function soFar(answer: ReadBackAnswer, { entry, now }: ReadBackContext): ReadBackAnswer {
  const until = timeOf(entry).last - (serviceOffset() ?? 0)
  if (answer.finding !== 'did-not-happen' || answer.isOver || !entry.sent || now >= until) return answer
  const because = `${answer.because}; the service may still act on it until ${localMoment(until, now)}`
  return { finding: 'cannot-be-known', because, isEarly: true }
}

function readAt(path: string): AnyEndpoint | undefined {
  return allEndpoints().find(other => other.method === 'GET' && other.path === path)
}

/** Reads the thing that a write was about; undefined when it is not there. */
type LookUp = (context: ReadBackContext) => Promise<Fields | undefined>

function single(read: AnyEndpoint): LookUp {
  return async ({ client, entry, options }) => {
    try {
      return (await client.call(read, pathInput(read, entry), options)) as Fields
    } catch (error) {
      if (error instanceof ApiError && error.status === 404 && error.code === 'NOT_FOUND') return undefined
      throw error
    }
  }
}

/** A thing without a read of its own is looked up in the list one level above. */
function inListAbove(endpoint: AnyEndpoint): LookUp | undefined {
  const above = /^(.*)\/\{(\w+)\}$/.exec(endpoint.path)
  const [, path = '', parameter = ''] = above ?? []
  const list = readAt(path)
  return list && (async context => await inList(list, context, item => item['id'] === context.entry.input[parameter]))
}

async function inList(
  list: AnyEndpoint,
  { client, entry, options }: ReadBackContext,
  wanted: (item: Fields) => boolean,
): Promise<Fields | undefined> {
  for await (const page of client.pages(list, pathInput(list, entry), options)) {
    const found = (page as { items?: Fields[] }).items?.find(wanted)
    if (found) return found
  }
  return undefined
}

function goneReadBack(lookUp: LookUp): ReadBack {
  return async context =>
    (await lookUp(context))
      ? { finding: 'did-not-happen', because: 'it is still there' }
      : { finding: 'happened', because: 'it is gone' }
}

function changeReadBack(lookUp: LookUp): ReadBack {
  return async context => {
    const now = await lookUp(context)
    if (!now) return { finding: 'cannot-be-known', because: 'what it was to change is gone' }
    const shown = shows(now, context.entry.input['body'])
    if (shown === 'nothing') return { finding: 'cannot-be-known', because: 'the service does not show these fields' }
    if (shown === 'all')
      return context.entry.complete
        ? { finding: 'happened', because: 'the change is there' }
        : { finding: 'cannot-be-known', because: 'the service does not show its secrets' }
    return { finding: 'did-not-happen', because: 'the change is not there' }
  }
}

/** A name and a time are a sign that it was created, and no proof: a colleague's may be called the same. */
function listReadBack(list: AnyEndpoint): ReadBack | undefined {
  return async context => {
    const body = (context.entry.input['body'] ?? {}) as Fields
    const field = ['name', 'title'].find(name => typeof body[name] === 'string')
    if (field === undefined) return { finding: 'cannot-be-known', because: 'nothing that can be read shows it' }
    const found = await inList(list, context, item => item[field] === body[field] && isFromThen(item, context.entry))
    if (!found) return { finding: 'did-not-happen', because: `no new ${String(body[field])} is there` }
    const seen = `${String(body[field])} is there`
    return { finding: 'cannot-be-known', because: `${seen}; no answer says who created it`, seen }
  }
}

/** When a write can have taken effect, in the service's time; both known clock offsets count. */
function timeOf({ intendedAt, lastSeenAt, serviceOffset: then }: JournalEntry): { first: number; last: number } {
  const now = serviceOffset() ?? 0
  const [least, most] = [Math.min(now, then ?? now), Math.max(now, then ?? now)]
  return { first: intendedAt + least - SKEW_MS, last: lastSeenAt + most + SLOWEST_MS }
}

/** A thing that does not state when it was made counts as made then. */
function isFromThen({ createdAt }: Fields, entry: JournalEntry): boolean {
  const made = typeof createdAt === 'number' || typeof createdAt === 'string' ? toEpochMs(createdAt) : undefined
  const { first, last } = timeOf(entry)
  return made === undefined || (made >= first && made <= last)
}

/** Only the local workspace stores turns, each under the conversation that the request names. */
async function turnReadBack({ client, entry, options }: ReadBackContext): Promise<ReadBackAnswer> {
  const { projectId, body } = entry.input as InputOf<typeof contract.agent.turn>
  const { conversationId, messages } = body
  const unknown: ReadBackAnswer = { finding: 'cannot-be-known', because: 'nothing that can be read shows it' }
  if (conversationId === undefined) return unknown
  try {
    const { items } = await client.agentTurns.list({ projectId, conversationId }, options)
    const asked = messages.at(-1)?.content
    const turn = items.find(each => each.question === asked && isFromThen({ createdAt: each.startedAt }, entry))
    if (!turn) return { finding: 'did-not-happen', because: 'the agent was not asked' }
    const made = turn.createdResources?.length ?? 0
    return { finding: 'happened', because: `the turn is ${turn.status}, and created ${made === 0 ? 'nothing' : made}` }
  } catch (error) {
    if (error instanceof ApiError && error.code === 'local-only') return unknown
    throw error
  }
}

/** What was said stands in its session; a new session is one of those that began then. Others may say the same. */
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
      return {
        finding: 'cannot-be-known',
        because: `session ${sessionId} has it; no answer says who said it`,
        seen: `session ${sessionId} has it`,
      }
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

/** Runs that match the request. No answer states who launched a run, so a single match is likely, not proven. */
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
    finding: 'cannot-be-known',
    because: `${seen}; no answer says who launched ${ours.length > 1 ? 'them' : 'it'}`,
    seen,
    ...(ours.length === 1 && !hasRivals && { result: { runId: first.id } }),
  }
}

/** Whether what a run shows matches the request; a field that it does not show proves nothing. */
function isAsWanted({ notes, environment, client }: EvalRun, { input }: JournalEntry): boolean {
  const wanted = asFields(input['body'])
  const shown = { notes, environmentId: environment?.id, namedHostId: client?.id }
  return Object.entries(shown).every(
    ([name, value]) => value == null || wanted[name] === undefined || wanted[name] === value,
  )
}

/** What was launched meanwhile, which is worth knowing before the same is launched late. */
function sinceThen(runs: readonly EvalRun[], entry: JournalEntry, knownRunIds: ReadonlySet<string>): string {
  const { last } = timeOf(entry)
  const [newest, ...others] = runs.filter(
    ({ id, createdAt }) => !knownRunIds.has(id) && createdAt != null && toEpochMs(createdAt)! > last,
  )
  if (!newest) return ''
  const more = others.length > 0 ? ` and ${others.length} more` : ''
  return `, and since then ${runName(newest)}${more} was launched`
}

async function cancelReadBack({ client, entry, options }: ReadBackContext): Promise<ReadBackAnswer> {
  const run: OutputOf<typeof contract.runs.get> = await client.runs.get(placeOf(entry.input as Place), options)
  if (!isTerminalRunStatus(run.status))
    return { finding: 'did-not-happen', because: `${runName(run)} is still ${run.status}` }
  const because = `${runName(run)} is ${run.status}`
  return run.status === 'cancelled'
    ? { finding: 'happened', because }
    : { finding: 'did-not-happen', because, isOver: true }
}

/** Most scenarios whose environment is read, one request each, to find the one of an environment. */
const MOST_SCENARIOS = 50

/** The list does not state whose environment a scenario is, so each is read until one is of this one. */
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

/** Undefined where it is gone meanwhile. */
async function scenarioOf({ client, options }: ReadBackContext, projectId: string, scenarioId: string) {
  try {
    return await client.userTesting.get({ projectId, scenarioId }, options)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404 && error.code === 'NOT_FOUND') return undefined
    throw error
  }
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

/** No read shows which link holds, so that the scenario was changed then is a sign and no proof. */
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

/** A write whose effect no read shows. */
function noReadBack(because: string): ReadBack {
  return () => Promise.resolve({ finding: 'cannot-be-known', because })
}

function placeOf({ projectId, runId }: Place): Place {
  return { projectId, runId }
}

function pathInput(endpoint: AnyEndpoint, { input }: JournalEntry): Record<string, unknown> {
  return Object.fromEntries(pathParameters(endpoint.path).map(name => [name, input[name]]))
}

/**
 * How much of a change a record shows: `all` of it, `not` where a plain value differs, `nothing` that proves either.
 * Nested values only have to contain what was sent.
 */
function shows(record: Fields, change: unknown): 'all' | 'not' | 'nothing' {
  const shown = Object.entries(asFields(change)).filter(([name]) => record[name] !== undefined)
  if (shown.length === 0) return 'nothing'
  const missing = shown.filter(([name, sent]) => !contains(record[name], sent))
  if (missing.length === 0) return 'all'
  return missing.some(([, sent]) => typeof sent !== 'object' || sent === null) ? 'not' : 'nothing'
}

function contains(value: unknown, sent: unknown): boolean {
  if (typeof sent !== 'object' || sent === null) return value === sent
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== Array.isArray(sent)) return false
  if (Array.isArray(sent) && sent.length !== (value as unknown[]).length) return false
  return Object.entries(sent).every(([name, part]) => contains((value as Fields)[name], part))
}

function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

/** A run with the wave id of a launch proves it, because that id is minted for the launch. */
async function waveReadBack({ client, entry, knownRunIds, options }: ReadBackContext): Promise<ReadBackAnswer> {
  const { projectId, journeyId, body } = entry.input as InputOf<typeof contract.journeyRuns.launch>
  const unknown: ReadBackAnswer = { finding: 'cannot-be-known', because: 'nothing that can be read shows it' }
  if (body?.waveId === undefined) return unknown
  let statesWaves = false
  for await (const { items } of client.pages(contract.journeyRuns.list, { projectId, journeyId }, options))
    for (const { id, waveId } of items) {
      if (waveId === body.waveId && !knownRunIds.has(id))
        return { finding: 'happened', because: `it is run ${id}`, result: { id } }
      statesWaves ||= waveId != null
    }
  // Where the feature is off the list is empty, and where runs name no wave it says as little.
  return statesWaves ? { finding: 'did-not-happen', because: 'no run of its wave is there' } : unknown
}
