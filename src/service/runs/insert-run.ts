import type { EvalRunCreated } from '../../api/contract/runs.ts'
import { ServiceError } from '../core/errors.ts'
import type { CaseSnapshot } from '../evals/types.ts'
import type { ServiceContext } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import type { ProjectRow } from '../core/database/rows.ts'
import type { CaseSelection, RunPlan, RunRow } from './rows.ts'
import type { ServerRow } from '../servers/rows.ts'
import type { Store } from '../core/database/store.ts'
import type { TrialRow } from './trial-rows.ts'
import type { RunLaunch } from './engine.ts'
import { releaseLease, takeLease } from '../core/lease.ts'

export type LaunchReply = EvalRunCreated & { environment: NonNullable<EvalRunCreated['environment']> | null }

/** A run that is written; without `launch` it was launched before. */
export type Prepared = { reply: LaunchReply; launch?: RunLaunch }

export type NewRun = {
  fields: Pick<RunRow, 'suiteId' | 'suiteName' | 'modelSource' | 'notes' | 'groupId' | 'rerunOf'>
  plan: RunPlan
  cases: CaseSnapshot[]
  servers: ServerRow[]
}

/** Writes a run in one transaction; it holds its slot from now on and waits for {@link beginRun}. */
export function commitRun(context: ServiceContext, prepareRun: () => Prepared): Prepared {
  let launch: RunLaunch | undefined
  try {
    return context.store.write(() => {
      const prepared = prepareRun()
      launch = prepared.launch
      return prepared
    })
  } catch (error) {
    releaseLease(launch?.run.lease)
    throw error
  }
}

/** Begins a run that is written, so that no trial runs for a run that never was. */
export function beginRun(context: ServiceContext, { reply, launch }: Prepared): LaunchReply {
  if (!launch) return reply
  try {
    context.runs.start(launch)
  } catch (error) {
    releaseLease(launch.run.lease)
    throw error
  }
  return { ...reply, status: 'running' }
}

/** Writes run and trials when a slot is free; counting and writing are one transaction. */
export function insertRun(
  context: ServiceContext,
  project: ProjectRow,
  { fields, plan, cases, servers }: NewRun,
): Prepared {
  const { store, targets } = context
  requireSlot(context, project, plan.slotId)
  const run = {
    id: newId('run'),
    projectId: project.id,
    organizationId: project.organizationId,
    number: store.runs.nextNumber(fields.suiteId),
    status: 'pending',
    result: null,
    source: 'api',
    ...fields,
    plan: { ...plan, selection: selectionOf(store, fields.suiteId, cases) },
    createdAt: Date.now(),
    lease: takeLease(),
  } satisfies RunRow
  store.runs.insert(run, cases)
  store.trials.insert(trialsOf(run.id, cases))
  const reply: LaunchReply = {
    runId: run.id,
    suiteId: run.suiteId,
    status: run.status,
    ...(fields.groupId !== undefined && { runGroupId: fields.groupId }),
    servers: plan.servers,
    caseUpsert: { committed: [], failed: [] },
    environment: plan.environment ?? null,
  }
  return { reply, launch: { run, targets: servers.map(targets.of) } }
}

/** A repeated run may hold cases that its suite has no more. */
function selectionOf(store: Store, suiteId: string, cases: readonly CaseSnapshot[]): CaseSelection {
  const selected = new Set(cases.map(({ caseId }) => caseId))
  const all = new Set([...selected, ...store.cases.list(suiteId).map(({ id }) => id)])
  return { selectedCaseCount: selected.size, totalCaseCount: all.size }
}

/**
 * Makes sure that the organization may have another run in flight; runs of one group hold one slot together.
 * @throws ServiceError `RATE_LIMITED` with `CONCURRENT_RUN_LIMIT`
 */
export function requireSlot({ store, limits }: ServiceContext, project: ProjectRow, slotId: string | undefined): void {
  // What another program executes takes nothing here.
  const running = store.runs.inFlight(project.organizationId).filter(({ source }) => source !== 'sdk')
  const slots = new Set(running.map(({ id, plan }) => plan.slotId ?? id))
  const limit = limits.number(project.organizationId, 'concurrentRuns')
  if (slots.size < limit || (slotId !== undefined && slots.has(slotId))) return
  throw new ServiceError('RATE_LIMITED', `${slots.size} runs are in flight, which is the limit.`, {
    details: { reason: 'CONCURRENT_RUN_LIMIT', limit, activeRunIds: running.map(({ id }) => id) },
  })
}

function trialsOf(runId: string, cases: readonly CaseSnapshot[]): TrialRow[] {
  const planned = cases.flatMap(({ iterations, caseId, title }, casePosition) =>
    Array.from({ length: iterations }, (_, index) => ({ casePosition, iterationNumber: index + 1, caseId, title })),
  )
  return planned.map((place, position) => ({
    id: newId('itr'),
    runId,
    position,
    ...place,
    status: 'pending',
    class: 'pending',
    result: null,
    error: null,
    startedAt: null,
    durationMs: null,
    tokensUsed: null,
  }))
}
