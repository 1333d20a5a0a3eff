import type * as z from 'zod'
import { asksModel, type EvalRunCreateRequest } from '../../api/contract/runs.ts'
import { upsertCases, type CaseRow } from '../cases/records.ts'
import { findClient, serversOfClient } from '../clients/clients.ts'
import { ServiceError } from '../core/errors.ts'
import { digest } from '../core/ids.ts'
import { passThreshold } from '../evals/grading.ts'
import { toMatchOptions } from '../evals/call-matching.ts'
import type { CaseSnapshot } from '../evals/types.ts'
import type { ServiceContext } from '../core/context.ts'
import type { Caller } from '../core/access.ts'
import { isUsableKey } from '../models/endpoint.ts'
import type { ProjectRow } from '../core/database/rows.ts'
import type { RunPlan, RunRow } from './rows.ts'
import type { Store } from '../core/database/store.ts'
import type { SuiteRow } from '../suites/rows.ts'
import { attachableClients, requireConfigurable, insertSuite, withProvider } from '../suites/records.ts'
import { invalidField } from '../core/validation.ts'
import { offeredModels, requireExecutable, type OfferedModels, snapshotCases } from './snapshots.ts'
import { beginRun, commitRun, insertRun, type LaunchReply, type Prepared } from './engine.ts'
import {
  chooseTarget,
  requireParallel,
  requireServers,
  requireUnchanged,
  someServers,
  type RunTarget,
} from '../suites/target.ts'
export type RunCreate = z.output<typeof EvalRunCreateRequest>
type Upserted = ReturnType<typeof upsertCases>
const NO_UPSERTS: Upserted = { committed: [], failed: [] }

export type Launcher = { project: ProjectRow; caller: Pick<Caller, 'keyId'> }

/**
 * Creates and starts a run, or writes nothing.
 * @throws ServiceError `VALIDATION_ERROR`, `NOT_FOUND`, `CONFLICT`, `RATE_LIMITED` with `CONCURRENT_RUN_LIMIT`
 */
export async function createRun(
  context: ServiceContext,
  launcher: Launcher,
  body: RunCreate,
  { idempotencyKey, signal }: { idempotencyKey: string | undefined; signal: AbortSignal },
): Promise<LaunchReply> {
  const { store } = context
  refuseContradictions(body)
  const offered = await offeredFor(context, body, signal)
  const key = idempotencyKey ?? body.idempotencyKey
  const scope = `runs.create/${launcher.project.id}/${launcher.caller.keyId}`
  const { idempotencyKey: _key, modelApiKeys, ...content } = body
  const bodyDigest = digest(content)
  context.runs.settleAbandoned()
  const prepared = commitRun(context, () => {
    const earlier = key === undefined ? undefined : store.idempotency.find(scope, key)
    if (earlier) return { reply: repeatedReply(store, earlier, bodyDigest) }
    const created = withKeys(prepareRun(context, launcher, body, { offered }), modelApiKeys)
    if (key !== undefined) store.idempotency.insert(scope, key, bodyDigest, created.reply)
    return created
  })
  return beginRun(context, prepared)
}

/** Runs cases of an ended run again, unchanged. @throws ServiceError `CONFLICT`, `VALIDATION_ERROR` */
export async function repeatCases(
  context: ServiceContext,
  launcher: Launcher,
  { run: source, cases }: { run: RunRow; cases: CaseSnapshot[] },
  signal: AbortSignal,
): Promise<LaunchReply> {
  const { store } = context
  requireExecutable(cases, context.models, await offeredModels(context.models, cases, signal))
  context.runs.settleAbandoned()
  const prepared = commitRun(context, () => {
    const servers = source.plan.servers.map(({ id, name }) => {
      const server = store.servers.get(source.projectId, id)
      if (!server) throw new ServiceError('CONFLICT', `The server "${name}" of this run was deleted.`)
      return server
    })
    const { suiteId, suiteName, modelSource, groupId } = source
    const fields = { suiteId, suiteName, modelSource, groupId, rerunOf: source.id }
    // The new run counts separately against the limit on runs, even if the earlier run was part of a group.
    const { slotId: _slot, ...kept } = source.plan
    const plan = { ...kept, servers: servers.map(({ id, name }) => ({ id, name })) }
    return insertRun(context, launcher.project, { fields, plan, cases, servers })
  })
  return beginRun(context, prepared)
}

