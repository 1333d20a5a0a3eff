import type { Client } from '../../api/client/client.ts'
import { contract } from '../../api/contract/contract.ts'
import { newIdempotencyKey, type InputOf, type OutputOf } from '../../api/contract/endpoint.ts'
import { completeGroup, launchCall, notForGroups } from '../../domain/runs/launch-rules.ts'
import { clean } from '../../tui/theme/text.ts'
import { NoRun } from '../follow/follow-run.ts'
import type { FollowedRun, FollowExtras, NotStarted, Session } from '../follow/session.ts'
import { UsageError } from '../arguments/usage-error.ts'
import type { LaunchOptions, LaunchPlan } from './plan.ts'
import { launchInSlot, type SlotOptions } from './slots.ts'
import { clean as cleanWhole, jsonText } from '../../lib/printable.ts'
import { ApiError } from '../../api/client/errors/api-error.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import type { EvalCase } from '../../api/contract/suites.ts'
import { outcomeOfRun } from '../../domain/runs/outcome.ts'
import type { EndedRun } from '../../domain/runs/retries.ts'
import { plural } from '../../lib/format.ts'
import { EXIT } from '../process/exit-codes.ts'

/** The runs that a launch started, and the targets of a group that did not start. */
export type Launched = {
  runs: readonly FollowedRun[]
  runGroupId?: string
  notStarted?: readonly NotStarted[]
  /** Returns why a run that was there before is not the one that was asked for. */
  whyOther?: FollowExtras['whyOther']
}

export type SendOptions = SlotOptions & { idempotencyKey: string | undefined }

export type RunGroup = OutputOf<typeof contract.runGroups.create>

const OPTIONS = { servers: '--server', model: '--model', modelKeys: 'a model key' } as const

/** @throws UsageError for settings that a run group does not accept (schemas: EvalRunGroupCreateRequest) */
export function checkGroup(plan: LaunchPlan, own: LaunchOptions, hasKeys: boolean): void {
  const given = notForGroups({ ...plan, model: own.model, hasModelKeys: hasKeys }).map(name => OPTIONS[name])
  if (given.length > 0)
    throw new UsageError(`Several environments or clients are a run group, which takes no ${given.join(' and no ')}.`)
}

/** A planned launch as an operation with its input. */
export type PlannedLaunch =
  | { kind: 'run'; endpoint: typeof contract.runs.create; input: InputOf<typeof contract.runs.create> }
  | { kind: 'group'; endpoint: typeof contract.runGroups.create; input: InputOf<typeof contract.runGroups.create> }

/** Returns the operation and the input of a launch. */
export function plannedLaunch(
  projectId: string,
  plan: LaunchPlan,
  { notes, model, iterations }: LaunchOptions,
  modelApiKeys: Record<string, string> | undefined,
): PlannedLaunch {
  const request = launchCall({ ...plan, suiteId: plan.suite.id, iterations, notes, model, modelApiKeys })
  return request.kind === 'group'
    ? { kind: 'group', endpoint: contract.runGroups.create, input: { projectId, body: request.body } }
    : { kind: 'run', endpoint: contract.runs.create, input: { projectId, body: request.body } }
}

/**
 * Sends a launch with one key for the whole intent, kept across retries and while it waits for a slot.
 * @throws ApiError if the service refuses it
 */
export async function sendLaunch(
  client: Client,
  launch: PlannedLaunch,
  plan: LaunchPlan,
  options: SendOptions,
): Promise<Launched> {
  const call = { idempotencyKey: options.idempotencyKey ?? newIdempotencyKey() } as const
  const { projectId } = launch.input
  if (launch.kind === 'group') {
    const send = () => client.runGroups.create(launch.input, call)
    return launchedGroup(await launchInSlot(client, projectId, send, options), projectId, plan)
  }
  const send = () => client.runs.create(launch.input, call)
  const created = await launchInSlot(client, projectId, send, options)
  const runs = [{ label: '', place: { projectId, runId: created.runId } }]
  if (!created.deduped) return { runs }
  options.say('This was launched before; it is the same run.')
  return { runs, whyOther: found => whyOtherCases(plan.cases, found) }
}

/**
 * Returns why a run with the same key is not the launch of some cases: a service may answer the key without comparing
 * what is asked. Undefined if the run has trials of these cases and no others. One that is open may get more.
 */
