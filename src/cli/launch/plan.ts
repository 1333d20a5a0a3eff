import { ApiError } from '../../api/client/errors/api-error.ts'
import type { Client } from '../../api/client/client.ts'
import type { EvalCase, EvalSuiteDetail } from '../../api/contract/suites.ts'
import { advice } from '../../api/client/errors/error-advice.ts'
import { asksModel } from '../../api/contract/runs.ts'
import { suiteFaults, type KnownTools } from '../../domain/suites/case-faults.ts'
import { fileOf, type SuiteFile } from '../../domain/suites/suite-file.ts'
import { namesOf } from '../../domain/suites/suite-form.ts'
import { listModels } from '../../domain/suites/suite-store.ts'
import { lastPassOf } from '../../domain/watching/watched-suite.ts'
import type { ToolListing } from '../../domain/runs/comparison-tools.ts'
import { launchObstacle, type LaunchObstacle } from '../../domain/runs/launch-rules.ts'
import { launchSize } from '../../domain/runs/launch-size.ts'
import { plural } from '../../lib/format.ts'
import { LAUNCH_COST } from '../../domain/runs/labels.ts'
import { clean } from '../../tui/theme/text.ts'
import { findOne, listItems, readOne, type Listing } from '../nouns/listing.ts'
import { nounOf } from '../nouns/nouns.ts'
import { readSuiteAt } from '../documents/files.ts'
import { errorLine } from '../output/report-error.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { selectCases, type SelectionOptions } from './selection.ts'

/** Options of `mcpdeck run` for the launch; resources are given by id or name. */
export type LaunchOptions = SelectionOptions & {
  environment: string[]
  client: string[]
  server: string[]
  model?: string
  iterations?: number
  notes?: string
  modelKeyEnv: string[]
  modelKeyFile: string[]
}

/** A launch with ids that satisfies the contract's rules. */
export type LaunchPlan = {
  suite: { id: string; name: string }
  detail: EvalSuiteDetail
  /** The cases to run. */
  cases: readonly EvalCase[]
  /** All cases of the suite. */
  allCases: readonly EvalCase[]
  environmentIds: readonly string[]
  clientIds: readonly string[]
  serverIds: readonly string[]
  caseIds: readonly string[]
  /** Describes the effects in sentences. */
  lines: readonly string[]
  /** Names of the targets, by id. */
  names: ReadonlyMap<string, string>
}

/**
 * Looks up everything that a launch names, validates it by the contract's rules and describes its effects; only reads.
 * @throws UsageError if the service would refuse it
 * @throws EmptyShard if `--shard` leaves no case
 * @throws ApiError if reading fails
 */
export async function planLaunch(
  client: Client,
  projectId: string,
  wanted: string,
  own: LaunchOptions,
): Promise<LaunchPlan> {
  const written = own.casesOf === undefined ? undefined : await readSuiteAt(own.casesOf)
  const find = finderOf(client, projectId)
  const suite = (await readOne(find('suites'), wanted)) as EvalSuiteDetail
  const attached = attachedClients(suite)
  const [environmentIds, serverIds] = [
    await idsOf(find('environments'), own.environment),
    await idsOf(find('servers'), own.server),
  ]
  const clientIds = [...new Set(own.client.map(text => clientId(suite, text)))]
  const names = new Map(attached)
  const obstacle = launchObstacle(suite, { environmentIds, clientIds, serverIds })
  if (obstacle) throw new UsageError(await refusalOf(obstacle, find('environments'), attached))
  const selection = await selectCases(client, { projectId, suiteId: suite.id }, own, written)
  const { cases, allCases } = selection
  const used = environmentIds.length + clientIds.length > 0 ? environmentIds : (suite.environmentIds ?? [])
  const where: string[] = []
  for (const id of used) where.push(await environmentLine(client, projectId, id, names))
  for (const id of clientIds) where.push(`Client ${attached.get(id) ?? id}.`)
  if (where.length === 0) where.push(serversLine(suite, own.server))
  return {
    suite: { id: suite.id, name: suite.name ?? suite.id },
    detail: suite,
    cases,
    allCases,
    environmentIds,
    clientIds,
    serverIds,
    caseIds: selection.isAll ? [] : cases.map(({ id }) => id),
    lines: [
      casesLine(suite, cases, own),
      ...selection.lines,
      ...where,
      modelLine(suite, cases, own),
      ...(await faultLines(client, projectId, { suite, cases, own })),
      LAUNCH_COST,
    ],
    names,
  }
}

