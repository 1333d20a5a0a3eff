import { type Client, newIdempotencyKey } from '../../api/client.ts'
import { clean } from '../../app/theme/text.ts'
import type { FollowedRun } from '../follow/session.ts'
import { UsageError } from '../usage-error.ts'
import type { LaunchOptions, LaunchPlan } from './plan.ts'
import { launchInSlot, type SlotOptions } from './slots.ts'

/** What a launch started; `failures` are targets of a group that did not start, in words. */
export type Launched = { runs: readonly FollowedRun[]; runGroupId?: string; failures: readonly string[] }

export type SendOptions = SlotOptions & {
  idempotencyKey: string | undefined
  modelApiKeys: Record<string, string> | undefined
}

/** Whether a plan is a run group. */
export function isGroup({ environmentIds, clientIds }: LaunchPlan): boolean {
  return environmentIds.length + clientIds.length > 1
}

/** @throws UsageError for what a run group does not take (schemas: EvalRunGroupCreateRequest) */
export function checkGroup(plan: LaunchPlan, own: LaunchOptions, hasKeys: boolean): void {
  if (!isGroup(plan)) return
  const given = [
    own.model !== undefined && '--model',
    own.server.length > 0 && '--server',
    hasKeys && 'a model key',
  ].filter(Boolean)
  if (given.length > 0)
    throw new UsageError(
      `Several environments or clients are a run group, which takes no ${given.join(' and no ')}.`,
    )
}

/**
 * Sends a launch under one key for the whole intent, kept through retries and while it waits for a slot.
 * @throws ApiError as the service refuses it
 */
export async function sendLaunch(
  client: Client,
  projectId: string,
  plan: LaunchPlan,
  own: LaunchOptions,
  options: SendOptions,
): Promise<Launched> {
  const call = { priority: 'asked', idempotencyKey: options.idempotencyKey ?? newIdempotencyKey() } as const
  const common = {
    suiteId: plan.suite.id,
    ...(own.iterations !== undefined && { iterationOverride: own.iterations }),
    ...(plan.caseIds.length > 0 && { caseIds: [...plan.caseIds] }),
    ...(own.notes !== undefined && { notes: own.notes }),
  }
  if (isGroup(plan)) return await sendGroup()
  const [environmentId] = plan.environmentIds
  const [namedHostId] = plan.clientIds
  const body = {
    ...common,
    ...(environmentId !== undefined && { environmentId }),
    ...(namedHostId !== undefined && { namedHostId }),
    ...(plan.serverIds.length > 0 && { serverIds: [...plan.serverIds] }),
    ...(own.model !== undefined && { model: own.model }),
    ...(options.modelApiKeys && { modelApiKeys: options.modelApiKeys }),
  }
  const launch = () => client.runs.create({ projectId, body }, call)
  const created = await launchInSlot(client, projectId, launch, options)
  if (created.deduped) options.say('This was launched before; it is the same run.')
  return { runs: [{ label: '', place: { projectId, runId: created.runId } }], failures: [] }

  async function sendGroup(): Promise<Launched> {
    const targets = [
      ...plan.environmentIds.map(id => ({ environmentId: id })),
      ...plan.clientIds.map(id => ({ namedHostId: id })),
    ]
    const launchGroup = () => client.runGroups.create({ projectId, body: { ...common, targets } }, call)
    const group = await launchInSlot(client, projectId, launchGroup, options)
    const nameOf = ({ target }: (typeof group.targets)[number]): string => {
      const id = target.environmentId ?? target.namedHostId ?? ''
      return clean(target.name ?? plan.names.get(id) ?? id)
    }
    return {
      runGroupId: group.runGroupId,
      runs: group.targets.flatMap(each =>
        each.runId ? [{ label: nameOf(each), place: { projectId, runId: each.runId } }] : [],
      ),
      failures: group.targets.flatMap(each =>
        each.runId
          ? []
          : [`${nameOf(each)} was not started: ${clean(each.error?.message ?? 'no reason given')}`],
      ),
    }
  }
}