function whyOtherCases(cases: readonly EvalCase[], { run, trials }: EndedRun): string | undefined {
  const found = new Set(trials.flatMap(({ testCaseId, title }) => testCaseId ?? title ?? []))
  const asked = new Set(cases.flatMap(({ id, title }) => [id, title]))
  const isOpen = ['in-flight', 'cancelled', 'broken'].includes(outcomeOfRun(run))
  const missing = isOpen ? 0 : cases.filter(({ id, title }) => !found.has(id) && !found.has(title)).length
  const others = [...found].filter(name => !asked.has(name)).length
  if (missing + others === 0) return undefined
  const parts = [
    ...(missing > 0 ? [`it has no trial of ${plural(missing, 'case')} of this launch`] : []),
    ...(others > 0 ? [`it has ${plural(others, 'other case')}`] : []),
  ]
  const name = `Run ${clean(run.id)} with this idempotency key`
  return `${name} is of another launch: ${parts.join(', and ')}. Take another key.`
}

/** Returns the runs of a launched group, and its targets that did not start. */
export function launchedGroup(group: RunGroup, projectId: string, plan: LaunchPlan): Launched {
  const { targets } = completeGroup(group, plan)
  const nameOf = ({ target }: (typeof targets)[number]): string => {
    const id = target.environmentId ?? target.namedHostId ?? ''
    return clean(target.name ?? plan.names.get(id) ?? id)
  }
  return {
    runGroupId: group.runGroupId,
    runs: targets.flatMap(each =>
      each.runId ? [{ label: nameOf(each), place: { projectId, runId: each.runId } }] : [],
    ),
    notStarted: targets.flatMap(each => {
      if (each.runId) return []
      const why = clean(each.error?.message ?? 'no reason given')
      return [{ label: nameOf(each), error: new NoRun(`It was not started: ${why}`, each.error?.code) }]
    }),
  }
}

/** Prints what was launched if the runs are not followed; resolves to the exit code. */
export async function printLaunched(
  { mode, output }: Pick<Session, 'mode' | 'output'>,
  client: Client,
  { runs, runGroupId, notStarted = [], whyOther }: Launched,
): Promise<number> {
  for (const { place } of whyOther ? runs : []) await checkSame(client, place, whyOther)
  // A target that never started has no verdict.
  const exitCode = notStarted.length > 0 ? EXIT.noVerdict : EXIT.done
  if (mode === 'text') {
    await output.write(runs.map(({ place }) => `${cleanWhole(place.runId)}\n`).join(''))
    return exitCode
  }
  const records = await Promise.all(
    runs.map(async ({ label, place }) => ({ label, run: await recordOf(client, place) })),
  )
  const missing = notStarted.map(({ label, error: { message, code = null } }) => ({
    label,
    run: null,
    error: { code, status: null, message },
  }))
  const empty = { verdict: null, counts: null, because: 'launched', exitCode }
  const record =
    runGroupId === undefined
      ? { run: records[0]?.run ?? null, ...empty }
      : { runGroupId, run: null, ...empty, runs: [...records, ...missing] }
  const data = mode === 'jsonl' ? { event: 'launched', at: Date.now(), ...record } : record
  await output.write(`${jsonText(data)}\n`)
  return exitCode
}

/**
 * Reports that a shard has no case; resolves to the exit code of success, as Playwright does, because the other shards
 * have all cases.
 */
export async function printEmptyShard(
  { mode, output, reporter }: Pick<Session, 'mode' | 'output' | 'reporter'>,
  { message }: Error,
): Promise<number> {
  reporter.say(message)
  const record = { run: null, verdict: null, counts: null, because: 'empty_shard', exitCode: EXIT.done }
  if (mode !== 'text')
    await output.write(`${jsonText(mode === 'jsonl' ? { event: 'ended', at: Date.now(), ...record } : record)}\n`)
  return EXIT.done
}

/** @throws NoRun for a run of another launch */
async function checkSame(client: Client, place: FollowedRun['place'], whyOther: Launched['whyOther']): Promise<void> {
  const run = await client.runs.get(place)
  const why = whyOther?.({ run, trials: await client.items(contract.iterations.list, place) })
  if (why !== undefined) throw new NoRun(why)
}

/** Returns the current run; a connection lost now does not undo the launch. */
async function recordOf(client: Client, place: FollowedRun['place']): Promise<EvalRun | { id: string }> {
  try {
    return await client.runs.get(place)
  } catch (error) {
    if (error instanceof ApiError) return { id: place.runId }
    throw error
  }
}
