import { ApiError } from '../../../api/client/errors/api-error.ts'
import type { Client } from '../../../api/client/client.ts'
import { contract } from '../../../api/contract/contract.ts'
import type { EvalRunGroupCreated } from '../../../api/contract/run-groups.ts'
import { launchCall, type LaunchRequest } from '../../../domain/runs/launch-rules.ts'
import { slotFree, slotHolders } from '../../../domain/runs/launch-slots.ts'
import type { Pin } from '../../../domain/runs/pins.ts'
import type { WriteTask } from '../../../hooks/use-write.tsx'

/** What a launch started, as it is followed; a run group reports what became of each target. */
export type Launched = { pins: readonly Pin[]; deduped: boolean; group?: EvalRunGroupCreated }

export type LaunchIntent = {
  projectId: string
  request: LaunchRequest
  /** Environments that the suite is attached to first; one that is already stays as it is. */
  attach: readonly string[]
  /** One for the whole intent, kept through retries and while it waits for a slot. */
  idempotencyKey: string
}

/** What a launch writes to. */
export const LAUNCHES = [contract.suites.attachEnvironment, contract.runs.create, contract.runGroups.create] as const

/**
 * Attaches, then launches.
 * @throws ApiError as the service refuses it
 */
export async function sendLaunch(
  { send }: Pick<WriteTask, 'send'>,
  { projectId, request, attach }: LaunchIntent,
): Promise<Launched> {
  const { suiteId } = request
  for (const environmentId of attach)
    await send(contract.suites.attachEnvironment, { projectId, suiteId, body: { environmentId } })
  const call = launchCall(request)
  if (call.kind === 'run') {
    const { runId, deduped } = await send(contract.runs.create, { projectId, body: call.body })
    return { pins: [{ projectId, runId, suiteId }], deduped: deduped === true }
  }
  const group = await send(contract.runGroups.create, { projectId, body: call.body })
  const pins = group.targets.flatMap(({ runId, target }) =>
    runId ? [{ projectId, runId, suiteId, label: target.name ?? undefined }] : [],
  )
  return { pins, deduped: false, group }
}

/**
 * The same, again whenever a slot has become free, until it is launched.
 * @throws ApiError for any other refusal, or the reason of the signal
 */
export async function launchWhenFree(client: Client, task: WriteTask, intent: LaunchIntent): Promise<Launched> {
  const { signal } = task
  for (;;) {
    signal.throwIfAborted()
    try {
      return await sendLaunch(task, intent)
    } catch (error) {
      if (!(error instanceof ApiError) || error.limit !== 'concurrent-runs') throw error
      task.refresh()
      const holders = await slotHolders(client, intent.projectId, error)
      await slotFree(client, intent.projectId, holders, signal)
    }
  }
}
