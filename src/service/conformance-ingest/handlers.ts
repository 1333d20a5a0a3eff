import { readDocument } from '../eval-ingest/document.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import {
  ConformanceDocument,
  ConformanceName,
  ConformanceUpsert,
  openConformanceRun,
  hearConformanceRun,
  putReport,
  endConformanceRun,
  settleSilentConformanceRuns,
  toConformanceReply,
  LOOK_MS,
  ConformanceOpening,
} from './runs.ts'

export function conformanceIngestHandlers({ store, background }: ServiceContext): Handlers['conformanceIngest'] {
  background.every(LOOK_MS, () => settleSilentConformanceRuns(store, Date.now()))
  return {
    report({ project, body }) {
      const { reports, ...opening } = readDocument(ConformanceDocument(), body)
      return store.write(() => {
        const { run, reused } = openConformanceRun(store, project.id, opening)
        for (const [suiteKind, report] of Object.entries(reports)) putReport(store, run, suiteKind, report)
        return { ...toConformanceReply(store, endConformanceRun(store, run, 'completed')), reused }
      })
    },
    start({ project, body }) {
      const opening = readDocument(ConformanceOpening(), body)
      return store.write(() => {
        const { run, reused } = openConformanceRun(store, project.id, opening)
        return { ...toConformanceReply(store, run), reused }
      })
    },
    upsertReport({ project, body }) {
      const { runId, suiteKind, report } = readDocument(ConformanceUpsert(), body)
      return store.write(() => {
        const stored = putReport(store, store.conformanceRuns.require(project.id, runId), suiteKind, report)
        return { ok: true, runId, suiteKind, ...stored }
      })
    },
    heartbeat({ project, body }) {
      const { runId } = readDocument(ConformanceName(), body)
      return store.write(() => {
        const run = store.conformanceRuns.require(project.id, runId)
        hearConformanceRun(store, run)
        return { ok: true, runId, status: run.status }
      })
    },
    finalize({ project, body }) {
      const { runId } = readDocument(ConformanceName(), body)
      return store.write(() => {
        const run = store.conformanceRuns.require(project.id, runId)
        return toConformanceReply(store, endConformanceRun(store, run, 'completed'))
      })
    },
  }
}
