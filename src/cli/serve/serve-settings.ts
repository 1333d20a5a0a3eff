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
import { UsageError, type CommonOptions, localSettings } from '../config/settings.ts'
import { printItems } from '../output/print-items.ts'
import { ServiceError } from '../../service/core/errors.ts'
import { insertSamples, removeSamples } from '../../service/samples/insert-samples.ts'
import type { NamedSample } from '../../service/samples/rows.ts'
import { openWorkspace } from '../../service/workspace/store.ts'
import { say } from '../output/prose.ts'

/** Prints every limit with its value, its default and its meaning. */
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

/** Changes limits, and prints all of them. */
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

/** Prints the gates, after switching one if a state is given. */
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

/** Prints the current work in the workspace, with its process, and the usage of the limits. */
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

/** Reports refused settings as wrong usage. */
function asUsage(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(error.message)
    throw error
  }
}

/** Prints the sample records; records that belong to a sample are samples too. */
export function showSamples(common: CommonOptions, json: boolean | undefined): number {
  return withStore(common, ({ store }) => {
    print(store.samples.list(), json)
    return EXIT.done
  })
}

/** Adds the samples if there are none, and prints them. */
export function addSamples(common: CommonOptions, json: boolean | undefined): number {
  withStore(common, ({ store }) => {
    try {
      insertSamples(store, Date.now())
    } catch (error) {
      if (error instanceof ServiceError) throw new UsageError(error.message)
      throw error
    }
  })
  return showSamples(common, json)
}

/** Removes the samples, and prints what was removed and what stays because another record refers to it. */
export function dropSamples(common: CommonOptions, json: boolean | undefined): number {
  return withStore(common, ({ store }) => {
    const { removed, kept } = removeSamples(store)
    if (json) process.stdout.write(`${jsonText({ removed, kept })}\n`)
    else {
      process.stdout.write(`${removed.length} removed, with all that belongs to them\n`)
      for (const { kind, id, name } of kept)
        process.stdout.write(`${kind} ${id} stays, since something else names it: ${clean(name ?? '')}\n`)
    }
    return EXIT.done
  })
}

function print(samples: readonly NamedSample[], json: boolean | undefined): void {
  printItems(samples, json, ({ kind, id, name }) => [kind, id, name ?? ''])
}

/** The workspace's store with its organization, opened for one task. */
export type OpenedStore = { store: Store; dataDir: string; organizationId: string }

/** Opens the workspace's store, beside processes that use it, and closes it again. */
export function withStore<T>(common: CommonOptions, work: (opened: OpenedStore) => T): T {
  const { dataDir } = localSettings(common, process.env)
  const { store } = openWorkspace({ dataDir })
  try {
    const notice = store.takeNotice()
    if (notice !== undefined) say(notice)
    return work({ store, dataDir, organizationId: store.settings.get('localOrganizationId') ?? '' })
  } finally {
    store.close()
  }
}
