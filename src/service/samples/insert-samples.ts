import { insertClient } from '../clients/clients.ts'
import { isBusy } from '../../lib/sqlite.ts'
import type { Store } from '../core/database/store.ts'
import { insertEnvironment } from '../environments/environments.ts'
import { appendResults, finalizeIngestRun, openIngestRun } from '../eval-ingest/runs.ts'
import { NIGHTLY, NIGHTS, reportOf, CLIENT, ENVIRONMENT } from './recorded.ts'
import { replayReadiness } from './replay-readiness.ts'
import { replayVisits } from './replay-visits.ts'
import { replayWaves } from './replay-waves.ts'
import { SAMPLE_STEPS, type SampleStep } from './rows.ts'
import { freeName, stageOf, type Stage } from './stage.ts'
/** Number of days that the samples cover. */
const CAST_DAYS = 22
const CAST_HOUR = 8

const STEPS: Record<SampleStep, (stage: Stage) => void> = {
  cast: insertCast,
  nights: replayNights,
  waves: replayWaves,
  visits: replayVisits,
  readiness: replayReadiness,
}

/**
 * Adds samples for the Sandbox's reference server. They pass through the same engines as real input.
 * @param now epoch milliseconds
 * @returns false if there are samples already
 * @throws ServiceError `NOT_FOUND` without the server
 */
export function insertSamples(store: Store, now: number): boolean {
  return store.write(() => {
    if (store.samples.due().length === 0) {
      if (store.samples.list().length > 0) return false
      store.samples.setDue(SAMPLE_STEPS)
    }
    let isMore = true
    while (isMore) isMore = insertNextSamples(store, now)
    return true
  })
}

/**
 * Inserts the next due part in one transaction. If it fails, this part and the later ones are given up, unless the
 * database was busy.
 * @param now epoch milliseconds
 * @returns whether anything is left
 * @throws ServiceError if its subject is gone
 */
export function insertNextSamples(store: Store, now: number): boolean {
  try {
    return store.write(() => {
      const [step, ...later] = store.samples.due()
      if (step === undefined) return false
      STEPS[step](stageOf(store, now))
      store.samples.setDue(later)
      return later.length > 0
    })
  } catch (error) {
    if (!isBusy(error)) store.write(() => store.samples.setDue([]))
    throw error
  }
}

/**
 * Deletes the samples with everything that belongs to them, even later additions. Samples that other records refer to
 * are kept, and are then no longer samples.
 */
export function removeSamples(store: Store) {
  return store.write(() => store.samples.removeAll())
}

/** Inserts the client and the environment that all samples use. */
function insertCast({ store, project, server, at, mark }: Stage): void {
  const { clients, environments } = store
  const madeAt = at(CAST_DAYS, CAST_HOUR)
  const client = insertClient(
    store,
    project.id,
    {
      name: freeName(CLIENT.name, name => clients.findByName(project.id, name) !== undefined),
      config: { ...CLIENT.config, serverIds: [server.id], optionalServerIds: [] },
    },
    madeAt,
  )
  mark('client', client)
  const named = {
    ...ENVIRONMENT,
    name: freeName(ENVIRONMENT.name, name => environments.findByName(project.id, name) !== undefined),
  }
  mark('environment', insertEnvironment(store, project.id, { ...named, hostId: client.id }, madeAt))
}

const NIGHT_HOUR = 2.5

/** Inserts the reports of all nights as if a program had sent them. */
function replayNights({ store, project, server, at, mark }: Stage): void {
  const suiteName = freeName(NIGHTLY.suiteName, name => store.suiteOwnership.findNamed(project.id, name) !== undefined)
  // The suite has no creator, so only admins may delete it.
  const nobody = ''
  for (const [index, daysAgo] of NIGHTS.entries()) {
    const startedAt = at(daysAgo, NIGHT_HOUR)
    const { opening, results } = reportOf(daysAgo, startedAt, server.name)
    const { run } = openIngestRun(store, project, nobody, { ...opening, suiteName }, startedAt)
    if (index === 0) mark('suite', { id: run.suiteId })
    const took = results.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0)
    appendResults(store, run, results, startedAt + took)
    finalizeIngestRun(store, run, startedAt + took)
  }
}
