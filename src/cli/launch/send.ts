import { type Client, newIdempotencyKey } from '../../api/client.ts'
import { launchCall, type LaunchCall } from '../../api/runs/launch-request.ts'
import { notForGroups } from '../../api/runs/launch-rules.ts'
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

const OPTIONS = { servers: '--server', model: '--model', modelKeys: 'a model key' } as const

/** @throws UsageError for what a run group does not take (schemas: EvalRunGroupCreateRequest) */
export function checkGroup(plan: LaunchPlan, own: LaunchOptions, hasKeys: boolean): void {
  const given = notForGroups({ ...plan, model: own.model, hasModelKeys: hasKeys }).map(name => OPTIONS[name])
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
  const { notes, model, iterations } = own
  const { modelApiKeys } = options
  const intent = { ...plan, suiteId: plan.suite.id, iterations, notes, model, modelApiKeys }
  const request = launchCall(intent)
  if (request.kind === 'group') return await sendGroup(request.body)
  const launch = () => client.runs.create({ projectId, body: request.body }, call)
  const created = await launchInSlot(client, projectId, launch, options)
  if (created.deduped) options.say('This was launched before; it is the same run.')
  return { runs: [{ label: '', place: { projectId, runId: created.runId } }], failures: [] }

  async function sendGroup(body: Extract<LaunchCall, { kind: 'group' }>['body']): Promise<Launched> {
    const launchGroup = () => client.runGroups.create({ projectId, body }, call)
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
