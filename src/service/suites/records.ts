import type * as z from 'zod'
import type {
  EvalSuiteCreateRequest,
  EvalSuiteDetail,
  EvalSuiteUpdateRequest,
  EvalSuite,
  EvalSuiteCreated,
  EvalSuiteEnvironmentAttached,
  EvalSuiteScheduleRequest,
} from '../../api/contract/suites.ts'
import type { Store } from '../core/database/store.ts'
import { ServiceError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { invalidField } from '../core/validation.ts'
import { passThreshold } from '../evals/grading.ts'
import { toMatchOptions } from '../evals/call-matching.ts'
import type { Assertion } from '../evals/types.ts'
import type { SuiteRow, SuiteSettings, SuiteScheduleRow } from './rows.ts'
import { requireParallel, requireServers, chooseTarget } from './target.ts'
import { findClient } from '../clients/clients.ts'
import { requireLive } from '../environments/environments.ts'
import type { ServiceContext, Handlers } from '../core/context.ts'
import { pageOf } from '../core/list-page.ts'

type SuiteEdit = z.output<typeof EvalSuiteUpdateRequest>
type NewSuite = Omit<z.output<typeof EvalSuiteCreateRequest>, 'model' | 'tests'> & { model?: string }

/** Minimum score that passes an answer if the suite sets none. */
export const DEFAULT_JUDGE_THRESHOLD = 0.7

/** Writes a suite without cases, inside the caller's transaction. */
export function insertSuite(
  store: Store,
  projectId: string,
  createdBy: string,
  body: NewSuite,
  now: number = Date.now(),
) {
  requireParallel(body.serverIds, body.serverNames)
  const servers = requireServers(store, projectId, body.serverIds)
  const settings: SuiteSettings = { serverIds: servers.map(({ id }) => id) }
  if (body.model !== undefined) settings.executionConfig = withProvider({ model: body.model, provider: body.provider })
  const minimumAccuracy = accuracyOf(body.passCriteria)
  if (minimumAccuracy !== undefined) settings.minimumAccuracy = minimumAccuracy
  const suite: SuiteRow = {
    id: newId('ste'),
    projectId,
    name: body.name,
    description: body.description ?? null,
    settings,
    createdBy,
    createdAt: now,
    updatedAt: now,
  }
  store.suites.insert(suite)
  return { suite, servers }
}

/** Edits a suite. Absent fields are kept, and null clears a field if the contract allows it. */
function updateSuite(store: Store, suite: SuiteRow, body: SuiteEdit): SuiteRow {
  refuseImages(body)
  const settings: SuiteSettings = { ...suite.settings }
  if (body.environment?.servers)
    settings.serverIds = requireServers(store, suite.projectId, body.environment.servers).map(({ id }) => id)
  if (body.executionConfig) {
    const { model, ...rest } = body.executionConfig
    const named = model === undefined ? {} : withProvider({ model })
    settings.executionConfig = { ...settings.executionConfig, ...named, ...rest }
  }
  if (body.environmentIds === null) delete settings.environmentIds
  else if (body.environmentIds) settings.environmentIds = attachableEnvironments(store, suite, body.environmentIds)
  if (body.hosts) settings.clients = attachableClients(store, suite.projectId, body.hosts)
  if (body.settings) editSettings(settings, body.settings)
  const updated: SuiteRow = {
    ...suite,
    name: body.name ?? suite.name,
    description: body.description ?? suite.description,
    settings,
    updatedAt: Date.now(),
  }
  store.suites.update(updated)
  return updated
}

function toSuiteDetail(store: Store, suite: SuiteRow): EvalSuiteDetail {
  const { id, name, description, projectId, settings, createdAt, updatedAt } = suite
  const { model, systemPrompt, temperature } = settings.executionConfig ?? {}
  const { enabled = false, autoRun = false, threshold = DEFAULT_JUDGE_THRESHOLD } = settings.judge ?? {}
  const servers = settings.serverIds.flatMap(serverId => store.servers.get(projectId, serverId)?.name ?? [])
  return {
    id,
    name,
    description,
    projectId,
    environment: { servers, computerEnvironment: null },
    executionConfig: settings.executionConfig ? { model, systemPrompt, temperature } : null,
    hosts: toSuiteHosts(store, suite),
    environmentIds: settings.environmentIds ?? [],
    settings: {
      minimumAccuracy: settings.minimumAccuracy ?? null,
      minimumIterations: settings.minimumIterations ?? null,
      matchOptions: settings.matchOptions ?? null,
      checks: settings.checks ?? [],
      judge: { enabled, model: settings.judge?.model ?? null, autoRun, threshold },
    },
    schedule: toSuiteSchedule(store.suiteSchedules.get(id)),
    createdAt,
    updatedAt,
  }
}

/** Returns the pass criterion of a suite in percent, without the rounding error of multiplying a fraction. */
function accuracyOf(criteria: { minimumPassRate?: number | undefined } | undefined): number | undefined {
  const threshold = passThreshold({ minimumPassRate: criteria?.minimumPassRate })
  return threshold === null ? undefined : Number((threshold * 100).toPrecision(12))
}

/** Refuses sandbox images, since there are none in this workspace. */
function refuseImages({ environment }: SuiteEdit): void {
  const image = environment?.computerEnvironment
  if (image != null) throw new ServiceError('NOT_FOUND', `There is no sandbox image ${image} in this project.`)
}

function editSettings(settings: SuiteSettings, edit: NonNullable<SuiteEdit['settings']>): void {
  const { minimumAccuracy, minimumIterations, matchOptions, checks, judge } = edit
  if (minimumAccuracy !== undefined) settings.minimumAccuracy = minimumAccuracy
  if (minimumIterations === null) delete settings.minimumIterations
  else if (minimumIterations !== undefined) settings.minimumIterations = minimumIterations
  if (matchOptions === null) delete settings.matchOptions
  else if (matchOptions) {
    toMatchOptions(matchOptions, 'settings.matchOptions')
    settings.matchOptions = matchOptions
  }
  if (checks === null) delete settings.checks
  else if (checks) settings.checks = requireAssertions(checks, 'settings.checks')
  if (judge) settings.judge = { ...settings.judge, ...judge }
}

/** Returns a model with its provider, which may be sent separately or as part of `provider/model`. */
export function withProvider({ model, provider }: { model: string; provider?: string | undefined }) {
  const named = provider ?? (model.includes('/') ? model.slice(0, model.indexOf('/')) : undefined)
  return { model, ...(named !== undefined && { provider: named }) }
}

/** Requires that each assertion names its type. An unknown type is accepted, but fails its trial (assertions.md). */
export function requireAssertions(list: readonly Record<string, unknown>[], field: string): Assertion[] {
  return list.map((assertion, index) => requireAssertion(assertion, `${field}.${index}`))
}

/** @throws ServiceError `VALIDATION_ERROR` if the type is missing */
export function requireAssertion(assertion: Record<string, unknown>, field: string): Assertion {
  const { type } = assertion
  if (typeof type !== 'string' || type === '') throw invalidField(`${field}.type`, 'must name an assertion')
  return { ...assertion, type }
}

/**
 * Requires that no file in a repository other than the caller's owns the suite (contract: "Eval case batch create").
 * @throws ServiceError `CONFLICT` with `CI_OWNED_SUITE_READ_ONLY`
 */
export function requireConfigurable(store: Store, suite: SuiteRow, declaredSuiteId?: string): void {
  const owner = store.suiteOwnership.get(suite.id)?.declaredId ?? null
  if (owner === null || owner === declaredSuiteId) return
  throw new ServiceError(
    'CONFLICT',
    `A file in a repository owns the suite "${suite.name}"; change it there and let its next run report it.`,
    { details: { reason: 'CI_OWNED_SUITE_READ_ONLY' } },
  )
}

type Hosts = NonNullable<z.output<typeof EvalSuiteUpdateRequest>['hosts']>

/** Attaches an environment, inside the caller's transaction. An attached environment remains attached. */
function attachEnvironment(store: Store, suite: SuiteRow, environmentId: string): EvalSuiteEnvironmentAttached {
  const before = suite.settings.environmentIds ?? []
  const environmentIds = attachableEnvironments(store, suite, [...before, environmentId])
  const attached = environmentIds.length > before.length
  if (attached) {
    const settings = { ...suite.settings, environmentIds }
    store.suites.update({ ...suite, settings, updatedAt: Date.now() })
  }
  return { suiteId: suite.id, attached, environmentIds }
}

/**
 * Returns the given environments, each once. Environments that are attached already may be archived. @throws
 * ServiceError `NOT_FOUND`, `ENV_ARCHIVED`
 */
function attachableEnvironments(
  store: Store,
  { projectId, settings }: SuiteRow,
  environmentIds: readonly string[],
): string[] {
  const wanted = [...new Set(environmentIds)]
  for (const id of wanted) {
    const row = store.environments.require(projectId, id)
    if (!settings.environmentIds?.includes(id)) requireLive(row)
  }
  return wanted
}

/** Returns the given clients by id or name, each once, in the format of a suite. @throws ServiceError `NOT_FOUND` */
export function attachableClients(
  store: Store,
  projectId: string,
  hosts: Hosts,
): NonNullable<SuiteSettings['clients']> {
  const clients = hosts.map(({ host, servers }) => ({
    clientId: findClient(store, projectId, host).id,
    ...(servers && { serverIds: requireServers(store, projectId, servers).map(({ id }) => id) }),
  }))
  return clients.filter(({ clientId }, index) => clients.findIndex(other => other.clientId === clientId) === index)
}

function toSuiteHosts(store: Store, { projectId, settings }: SuiteRow): NonNullable<EvalSuiteDetail['hosts']> {
  return (settings.clients ?? []).flatMap(({ clientId, serverIds }) => {
    const client = store.clients.get(projectId, clientId)
    const servers = serverIds?.flatMap(id => store.servers.get(projectId, id)?.name ?? [])
    return client ? [{ id: client.id, name: client.name, ...(servers && { servers }) }] : []
  })
}

export const MINUTE_MS = 60_000

/**
 * Switches the schedule of a suite on or off, in the caller's transaction. Switching it on requires a target, whose
 * environment is stored.
 * @throws ServiceError as `chooseTarget`, `VALIDATION_ERROR` without an interval
 */
function updateSchedule(
  { store, now }: ServiceContext,
  suite: SuiteRow,
  body: z.output<typeof EvalSuiteScheduleRequest>,
  setBy: string,
): void {
  const earlier = store.suiteSchedules.get(suite.id)
  const intervalMinutes = body.intervalMinutes ?? earlier?.intervalMinutes ?? null
  const time = now()
  const base: SuiteScheduleRow = {
    suiteId: suite.id,
    enabled: body.enabled,
    intervalMinutes,
    environmentId: earlier?.environmentId ?? null,
    setBy,
    startsAt: time,
    nextAt: null,
    lastRunId: earlier?.lastRunId ?? null,
    refusedAt: null,
    refusal: null,
  }
  if (!body.enabled) return store.suiteSchedules.put(base)
  if (intervalMinutes === null)
    throw invalidField('intervalMinutes', 'is needed, since the schedule has no interval yet')
  const { environment } = chooseTarget(store, suite, { environmentId: body.environmentId })
  const goesOn = earlier?.enabled === true && earlier.intervalMinutes === intervalMinutes
  store.suiteSchedules.put({
    ...base,
    environmentId: environment?.id ?? null,
    startsAt: goesOn ? earlier.startsAt : time,
    nextAt: goesOn ? earlier.nextAt : nextSlot(time, intervalMinutes * MINUTE_MS, time),
  })
}

/** Returns the first slot after a time. Slots are at `startsAt + n × intervalMs`, n ≥ 1, in milliseconds. */
export function nextSlot(startsAt: number, intervalMs: number, time: number): number {
  const passed = Math.max(0, Math.floor((time - startsAt) / intervalMs))
  return startsAt + (passed + 1) * intervalMs
}

/**
 * Converts the schedule of a suite. The slot, the run and the refusal are not in the contract; they explain why nothing
 * was launched.
 */
function toSuiteSchedule(row: SuiteScheduleRow | undefined): NonNullable<EvalSuiteDetail['schedule']> {
  if (!row) return { enabled: false, intervalMinutes: null, environmentId: null }
  const { enabled, intervalMinutes, environmentId, nextAt, lastRunId, refusedAt, refusal } = row
  return {
    enabled,
    intervalMinutes,
    environmentId,
    nextRunAt: nextAt,
    lastRunId,
    lastRefusal: refusedAt === null ? null : { at: refusedAt, message: refusal },
  }
}

/** Operations of the nouns that belong to a suite. */
type SuiteParts = {
  upsertCases: (
    store: Store,
    suite: SuiteRow,
    tests: z.output<typeof EvalSuiteCreateRequest>['tests'],
  ) => EvalSuiteCreated['caseUpsert']
  runsOfSuite: (
    store: Store,
    suite: SuiteRow,
  ) => Pick<EvalSuite, 'latestRun' | 'totals' | 'recentRuns' | 'passRateTrend'>
}

export function suiteHandlers(context: ServiceContext, { upsertCases, runsOfSuite }: SuiteParts): Handlers['suites'] {
  const { store, runs } = context
  const configurable = (projectId: string, suiteId: string) => {
    const suite = store.suites.require(projectId, suiteId)
    requireConfigurable(store, suite)
    return suite
  }
  return {
    list: ({ project, query }) =>
      runs.read(() => {
        const list = `suites/${project.id}`
        return pageOf(store.cursors, { list, rows: store.suites.list(project.id), query }, suite => {
          const { id, name, projectId, createdAt, updatedAt } = suite
          const caseCount = store.cases.list(id).length
          return { id, name, projectId, createdAt, updatedAt, caseCount, ...runsOfSuite(store, suite) }
        })
      }),
    get: ({ project, params }) =>
      store.read(() => toSuiteDetail(store, store.suites.require(project.id, params.suiteId))),
    create: ({ project, caller, body }) =>
      store.write(() => {
        const { suite, servers } = insertSuite(store, project.id, caller.keyId, body)
        return {
          suiteId: suite.id,
          name: suite.name,
          servers: servers.map(({ id, name }) => ({ id, name })),
          caseUpsert: upsertCases(store, suite, body.tests),
        }
      }),
    update: ({ project, params, body }) =>
      store.write(() => toSuiteDetail(store, updateSuite(store, configurable(project.id, params.suiteId), body))),
    schedule: ({ project, params, caller, body }) =>
      store.write(() => {
        const suite = configurable(project.id, params.suiteId)
        updateSchedule(context, suite, body, caller.keyId)
        return toSuiteDetail(store, suite)
      }),
    attachEnvironment: ({ project, params, body }) =>
      store.write(() => attachEnvironment(store, configurable(project.id, params.suiteId), body.environmentId)),
    delete: ({ project, params }) =>
      store.write(() => {
        const suite = configurable(project.id, params.suiteId)
        store.suites.delete(suite.id)
        return { id: suite.id, deleted: true }
      }),
  }
}
