import { appendResults, finalizeIngestRun, openIngestRun } from '../eval-ingest/runs.ts'
import { freeName, type Stage } from './stage.ts'
import { NIGHTLY, NIGHTS, reportOf } from './recorded-nights.ts'

const NIGHT_HOUR = 2.5

/** Takes the report of every night as a program sends it. */
export function replayNights({ store, project, server, at, mark }: Stage): void {
  const suiteName = freeName(
    NIGHTLY.suiteName,
    name => store.suiteOwnership.findNamed(project.id, name) !== undefined,
  )
  // Nobody's key made the suite, so that only admins may delete it by hand.
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
