import { allTools } from '../../api/client/errors/api-error.ts'
import type { CallOptions, Client } from '../../api/client/client.ts'
import { contract } from '../../api/contract/contract.ts'
import type { EvalCase, EvalSuiteDetail } from '../../api/contract/suites.ts'
import type { KnownTools } from './case-faults.ts'
import type { DuplicatePolicy } from './duplicates.ts'
import { catalogModels } from './offered-models.ts'
import { readNames, type ProjectNames } from './project-names.ts'
import type { TextProblem, YamlDocument } from '../../lib/yaml/yaml-reading.ts'
import { fileOf, type SuiteFile } from './suite-file.ts'
import { planSync, repeatedCase, suiteOfFile, type SyncObstacle, type SyncPlan } from './sync-plan.ts'

/** Returns a stored suite with its cases, as a file. @throws ApiError */
export async function readSuite(client: Client, projectId: string, suiteId: string): Promise<SuiteFile> {
  const names = await readNames(client, projectId)
  const { detail, cases } = await readStored(client, projectId, suiteId)
  return fileOf(detail, cases, names)
}

/** Options of an import. */
export type ImportTarget = {
  /** The suite to update, by id or name, whatever suite the file names. */
  into?: string | undefined
  /** Whether to create a new suite even if one with this id or name exists. */
  asNew?: boolean
  /** Policy for duplicate cases. With `block`, a file that contains some cannot be imported. */
  duplicates?: DuplicatePolicy
}

/**
 * Returns what importing a file would do now, without changing anything.
 * @throws ApiError
 */
export async function readPlan(
  client: Client,
  projectId: string,
  file: SuiteFile,
  { into, asNew = false, duplicates }: ImportTarget = {},
): Promise<{ plan: SyncPlan; names: ProjectNames } | SyncObstacle> {
  const names = await readNames(client, projectId)
  const items = await client.items(contract.suites.list, { projectId })
  const found = asNew ? { suite: undefined } : suiteOfFile(file, items, into)
  if ('obstacle' in found) return found
  const stored = found.suite && (await readStored(client, projectId, found.suite.id))
  const plan = planSync(file, stored, names)
  if ('obstacle' in plan) return plan
  const repeated = duplicates === 'block' ? repeatedCase(plan) : undefined
  return repeated ?? { plan, names }
}

/** Returns an obstacle with the position in the file that it concerns. */
export function placedObstacle({ obstacle, path }: SyncObstacle, { at }: YamlDocument): TextProblem {
  return { ...(path ? at(path) : { line: 1, column: 1 }), message: obstacle }
}

async function readStored(
  client: Client,
  projectId: string,
  suiteId: string,
): Promise<{ detail: EvalSuiteDetail; cases: readonly EvalCase[] }> {
  const target = { projectId, suiteId }
  const [detail, items] = await Promise.all([client.suites.get(target), client.items(contract.cases.list, target)])
  return { detail, cases: items }
}

/** The basis for checking cases: the project's servers, and the tools of those that answered. */
export type CheckBasis = {
  known: KnownTools
  /** Servers that did not list their tools when asked. */
  unlisted: readonly string[]
  /** Returns the models that the service lists; undefined if unknown. */
  models: readonly string[] | undefined
}

/**
 * Reads what the names in cases are checked against. Connects to the named servers to list their tools. If a server
 * does not answer, its tools are not checked.
 * @param wanted names or ids of servers
 * @throws ApiError if the servers of the project cannot be read; the signal's reason if it aborts
 */
export async function readCheckBasis(
  client: Client,
  projectId: string,
  wanted: readonly string[],
  call: CallOptions = {},
): Promise<CheckBasis> {
  const { servers } = await readNames(client, projectId, call)
  const known = new Map<string, Awaited<ReturnType<typeof listTools>>>()
  const unlisted: string[] = []
  await Promise.all(
    servers.map(async ({ id, name }) => {
      const keys = [id, ...(name ? [name] : [])]
      for (const key of keys) known.set(key, undefined)
      if (!keys.some(key => wanted.includes(key))) return
      const tools = await listTools(client, { projectId, serverId: id }, call)
      if (tools) for (const key of keys) known.set(key, tools)
      else unlisted.push(name ?? id)
    }),
  )
  return { known, unlisted, models: await listModels(client, call) }
}

/** Returns the models that the service lists; undefined if unknown. */
export async function listModels(client: Client, call: CallOptions = {}): Promise<readonly string[] | undefined> {
  try {
    return catalogModels(await client.models.list({}, call))
  } catch {
    call.signal?.throwIfAborted()
    return undefined
  }
}

/** Lists the tools that runs see. A server may offer more to clients that answer its requests. */
async function listTools(
  client: Client,
  target: { projectId: string; serverId: string },
  call: CallOptions,
): Promise<ReadonlyMap<string, unknown> | undefined> {
  try {
    const tools = allTools(await client.servers.export(target, call))
    return new Map(tools.map(({ name, inputSchema }) => [name, inputSchema]))
  } catch {
    call.signal?.throwIfAborted()
    return undefined
  }
}