/** Maximum number of faults that are listed individually. */
const MOST_FAULTS = 10

/**
 * Lists probable mistakes in the cases, according to the models that the service lists and the tools that the last
 * passed run of the suite saw, as far as they can be read. A launch that does not use the saved servers may have other
 * tools.
 */
async function faultLines(
  client: Client,
  projectId: string,
  { suite, cases, own }: { suite: EvalSuiteDetail; cases: readonly EvalCase[]; own: LaunchOptions },
): Promise<string[]> {
  const targets = [suite.hosts, suite.environmentIds, own.environment, own.client, own.server]
  const isSaved = targets.every(list => (list?.length ?? 0) === 0)
  const file = withModel(fileOf(suite, cases, namesOf([], [])), isSaved, own.model)
  // The person's own keys give access to other models.
  const isForeign = own.modelKeyEnv.length + own.modelKeyFile.length > 0
  const models = isForeign || !cases.some(asksModel) ? undefined : await listModels(client)
  const seen = isSaved ? await lastPassOf(client, projectId, suite.id).catch(unlessOther) : undefined
  const faults = suiteFaults(file, knownTools(file, seen?.listings ?? []), models)
  const more = faults.length - MOST_FAULTS
  return [
    ...faults.slice(0, MOST_FAULTS).map(fault => `Warning: ${clean(fault)}`),
    ...(more > 0 ? [`Warning: and ${more} more.`] : []),
    ...(seen && faults.length > 0 ? ['Tools are taken as the last passed run of the suite saw them.'] : []),
  ]
}

/** Returns the suite with the model for its cases; an environment or a client may set its own. */
function withModel({ suite, cases }: SuiteFile, isSaved: boolean, model: string | undefined): SuiteFile {
  if (model !== undefined)
    return { suite: { ...suite, model }, cases: cases.map(({ models: _models, ...form }) => form) }
  return { suite: { ...suite, model: isSaved ? suite.model : undefined }, cases }
}

/** Returns the known tools; servers that were never listed may have any tool. */
function knownTools({ suite, cases }: SuiteFile, listings: readonly ToolListing[]): KnownTools {
  const named = cases.flatMap(({ steps }) => steps.flatMap(({ serverName }) => serverName ?? []))
  return new Map<string, ReadonlyMap<string, unknown> | undefined>([
    ...[...(suite.servers ?? []), ...named].map(name => [name, undefined] as const),
    ...listings.map(
      ({ serverName, tools }) => [serverName, new Map(tools.map(tool => [tool.name, tool.inputSchema]))] as const,
    ),
  ])
}

/** Ignores a failed read of optional information; throws any other error. */
function unlessOther(error: unknown): undefined {
  if (!(error instanceof ApiError)) throw error
}

function finderOf(client: Client, projectId: string) {
  return (name: string): Listing => {
    const noun = nounOf(name)
    if (!noun) throw new Error(`there is no noun ${name}`)
    return { client, noun, fields: { projectId } }
  }
}

async function idsOf(listing: Listing, texts: readonly string[]): Promise<string[]> {
  const ids: string[] = []
  for (const text of texts) ids.push(String((await findOne(listing, text))['id']))
  return [...new Set(ids)]
}

function attachedClients({ hosts }: EvalSuiteDetail): Map<string, string> {
  return new Map((hosts ?? []).map(({ id, name }) => [id, clean(name)]))
}

/**
 * Returns the id of a client. Only attached clients can be chosen, so a name is looked up among them; the contract's
 * rules check any other id.
 */
function clientId({ hosts }: EvalSuiteDetail, text: string): string {
  const named = (hosts ?? []).filter(({ id, name }) => id === text || name === text)
  if (named.length > 1 && !named.some(({ id }) => id === text))
    throw new UsageError(
      `There are ${named.length} clients "${clean(text)}"; name one by its id: ` +
        `${named.map(({ id }) => id).join(', ')}.`,
    )
  return (named.find(({ id }) => id === text) ?? named[0])?.id ?? text
}

