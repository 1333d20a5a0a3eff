import { readDocument, RunBatch, RunName, RunOpening, RunReport } from './document.ts'
import { judgeWithPatternsApart } from '../evals/pattern.ts'
import {
  appendResults,
  finalizeIngestRun,
  openIngestRun,
  requireIngestRun,
  settleSilentRuns,
  toIngestReply,
} from './runs.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

/** How often runs of silent programs are looked for, in milliseconds. */
const LOOK_MS = 6000

/** The project of every path wins over any `projectId` of the body, as the contract has it. */
export function evalIngestHandlers({ store, background }: ServiceContext): Handlers['evalIngest'] {
  background.every(LOOK_MS, () => settleSilentRuns(store, Date.now()))
  return {
    report({ project, caller, body }) {
      const { results, ...opening } = readDocument(RunReport(), body)
      return judgeWithPatternsApart(test => {
        const { run, reused } = openIngestRun(store, project, caller.keyId, opening)
        if (run.status === 'running') appendResults(store, run, results, Date.now(), test)
        return toIngestReply(finalizeIngestRun(store, run), reused)
      }, store.write)
    },
    start({ project, caller, body }) {
      const opening = readDocument(RunOpening(), body)
      return store.write(() => {
        const { run, reused } = openIngestRun(store, project, caller.keyId, opening)
        return toIngestReply(run, reused)
      })
    },
    iterations({ project, body }) {
      const { results, ...name } = readDocument(RunBatch(), body)
      return judgeWithPatternsApart(test => {
        const run = requireIngestRun(store, project.id, name)
        return { ok: true, runId: run.id, ...appendResults(store, run, results, Date.now(), test) }
      }, store.write)
    },
    finalize({ project, body }) {
      const name = readDocument(RunName(), body)
      return store.write(() => {
        const run = requireIngestRun(store, project.id, name)
        return toIngestReply(finalizeIngestRun(store, run), run.status !== 'running')
      })
    },
  }
}
