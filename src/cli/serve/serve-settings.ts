import { clean, jsonText } from '../../lib/printable.ts'
import {
  createLimits,
  listGates,
  listLimits,
  quotaUsage,
  setGate,
  setLimits,
  unsetLimits,
} from '../../service/core/organization-limits.ts'
import type { Store } from '../../service/core/database/store.ts'
import { EXIT } from '../process/exit-codes.ts'
import { UsageError, type CommonOptions } from '../config/settings.ts'
import { printItems } from '../output/print-items.ts'
import { withStore } from './with-store.ts'

/** Prints every limit with its value, its default and what it means. */
export function showLimits(common: CommonOptions, json: boolean | undefined): number {
  return withStore(common, ({ store, organizationId }) => {
    printItems(listLimits(store, organizationId), json, each => [
      each.name,
      String(each.value),
      each.isSet ? `(default ${each.default})` : '(default)',
      each.says,
    ])
    return EXIT.done
  })
}

/** Changes limits, and prints them all as they are now. */
export function changeLimits(
  common: CommonOptions,
  change: { set: readonly string[] } | { unset: readonly string[] },
  json: boolean | undefined,
): number {
  withStore(common, ({ store, organizationId }) =>
    asUsage(() => {
      if ('set' in change) setLimits(store, organizationId, change.set)
      else unsetLimits(store, organizationId, change.unset)
    }),
  )
  return showLimits(common, json)
}

/** Prints the gates, after switching one where a state is given. */
export function gates(
  common: CommonOptions,
  [name, state]: readonly [string?, string?],
  json: boolean | undefined,
): number {
  return withStore(common, ({ store, organizationId }) => {
    if (name !== undefined) asUsage(() => setGate(store, organizationId, name, state ?? ''))
    printItems(listGates(store, organizationId), json, each => [each.name, each.isOn ? 'on' : 'off', each.says])
    return EXIT.done
  })
}

/** Prints what is under way in the workspace, in which process, and what of its limits is used. */
export function showStatus(common: CommonOptions, json: boolean | undefined): number {
  return withStore(common, ({ store, dataDir, organizationId }) => {
    const status = { dataDir, ...store.read(() => statusOf(store, organizationId)) }
    process.stdout.write(json ? `${jsonText(status)}\n` : statusText(status))
    return EXIT.done
  })
}

function statusOf(store: Store, organizationId: string) {
  const limits = createLimits(store)
  const runs = store.runs
    .inFlight(organizationId)
    .map(({ id, suiteName, status, lease }) => ({
      id,
      suiteName,
      status,
      host: lease?.host ?? null,
      pid: lease?.pid ?? null,
    }))
  const all = store.jobs.list().map(({ kind, subjectId, host, pid }) => ({ kind, subjectId, host, pid }))
  const jobs = all.filter(({ kind }) => kind !== 'worker')
  const worker = all.find(({ kind }) => kind === 'worker')
  return {
    worker: worker ? { host: worker.host, pid: worker.pid } : null,
    concurrentRuns: limits.number(organizationId, 'concurrentRuns'),
    runs,
    jobs,
    usedToday: quotaUsage(store, limits, organizationId, Date.now()),
  }
}

function statusText({
  dataDir,
  worker,
  concurrentRuns,
  runs,
  jobs,
  usedToday,
}: { dataDir: string } & ReturnType<typeof statusOf>) {
  const at = ({ pid, host }: { pid: number | null; host: string | null }) => `process ${pid} on ${host}`
  const lines = [
    `workspace  ${dataDir}`,
    `worker     ${worker ? `${at(worker)}, ends when idle` : 'none'}`,
    `runs       ${runs.length} in flight, ${concurrentRuns} at once`,
    ...runs.map(run => `           ${run.id} ${run.status}, ${at(run)}, ${run.suiteName}`),
    `jobs       ${jobs.length} under way`,
    ...jobs.map(job => `           ${job.kind} of ${job.subjectId}, ${at(job)}`),
    ...usedToday.map(({ limit, used, value }) => `today      ${limit} ${used} of ${value}`),
  ]
  return `${lines.map(clean).join('\n')}\n`
}

/** What the settings refuse is wrong usage. */
function asUsage(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(error.message)
    throw error
  }
}