async function refusalOf(
  { reason, sentence, candidates }: LaunchObstacle,
  environments: Listing,
  clients: ReadonlyMap<string, string>,
): Promise<string> {
  const words = advice[reason]
  const names: string[] = []
  if (candidates.length > 0) {
    const known = new Map(clients)
    for await (const { id, name } of listItems(environments)) known.set(String(id), clean(String(name ?? id)))
    names.push(...candidates.map(id => `${known.get(id) ?? 'an environment that is archived or gone'} (${id})`))
  }
  const said = sentence ?? (typeof words.sentence === 'string' ? words.sentence : words.title)
  const option = OPTIONS[reason] ?? ''
  return `${said}${option ? ` ${option}` : ''}${names.length > 0 ? ` Attached: ${names.join(', ')}.` : ''}`
}

/** The command-line option to use for each reason. */
const OPTIONS: Partial<Record<LaunchObstacle['reason'], string>> = {
  ENVIRONMENT_REQUIRED: 'Choose with --environment; several make a run group.',
  ENVIRONMENT_NOT_ATTACHED: 'Attach it to the suite first, or choose another.',
  ENVIRONMENT_SERVERS_NOT_OVERRIDABLE: 'Leave --server out.',
  NO_SAVED_SERVER_SELECTION: 'Choose the servers with --server.',
  HETEROGENEOUS_TARGETS: 'Name environments or clients, not both.',
}

function casesLine(suite: EvalSuiteDetail, cases: readonly EvalCase[], { iterations, model }: LaunchOptions): string {
  const { trials } = launchSize(suite, cases, { iterations, oneModel: model !== undefined })
  return `${clean(suite.name ?? suite.id)}: ${plural(cases.length, 'case')}, ${plural(trials, 'trial')}.`
}

/**
 * Describes what the environment resolves to now. An environment that cannot run is reported, and left to the service
 * to refuse.
 */
async function environmentLine(
  client: Client,
  projectId: string,
  environmentId: string,
  names: Map<string, string>,
): Promise<string> {
  try {
    const resolved = await client.environments.resolve({ projectId, environmentId })
    const { environment, hostName, servers, effectiveModelId, modelId } = resolved
    const name = clean(environment.name ?? environment.id)
    names.set(environmentId, name)
    const parts = [
      hostName && `client ${clean(hostName)}`,
      servers?.length && `servers ${servers.map(each => clean(each.name ?? each.serverId)).join(', ')}`,
      (effectiveModelId ?? modelId) && `model ${clean(effectiveModelId ?? modelId ?? '')}`,
    ].filter(Boolean)
    return `Environment ${name}, revision ${environment.revision}${parts.length > 0 ? `: ${parts.join('; ')}` : ''}.`
  } catch (error) {
    if (error instanceof ApiError && error.code === 'CONFLICT')
      throw new UsageError(`Environment ${environmentId} cannot run now. ${errorLine(error)}`)
    throw error
  }
}

function serversLine({ environment, hosts }: EvalSuiteDetail, named: readonly string[]): string {
  if (named.length > 0) return `Servers ${named.map(clean).join(', ')}, instead of the saved ones.`
  if (hosts?.length)
    return `${hosts.length === 1 ? 'Client' : 'Clients'} ${hosts.map(({ name }) => clean(name)).join(', ')}.`
  return `Servers ${(environment?.servers ?? []).map(clean).join(', ')}.`
}

function modelLine({ executionConfig }: EvalSuiteDetail, cases: readonly EvalCase[], { model }: LaunchOptions): string {
  if (model !== undefined) return `Model ${clean(model)}, for every case.`
  const models = new Set(cases.flatMap(each => (each.models ?? []).map(entry => clean(entry.model))))
  if (models.size > 0) return `Models of the cases: ${[...models].join(', ')}.`
  return executionConfig?.model
    ? `Model ${clean(executionConfig.model)}, unless the environment or client has its own.`
    : 'Model as the environment or client says; steps that only call tools need none.'
}
