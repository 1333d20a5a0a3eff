import { setImmediate } from 'node:timers/promises'
import type * as z from 'zod'
import type {
  EvalRunGroupCreated,
  EvalRunGroupCreateRequest,
  RunGroupTargetOutcome,
} from '../../api/contract/run-groups.ts'
import { ServiceError } from '../core/errors.ts'
import { digest, newId } from '../core/ids.ts'
import type { ServiceContext, Handlers } from '../core/context.ts'
import type { Store } from '../core/database/store.ts'
import type { SuiteRow } from '../suites/rows.ts'
import { beginRun, commitRun, requireSlot, type LaunchReply, type Prepared } from '../runs/engine.ts'
import type { OfferedModels } from '../runs/snapshots.ts'
import { offeredFor, prepareRun, repeatedReply, type Launcher } from '../runs/launch.ts'
import { chooseTarget, type RunTarget } from '../suites/target.ts'

type GroupBody = z.output<typeof EvalRunGroupCreateRequest>
type GroupTarget = { environmentId: string } | { namedHostId: string }

type Group = { id: string; key: string | undefined; scope: string; digest: string }

/** A target with its written run, or with the reason why there is none. */
type Written = { target: GroupTarget } & ({ prepared: Prepared } | { error: ServiceError })
/** A target before its run is written: with its end, or with the servers for its run. */
type Planned = Written | { target: GroupTarget; choice: RunTarget }

const DERIVED_ID_LENGTH = 26

/**
 * Launches one run for each target. A target that fails does not stop the others. All runs together count as one
 * against the limit.
 * @throws ServiceError `VALIDATION_ERROR`, `NOT_FOUND`, `CONFLICT`, `RATE_LIMITED` with `CONCURRENT_RUN_LIMIT`
 */
async function createRunGroup(
  context: ServiceContext,
  launcher: Launcher,
  body: GroupBody,
  { idempotencyKey, signal }: { idempotencyKey: string | undefined; signal: AbortSignal },
): Promise<EvalRunGroupCreated> {
  context.runs.settleAbandoned()
  const group = groupOf(launcher, body, idempotencyKey)
  const targets = [...new Map(body.targets.map(target => [idOf(target), target])).values()]
  const planned = context.store.read(() => plan(context, launcher, group, body.suiteId, targets))
  const offered = await offeredFor(context, body, signal)
  const prepared: Written[] = []
  for (const each of planned) {
    const first = prepared.every(isRefused)
    prepared.push('choice' in each ? write(context, launcher, { ...each, group, body, offered, first }) : each)
    // Between the targets of a large suite, other requests must get their turn.
    await setImmediate()
  }
  const written = prepared.map(each => begin(context, each))
  const outcomes = context.store.read(() => written.map(each => toOutcome(context.store, launcher, each)))
  const startedCount = outcomes.filter(({ status }) => status === 'started').length
  const failedCount = outcomes.length - startedCount
  const outcome = failedCount === 0 ? 'started' : startedCount === 0 ? 'failed' : 'partial'
  return { runGroupId: group.id, suiteId: body.suiteId, outcome, startedCount, failedCount, targets: outcomes }
}

function groupOf({ project, caller }: Launcher, body: GroupBody, header: string | undefined): Group {
  const { idempotencyKey, ...content } = body
  const key = header ?? idempotencyKey
  const scope = `runGroups.create/${project.id}/${caller.keyId}`
  // The id is derived from the key, so that concurrent requests with the same key use the same group.
  const id = key === undefined ? newId('grp') : `grp_${digest({ scope, key }).slice(0, DERIVED_ID_LENGTH)}`
  return { id, key, scope, digest: digest(content) }
}

/**
 * Chooses the servers of every target before anything is written. Only a target that cannot run at present fails alone;
 * any other error is thrown.
 */
function plan(
  context: ServiceContext,
  { project }: Launcher,
  group: Group,
  suiteId: string,
  targets: readonly GroupTarget[],
): Planned[] {
  const { store } = context
  const suite = store.suites.require(project.id, suiteId)
  const known = group.key === undefined ? undefined : store.idempotency.find(group.scope, group.key)
  if (known && known.digest !== group.digest)
    throw new ServiceError('CONFLICT', 'This idempotency key was already used for another group.', {
      details: { field: 'idempotencyKey' },
    })
  const planned = targets.map(target => planTarget(store, group, suite, target))
  if (planned.some(each => 'choice' in each)) requireSlot(context, project, group.id)
  return planned
}

