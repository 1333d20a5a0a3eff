import { ApiError } from '../../api/client/errors/api-error.ts'
import { contract } from '../../api/contract/contract.ts'
import type { Client } from '../../api/client/client.ts'
import { createCases, type BatchOptions, type CaseOutcome } from './batch.ts'
import { modelOfNew, SEED_TITLE, type SyncPlan } from './sync-plan.ts'
import { formOfSuite, suiteChange, type Names } from './suite-form.ts'

export type SyncOptions = Omit<BatchOptions, 'declaredSuiteId'> & {
  /** Whether to delete the cases that the file does not contain. */
  prune: boolean
  /** Whether to keep a new suite although some cases were refused; set if a person is asked about those. */
  keepsPart?: boolean
  /** Called with the progress. */
  progress?: (done: number, total: number) => void
}

/** The result of an import. */
export type SyncDone = {
  suiteId: string
  isNew: boolean
  /** Whether the suite was new and was deleted again, because not all of its cases were accepted. */
  isUndone?: boolean
  isSuiteChanged: boolean
  /** Settings of a suite that was there before, which the file leaves out but the service keeps. */
  kept: readonly string[]
  outcomes: readonly CaseOutcome[]
  changed: number
  deleted: number
}

/**
 * Carries out a plan: the suite, then deletions, changes and new cases, each step once. After a refusal the
 * rest is not sent, and importing again continues from there. A new suite is then removed, because a suite without some
 * of its cases would pass without them.
 * @throws ApiError
 */
export async function sendSync(
  client: Client,
  projectId: string,
  plan: SyncPlan,
  names: Names,
  options: SyncOptions,
): Promise<SyncDone> {
  if (plan.suite) return await sendTo(client, { projectId, suiteId: plan.suite.id }, plan, names, options)
  const target = { projectId, suiteId: await createSuite(client, projectId, plan, names) }
  const remove = async (): Promise<void> => {
    await client.suites.delete(target)
  }
  try {
    const done = await sendTo(client, target, plan, names, options)
    if (options.keepsPart || done.outcomes.every(({ kind }) => kind !== 'failed')) return done
    await remove()
    return { ...done, isUndone: true }
  } catch (error) {
    // The original failure must be reported. A suite that cannot be removed is found by the next import.
    if (error instanceof ApiError) await remove().catch(() => undefined)
    throw error
  }
}

async function sendTo(
  client: Client,
  target: { projectId: string; suiteId: string },
  plan: SyncPlan,
  names: Names,
  options: SyncOptions,
): Promise<SyncDone> {
  const { suiteId } = target
  const { file, created, changed, others } = plan
  const { prune, progress, keepsPart: _, ...policy } = options
  const gone = prune ? others.map(({ id }) => id) : []
  const total = 1 + gone.length + changed.length + created.length
  let done = 0
  const step = (count = 1): void => {
    done += count
    progress?.(done, total)
  }
  // The settings of a new suite are compared like those of any other.
  const settings = plan.settings ?? (await settingsOfNew(client, target, plan, names))
  if (Object.keys(settings.edit).length > 0) await client.suites.update({ ...target, body: settings.edit })
  if (settings.schedule) await client.suites.schedule({ ...target, body: settings.schedule })
  step()
  for (const caseId of gone) {
    await client.cases.delete({ ...target, caseId })
    step()
  }
  for (const { id: caseId, edit } of changed) {
    await client.cases.update({ ...target, caseId, body: edit })
    step()
  }
  const declaredSuiteId = file.suite.id
  const outcomes = await createCases(client, target, created, { ...policy, declaredSuiteId })
  step(created.length)
  for (const caseId of await seedsIn(client, target, plan)) await client.cases.delete({ ...target, caseId })
  return {
    suiteId,
    isNew: plan.suite === undefined,
    isSuiteChanged: plan.suite === undefined || settings.changes.length > 0,
    // A new suite has a model that its file may leave out, because the contract requires one.
    kept: plan.suite === undefined ? [] : settings.kept,
    outcomes,
    changed: changed.length,
    deleted: gone.length,
  }
}

async function createSuite(client: Client, projectId: string, { file }: SyncPlan, names: Names): Promise<string> {
  const { name, description, servers = [] } = file.suite
  const body = {
    name,
    ...(description !== undefined && { description }),
    serverIds: servers.map(text => names.serverId(text) ?? text),
    model: modelOfNew(file) ?? '',
    tests: [{ title: SEED_TITLE, steps: [{ id: 'wait', kind: 'prompt' as const, prompt: 'Nothing to do.' }] }],
  }
  return (await client.suites.create({ projectId, body })).suiteId
}

async function settingsOfNew(
  client: Client,
  target: { projectId: string; suiteId: string },
  { file }: SyncPlan,
  names: Names,
) {
  const detail = await client.suites.get(target)
  return suiteChange(formOfSuite(detail, names), file.suite, names)
}

async function seedsIn(
  client: Client,
  target: { projectId: string; suiteId: string },
  { suite, seeds }: SyncPlan,
): Promise<readonly string[]> {
  if (suite) return seeds
  const items = await client.items(contract.cases.list, target)
  return items.filter(({ title }) => title === SEED_TITLE).map(({ id }) => id)
}
