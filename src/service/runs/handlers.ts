import type { RerunPreview } from '../../api/contract/runs.ts'
import { ServiceError } from '../core/errors.ts'
import { JsonText } from '../core/reply.ts'
import { invalidField } from '../core/validation.ts'
import { compareRuns } from '../evals/comparison.ts'
import { previewRerun } from '../evals/rerun-selection.ts'
import { createRunInsights } from './insights.ts'
import { createJudging } from './judging.ts'
import { createRunTexts, requireRun, toComparedRun, toEvalRun, withDiagnosticsAfter } from './records.ts'
import { createRun, repeatCases } from './launch.ts'
import type { RunRow } from './rows.ts'
import type { Store } from '../core/database/store.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

const DEFAULT_LIST_LIMIT = 25

export function runHandlers(context: ServiceContext): Handlers['runs'] {
  const { store, runs } = context
  const judging = createJudging(context)
  const insights = createRunInsights(context)
  const textOf = createRunTexts(store, context.cachedTextChars)
  const find = (projectId: string, runId: string) => runs.read(() => requireRun(store, projectId, runId))
  return {
    list: ({ project, params, query }) =>
      runs.read(() => {
        const suite = store.suites.require(project.id, params.suiteId)
        const list = `runs/${suite.id}`
        const size = query.limit ?? DEFAULT_LIST_LIMIT
        const before = query.cursor === undefined ? undefined : store.cursors.read(list, query.cursor)
        const found = store.runs.listBySuite(project.id, suite.id, size + 1, before)
        const rows = found.slice(0, size)
        const last = rows.at(-1)
        return {
          items: rows.map(run => toEvalRun(store, run)),
          ...(found.length > size && last && { nextCursor: store.cursors.write(list, last.number) }),
        }
      }),
    older: ({ project, params, query: { limit: size = DEFAULT_LIST_LIMIT, before } }) =>
      runs.read(() => {
        const suite = store.suites.require(project.id, params.suiteId)
        const last = before === undefined ? undefined : store.runs.get(project.id, before)
        if (before !== undefined && last?.suiteId !== suite.id)
          throw invalidField('before', 'names no run of the suite')
        const found = store.runs.listBySuite(project.id, suite.id, size + 1, last?.number)
        const rows = found.slice(0, size)
        const nextCursor = found.length > size ? rows.at(-1)?.id : undefined
        return { items: rows.map(run => toEvalRun(store, run)), ...(nextCursor !== undefined && { nextCursor }) }
      }),
    create: ({ project, caller, body, idempotencyKey, signal }) =>
      createRun(context, { project, caller }, body, { idempotencyKey, signal }),
    get({ project, params: { runId }, query: { cursor } }) {
      context.jobs.settleAbandoned()
      return runs.read(() => {
        const record =
          cursor === undefined
            ? textOf(project.id, runId)
            : JSON.stringify(withDiagnosticsAfter(store, requireRun(store, project.id, runId), cursor))
        const analyses = JSON.stringify({ insights: insights.envelopeOf(runId), judges: judging.judgesOf(runId) })
        return new JsonText(`${record.slice(0, -1)},${analyses.slice(1)}`)
      })
    },
    requestInsights: ({ project, params, body }) => insights.request(find(project.id, params.runId), body),
    requestJudge: ({ project, params, body }) => judging.request(find(project.id, params.runId), body),
    compare: ({ project, params, query }) =>
      runs.read(() => {
        const run = requireRun(store, project.id, params.runId)
        const base = baselineOf(store, run, query.baseRunId)
        const suite = store.suites.get(project.id, run.suiteId)
        return compareRuns({
          suite: { id: run.suiteId, name: suite?.name ?? run.suiteName },
          policy: query.baseRunId === undefined ? 'previous_completed' : 'run',
          base: toComparedRun(store, base),
          compare: toComparedRun(store, run),
        })
      }),
    cancel({ project, params }) {
      runs.settleAbandoned()
      runs.cancel(requireRun(store, project.id, params.runId))
      return runs.read(() => toEvalRun(store, requireRun(store, project.id, params.runId)))
    },
    rerunPreview: ({ project, params }) =>
      runs.read(() => previewOf(store, requireRun(store, project.id, params.runId))),
    rerun({ project, caller, params, signal }) {
      const { run, preview, cases } = runs.read(() => {
        const source = requireRun(store, project.id, params.runId)
        return { run: source, preview: previewOf(store, source), cases: store.runs.cases(source.id) }
      })
      if (!preview.rerunnable)
        throw new ServiceError('CONFLICT', whyNotRerunnable(preview), { details: { ...preview } })
      const selected = new Set(preview.selectedCaseIds)
      const repeated = cases.filter(({ caseId }) => selected.has(caseId))
      return repeatCases(context, { project, caller }, { run, cases: repeated }, signal)
    },
  }
}

/** Returns the run with which to compare: the named run of the same suite, else the previous completed run. */
function baselineOf(store: Store, run: RunRow, baseRunId: string | undefined): RunRow {
  const named = baseRunId === undefined ? undefined : store.runs.get(run.projectId, baseRunId)
  const base = baseRunId === undefined ? store.runs.previousCompleted(run.suiteId, run.number) : named
  if (base && base.suiteId === run.suiteId) return base
  throw new ServiceError('NOT_FOUND', 'There is no run of this suite to compare with.', {
    details: { reason: 'BASELINE_NOT_FOUND' },
  })
}

/** Runs of other programs cannot be repeated here, because their code and checks are elsewhere. */
function previewOf(store: Store, run: RunRow): RerunPreview {
  const byCase = Map.groupBy(store.trials.list(run.id), trial => trial.caseId)
  const cases = [...byCase].map(([caseId, trials]) => ({ caseId, trials: trials.map(trial => trial.class) }))
  const preview = previewRerun({ runId: run.id, suiteId: run.suiteId, status: run.status, cases })
  return { ...preview, rerunnable: preview.rerunnable && run.source !== 'sdk' }
}

function whyNotRerunnable({ sourceTerminal, selectedCaseCount }: RerunPreview): string {
  if (sourceTerminal && selectedCaseCount > 0)
    return 'Another program executed and reported this run; rerun its cases there.'
  return sourceTerminal ? 'This run has no failed case to rerun.' : 'The run has not ended yet.'
}