function planTarget(store: Store, group: Group, suite: SuiteRow, target: GroupTarget): Planned {
  const earlier = store.idempotency.find(group.id, idOf(target))
  if (earlier) return { target, prepared: { reply: repeatedReply(store, earlier, group.digest) } }
  try {
    return { target, choice: chooseTarget(store, suite, target) }
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'CONFLICT') return { target, error }
    throw error
  }
}

type Launch = {
  group: Group
  body: GroupBody
  target: GroupTarget
  choice: RunTarget
  offered: OfferedModels
  /** Whether no run of the group has been written yet. */
  first: boolean
}

/**
 * Writes the run of one target. @throws errors of the whole request, as long as nothing is written; afterwards they
 * would hide the runs that are
 */
function write(context: ServiceContext, launcher: Launcher, launch: Launch): Written {
  const { target } = launch
  try {
    return { target, prepared: commitRun(context, () => prepareTarget(context, launcher, launch)) }
  } catch (error) {
    if (launch.first && !(error instanceof ServiceError && error.code === 'CONFLICT')) throw error
    return { target, error: reported(context, error) }
  }
}

/** Returns the error of one target. An unexpected one is only logged, as if it were that of the whole request. */
function reported({ onError }: ServiceContext, error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  onError(error)
  return new ServiceError('INTERNAL_ERROR', 'The service failed; see its log.')
}

function prepareTarget(
  context: ServiceContext,
  launcher: Launcher,
  { group, body, target, choice, offered }: Launch,
): Prepared {
  const { idempotency } = context.store
  // Another request with the same key may have written the run in the meantime.
  const earlier = idempotency.find(group.id, idOf(target))
  if (earlier) return { reply: repeatedReply(context.store, earlier, group.digest) }
  if (group.key !== undefined && !idempotency.find(group.scope, group.key))
    idempotency.insert(group.scope, group.key, group.digest, { runGroupId: group.id })
  const { targets: _targets, idempotencyKey: _key, ...options } = body
  const membership = { slotId: group.id, planned: choice }
  const request = { ...options, ...target, runGroupId: group.id }
  const prepared = prepareRun(context, launcher, request, { membership, offered })
  if (group.key !== undefined) idempotency.insert(group.id, idOf(target), group.digest, prepared.reply)
  return prepared
}

/** Starts a written run. One that cannot start does not block the others. */
function begin(context: ServiceContext, written: Written): Written {
  if (!('prepared' in written)) return written
  const { target, prepared } = written
  try {
    return { target, prepared: { reply: beginRun(context, prepared) } }
  } catch (error) {
    return { target, error: reported(context, error) }
  }
}

function toOutcome(store: Store, { project }: Launcher, written: Written): RunGroupTargetOutcome {
  const target = { ...written.target, name: nameOf(store, project.id, written.target) }
  if ('error' in written) {
    const { code, message, details } = written.error
    return { target, status: 'failed', error: { code, message, ...(details && { details }) } }
  }
  const { runId, status, deduped, servers, environment, caseUpsert }: LaunchReply = written.prepared.reply
  return {
    target,
    status: 'started',
    runId,
    runStatus: status,
    ...(deduped && { deduped }),
    servers,
    environment,
    caseUpsert,
  }
}

function nameOf(store: Store, projectId: string, target: GroupTarget): string | null {
  if ('environmentId' in target) return store.environments.get(projectId, target.environmentId)?.name ?? null
  return store.clients.get(projectId, target.namedHostId)?.name ?? null
}

function idOf(target: GroupTarget): string {
  return 'environmentId' in target ? target.environmentId : target.namedHostId
}

function isRefused(each: Written): boolean {
  return 'error' in each
}

export function runGroupHandlers(context: ServiceContext): Handlers['runGroups'] {
  return {
    create: ({ project, caller, body, idempotencyKey, signal }) =>
      createRunGroup(context, { project, caller }, body, { idempotencyKey, signal }),
  }
}
