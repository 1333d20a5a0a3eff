import type * as z from 'zod'
import type {
  EvalSuiteCreateRequest,
  EvalSuiteCreated,
  EvalSuiteDetail,
  EvalSuiteUpdateRequest,
} from '../../api/contract/suites.ts'
import { contentDigestOf, defineCase, insertCase, requireAssertions, withProvider } from '../cases/records.ts'
import { ServiceError } from '../core/errors.ts'
import { passThreshold } from '../evals/grading.ts'
import { toMatchOptions } from '../evals/match-options.ts'
import { newId } from '../core/ids.ts'
import { toSuiteSchedule } from '../schedules/schedule-record.ts'
import { requireServers } from '../servers/records.ts'
import { attachableClients, attachableEnvironments, toSuiteHosts } from './attachments.ts'
import type { CaseDefinition, CaseRow } from '../store/cases.ts'
import type { Store } from '../workspace/store.ts'
import type { SuiteRow, SuiteSettings } from '../store/suites.ts'
import { invalidField } from '../core/validation.ts'

/** A case as suite and run creates bring it. */
export type InlineCase = z.output<typeof EvalSuiteCreateRequest>['tests'][number]
type SuiteEdit = z.output<typeof EvalSuiteUpdateRequest>
type NewSuite = Omit<z.output<typeof EvalSuiteCreateRequest>, 'model'> & { model?: string }

/** What an answer has to score where the suite says nothing. */
export const DEFAULT_JUDGE_THRESHOLD = 0.7

/** @throws ServiceError `NOT_FOUND` */
export function requireSuite(store: Store, projectId: string, suiteId: string): SuiteRow {
  const suite = store.suites.get(projectId, suiteId)
  if (!suite) throw new ServiceError('NOT_FOUND', `There is no suite ${suiteId} in this project.`)
  return suite
}

/**
 * Writes a suite with its cases; runs inside the caller's transaction. A case that could never run is answered
 * in `caseUpsert.failed` and does not keep the suite from being written.
 */
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
  if (body.model !== undefined)
    settings.executionConfig = withProvider({ model: body.model, provider: body.provider })
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
  return { suite, servers, caseUpsert: upsertCases(store, suite, body.tests) }
}

/**
 * Writes inline cases into a suite: one of the same title is replaced, others are added.
 * Entries that could never run are answered, not written.
 */
export function upsertCases(store: Store, suite: SuiteRow, tests: readonly InlineCase[]) {
  const committed: { id: string; name: string }[] = []
  const failed: { name: string; error: string }[] = []
  const known = new Map(store.cases.list(suite.id).map(row => [row.title, row]))
  for (const test of tests) {
    try {
      const row = upsertCase(store, suite, test, known.get(test.title))
      committed.push({ id: row.id, name: row.title })
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      failed.push({ name: test.title, error: error.message })
    }
  }
  return { committed, failed } satisfies EvalSuiteCreated['caseUpsert']
}

/** Edits a suite; absent fields stay as they were, null clears where the contract has it. */
export function updateSuite(store: Store, suite: SuiteRow, body: SuiteEdit): SuiteRow {
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
  else if (body.environmentIds)
    settings.environmentIds = attachableEnvironments(store, suite, body.environmentIds)
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

export function toSuiteDetail(store: Store, suite: SuiteRow): EvalSuiteDetail {
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

/** A suite's pass criterion in per cent, without the noise that multiplying a fraction brings. */
function accuracyOf(criteria: { minimumPassRate?: number | undefined } | undefined): number | undefined {
  const threshold = passThreshold({ minimumPassRate: criteria?.minimumPassRate })
  return threshold === null ? undefined : Number((threshold * 100).toPrecision(12))
}

/** Display names beside ids are told by the records themselves; a list of another length is a mistake. */
export function requireParallel(
  ids: readonly string[] | undefined,
  names: readonly string[] | undefined,
): void {
  if (names && names.length !== (ids?.length ?? 0))
    throw invalidField('serverNames', 'must have as many entries as serverIds')
}

function upsertCase(store: Store, suite: SuiteRow, test: InlineCase, known: CaseRow | undefined): CaseRow {
  const { title, steps, expectedOutput, scenario, model, provider, advancedConfig } = test
  const models = model === undefined ? undefined : [{ model, ...(provider !== undefined && { provider }) }]
  const definition: CaseDefinition = {
    ...defineCase(
      { steps, iterations: test.runs, isNegative: test.isNegativeTest, expectedOutput, scenario, models },
      known?.definition,
    ),
    ...(advancedConfig && { advancedConfig }),
  }
  if (!known) return insertCase(store, suite, { title, definition })
  const updated = { ...known, definition, contentDigest: contentDigestOf(definition), updatedAt: Date.now() }
  store.cases.update(updated)
  return updated
}

/** Sandbox images cannot be made here, so that none can be named. */
function refuseImages({ environment }: SuiteEdit): void {
  const image = environment?.computerEnvironment
  if (image != null)
    throw new ServiceError('NOT_FOUND', `There is no sandbox image ${image} in this project.`)
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