/** Adds the caller's keys to the execution. They are no part of the run, because everything in it is stored. */
function withKeys(prepared: Prepared, modelApiKeys: RunCreate['modelApiKeys']): Prepared {
  if (!prepared.launch || !modelApiKeys) return prepared
  return { ...prepared, launch: { ...prepared.launch, modelApiKeys } }
}

/**
 * Returns the reply to the earlier request with the same key, with the current status of its run. @throws ServiceError
 * `CONFLICT` for another request
 */
export function repeatedReply(
  store: Store,
  earlier: { digest: string; reply: unknown },
  bodyDigest: string,
): LaunchReply {
  if (earlier.digest !== bodyDigest)
    throw new ServiceError('CONFLICT', 'This idempotency key was already used for another run.', {
      details: { field: 'idempotencyKey' },
    })
  const reply = earlier.reply as LaunchReply
  return { ...reply, status: store.runs.status(reply.runId) ?? reply.status, deduped: true }
}

/** Returns the models that the configured endpoint offers, if the launch may use one of them. */
export function offeredFor(
  { store, models }: ServiceContext,
  { suiteId, tests = [] }: Pick<RunCreate, 'suiteId' | 'tests'>,
  signal: AbortSignal,
): Promise<OfferedModels> {
  const saved = suiteId === undefined ? [] : store.cases.list(suiteId).map(row => row.definition)
  return offeredModels(models, [...saved, ...tests], signal)
}

/** What a launch additionally knows if it is part of a group. */
type Membership = {
  /** Id of the group, whose runs count as one against the limit. */
  slotId: string
  /** The target that was chosen before the transaction began. */
  planned: RunTarget
}

/** Writes the run in the caller's transaction. @throws ServiceError as {@link createRun} */
export function prepareRun(
  context: ServiceContext,
  launcher: Launcher,
  body: RunCreate,
  { membership, offered }: { membership?: Membership; offered?: OfferedModels } = {},
): Prepared {
  const { store } = context
  const { suite, target, caseUpsert } = suiteFor(store, launcher, body)
  if (membership) requireUnchanged(target, membership.planned)
  const { servers } = target
  if (isRefresh(body))
    store.suites.update({
      ...suite,
      settings: { ...suite.settings, serverIds: servers.map(({ id }) => id) },
      updatedAt: Date.now(),
    })
  const rows = casesFor(store, suite, body, caseUpsert)
  const cases = snapshotCases(withDefaultModel(suite, target), rows, {
    iterations: body.iterationOverride,
    matchOptions: body.matchOptionsOverride && toMatchOptions(body.matchOptionsOverride, 'matchOptionsOverride'),
    model: body.model ?? target.model?.id,
  })
  requireExecutable(cases, context.models, offered, body.modelApiKeys)
  const { minimumAccuracy } = suite.settings
  const plan: RunPlan = {
    servers: servers.map(({ id, name }) => ({ id, name })),
    threshold: passThreshold({ minimumPassRate: body.passCriteria?.minimumPassRate, minimumAccuracy }),
    ...(target.environment && { environment: target.environment }),
    ...(target.client && { client: target.client }),
    ...(membership && { slotId: membership.slotId }),
    ...(suite.settings.judge && { judge: suite.settings.judge }),
  }
  const fields = {
    suiteId: suite.id,
    suiteName: suite.name,
    modelSource: modelSourceOf(body.model, target, rows, cases),
    notes: body.notes,
    groupId: body.runGroupId,
  }
  const prepared = insertRun(context, launcher.project, { fields, plan, cases, servers })
  return { ...prepared, reply: { ...prepared.reply, caseUpsert } }
}

/** Refuses fields that the contract does not allow together, before anything is read or written. */
function refuseContradictions(body: RunCreate): void {
  const { suiteId, suiteName, environmentId, serverIds, serverNames, tests, suiteRerun, caseIds } = body
  if (suiteId !== undefined && suiteName !== undefined)
    throw invalidField('suiteName', 'names a new suite and cannot be sent together with suiteId')
  if (suiteRerun && tests?.length) throw invalidField('tests', 'cannot be sent with suiteRerun')
  if (suiteId === undefined && caseIds) throw invalidField('caseIds', 'needs suiteId')
  requireParallel(serverIds, serverNames)
  for (const [provider, key] of Object.entries(body.modelApiKeys ?? {}))
    if (!isUsableKey(key)) throw invalidField(`modelApiKeys.${provider}`, 'is not a key that can be sent')
  if (environmentId === undefined) return
  if (body.namedHostId !== undefined) throw invalidField('namedHostId', 'cannot be sent together with environmentId')
  if (suiteId === undefined) throw invalidField('environmentId', 'needs suiteId')
  if (serverIds) throw invalidField('serverIds', 'cannot be sent together with environmentId')
}

