import { ConformanceDocument, ConformanceName, ConformanceOpening, ConformanceUpsert } from './document.ts'
import {
  endConformanceRun,
  hearConformanceRun,
  openConformanceRun,
  putReport,
  requireConformanceRun,
  settleSilentConformanceRuns,
  toConformanceReply,
} from './runs.ts'
import { readDocument } from '../eval-ingest/document.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

/** How often runs of silent programs are looked for, in milliseconds. */
const LOOK_MS = 5000

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
        const stored = putReport(store, requireConformanceRun(store, project.id, runId), suiteKind, report)
        return { ok: true, runId, suiteKind, ...stored }
      })
    },
    heartbeat({ project, body }) {
      const { runId } = readDocument(ConformanceName(), body)
      return store.write(() => {
        const run = requireConformanceRun(store, project.id, runId)
        hearConformanceRun(store, run)
        return { ok: true, runId, status: run.status }
      })
    },
    finalize({ project, body }) {
      const { runId } = readDocument(ConformanceName(), body)
      return store.write(() => {
        const run = requireConformanceRun(store, project.id, runId)
        return toConformanceReply(store, endConformanceRun(store, run, 'completed'))
      })
    },
  }
}