/**
 * Returns the suite and the target of a launch. The suite is a saved one, to which the request's clients and cases are
 * added, or a new one.
 */
function suiteFor(store: Store, { project, caller }: Launcher, body: RunCreate) {
  const { suiteId, hosts, tests = [] } = body
  if (suiteId !== undefined) {
    const saved = store.suites.require(project.id, suiteId)
    // `refreshSnapshot` overwrites the suite's saved servers.
    if (hosts || tests.length > 0 || isRefresh(body)) requireConfigurable(store, saved)
    const suite = withClients(store, saved, hosts)
    const target = chooseTarget(store, suite, body)
    return { suite, target, caseUpsert: tests.length > 0 ? upsertCases(store, suite, tests) : NO_UPSERTS }
  }
  const { suiteName = '', suiteDescription, passCriteria } = body
  const serverIds = body.serverIds ?? serversOfHosts(store, project.id, hosts)
  const created = { name: suiteName, description: suiteDescription, serverIds, passCriteria }
  const { suite: bare } = insertSuite(store, project.id, caller.keyId, created)
  const caseUpsert = upsertCases(store, bare, tests)
  const suite = withClients(store, bare, hosts)
  return { suite, target: chooseTarget(store, suite, body), caseUpsert }
}

/** Whether the launch saves its servers as the suite's selection. */
function isRefresh({ refreshSnapshot, serverIds }: RunCreate): boolean {
  return refreshSnapshot === true && serverIds !== undefined
}

/** Attaches the request's clients to the suite before the launch ("Environment rules" 6). */
function withClients(store: Store, suite: SuiteRow, hosts: RunCreate['hosts']): SuiteRow {
  if (!hosts) return suite
  const clients = attachableClients(store, suite.projectId, hosts)
  const updated = { ...suite, settings: { ...suite.settings, clients }, updatedAt: Date.now() }
  store.suites.update(updated)
  return updated
}

/** Returns the servers of the named clients without repetition, as the saved selection of a new suite. */
function serversOfHosts(store: Store, projectId: string, hosts: RunCreate['hosts'] = []): string[] {
  const servers = hosts.flatMap(({ host, servers: named }) =>
    named ? requireServers(store, projectId, named) : serversOfClient(store, findClient(store, projectId, host)),
  )
  return someServers(servers).map(({ id }) => id)
}

/** Uses the client's model instead of the suite's for cases that name no model. */
function withDefaultModel(suite: SuiteRow, { defaultModel }: RunTarget): SuiteRow {
  if (defaultModel === undefined) return suite
  const { provider: _provider, ...kept } = suite.settings.executionConfig ?? {}
  const executionConfig = { ...kept, ...withProvider({ model: defaultModel }) }
  return { ...suite, settings: { ...suite.settings, executionConfig } }
}

function casesFor(store: Store, suite: SuiteRow, { caseIds, tests }: RunCreate, { failed }: Upserted): CaseRow[] {
  const all = store.cases.list(suite.id)
  if (all.length === 0) throw invalidField(tests ? 'tests' : 'suiteId', failed[0]?.error ?? 'the suite has no cases')
  if (!caseIds) return all
  const chosen = all.filter(({ id }) => caseIds.includes(id))
  if (chosen.length === 0) throw new ServiceError('NOT_FOUND', 'None of the named cases is in this suite.')
  const unknown = caseIds.filter(id => !chosen.some(row => row.id === id))
  if (unknown.length > 0) throw invalidField('caseIds', `not in this suite: ${unknown.join(', ')}`)
  return chosen
}

/**
 * Returns where the run's models come from (contract: "modelSource"): `case` if and only if the cases have exactly one
 * model between them.
 */
function modelSourceOf(
  override: string | undefined,
  { model, defaultModel }: RunTarget,
  rows: readonly CaseRow[],
  cases: readonly CaseSnapshot[],
): RunRow['modelSource'] {
  if (override !== undefined) return 'override'
  if (model) return model.source
  if (defaultModel !== undefined && rows.every(row => row.definition.models.length === 0)) return 'client_default'
  const models = new Set(cases.filter(asksModel).map(each => each.model))
  return models.size === 1 && !models.has(undefined) ? 'case' : undefined
}
