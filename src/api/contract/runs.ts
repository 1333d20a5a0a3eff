import { EvalRunAnalysisRequested, EvalRunInsightsRequest, EvalRunJudgeRequest, EvalRunJudges } from './judge-shapes.ts'
import * as z from 'zod'
import { pageOptions, limit, openEnum, openObject, page, record, shape, strictBody, timestamp } from './shapes.ts'
import { endpoint, resource } from './endpoint.ts'
import { EvalRunEnvironment, EvalTestCase, MatchOptionsOverride, PassCriteria } from './eval-shapes.ts'
import { InsightsEnvelope } from './insight-shapes.ts'
import { EvalRunCompare, RunSummary } from './run-comparison.ts'
import { CaseUpsert, NamedServer } from './suites.ts'

type Named = { id: string; runNumber?: number | null | undefined }

/** Returns `#3`, or the id of a run without a number. */
export function runNumberOf({ id, runNumber }: Named): string {
  return runNumber == null ? id : `#${runNumber}`
}

/** Returns `run #3`, for use within a sentence. */
export function runName(run: Named): string {
  return `run ${runNumberOf(run)}`
}

/** Returns `#3`, or the end of the id, for a few columns. */
export function shortRunName({ id, runNumber }: Named): string {
  return runNumber == null ? id.slice(-5) : `#${runNumber}`
}

/**
 * States after which a run never changes (contract: "Eval run status"). See {@link isTerminalRunStatus} for all others.
 */
export const TERMINAL_RUN_STATUSES = ['completed', 'failed', 'cancelled'] as const

/** Whether a run has ended. `timed_out` counts as ended (differences, row 17), every other unknown state does not. */
export function isTerminalRunStatus(status: string): boolean {
  return (TERMINAL_RUN_STATUSES as readonly string[]).includes(status) || status === 'timed_out'
}

/** One page of the failures of a run. Its rows are not documented, so all of it is optional. */
export const Diagnostics = shape(() =>
  record({
    /** Whether every failure of the run is on this page. Never true for a page requested with a cursor. */
    complete: z.boolean().nullish(),
    scannedIterations: z.number().nullish(),
    nextCursor: z.string().nullish(),
    failures: z
      .array(
        record({
          iterationId: z.string().nullish(),
          title: z.string().nullish(),
          iterationNumber: z.number().nullish(),
          class: z.string().nullish(),
          stage: z.string().nullish(),
          reason: z.string().nullish(),
          evidence: record({ tracePath: z.string().nullish() }).nullish(),
        }),
      )
      .nullish(),
  }),
)
export type Diagnostics = z.infer<typeof Diagnostics>

/** The decision of a run with its evidence. It is mostly undocumented, so everything is optional and open. */
export const DecisionSummary = shape(() =>
  record({
    measurementUnit: z.string().nullish(),
    decision: z.string().nullish(),
    verdict: z.unknown().optional(),
    counts: openObject().nullish(),
    diagnostics: Diagnostics().nullish(),
    evidence: record({ tracePath: z.string().nullish() }).nullish(),
  }),
)
export type DecisionSummary = z.infer<typeof DecisionSummary>

/**
 * A server that a run started, as the local workspace reports it. A second server with the same name replaced a broken
 * one.
 */
const StartedServer = shape(() =>
  record({
    name: z.string(),
    startedAt: timestamp(),
    transport: z.string().nullish(),
    /** The program with its arguments. */
    command: z.array(z.string()).nullish(),
    url: z.string().nullish(),
    /** Name, version and other facts that the server reports about itself. */
    serverInfo: openObject().nullish(),
    protocolVersion: z.string().nullish(),
  }),
)
export type StartedServer = z.infer<typeof StartedServer>

export const EvalRun = shape(() =>
  record({
    id: z.string(),
    suiteId: z.string(),
    runNumber: z.number().nullish(),
    status: openEnum(['pending', 'running', ...TERMINAL_RUN_STATUSES]),
    result: openEnum(['passed', 'failed']).nullish(),
    summary: RunSummary().nullish(),
    source: openEnum(['ui', 'api', 'sdk']).nullish(),
    notes: z.string().nullish(),
    createdAt: timestamp(),
    completedAt: timestamp().nullish(),
    scoreIntegrity: openEnum(['valid', 'invalid']).nullish(),
    environment: EvalRunEnvironment().nullish(),
    client: record({
      id: z.string().nullish(),
      name: z.string(),
      source: openEnum(['environment', 'attached_host', 'suite_default', 'sdk']).nullish(),
      hostStyle: z.string().nullish(),
      modelId: z.string().nullish(),
    }).nullish(),
    modelSource: openEnum(['case', 'client_default', 'override']).nullish(),
    executionEngine: z.string().nullish(),
    startedServers: z.array(StartedServer()).nullish(),
    decisionSummary: DecisionSummary().nullish(),
    insights: InsightsEnvelope().nullish(),
    judges: EvalRunJudges().nullish(),
  }),
)
export type EvalRun = z.infer<typeof EvalRun>

export const EvalRunCreateRequest = shape(() =>
  strictBody({
    suiteId: z.string().optional(),
    suiteName: z.string().optional(),
    suiteDescription: z.string().optional(),
    tests: z.array(EvalTestCase()).max(100).optional(),
    serverIds: z.array(z.string()).min(1).optional(),
    serverNames: z.array(z.string()).optional(),
    hosts: z.array(strictBody({ host: z.string().min(1), servers: z.array(z.string()).optional() })).optional(),
    model: z.string().optional(),
    suiteRerun: z.boolean().optional(),
    modelApiKeys: z.record(z.string(), z.string()).optional(),
    notes: z.string().optional(),
    passCriteria: PassCriteria().optional(),
    iterationOverride: z.int().min(1).max(10).optional(),
    environmentId: z.string().optional(),
    namedHostId: z.string().optional(),
    caseIds: z.array(z.string()).min(1).optional(),
    matchOptionsOverride: MatchOptionsOverride().optional(),
    skillsOverride: z.literal('exclude').optional(),
    refreshSnapshot: z.boolean().optional(),
    runGroupId: z.string().optional(),
    idempotencyKey: z.string().max(256).optional(),
  }).refine(body => body.suiteId !== undefined || (body.suiteName && body.tests?.length), {
    path: ['suiteId'],
    error: 'send suiteId, or suiteName with tests and servers',
  }),
)

export const EvalRunCreated = shape(() =>
  record({
    runId: z.string(),
    suiteId: z.string(),
    status: z.string(),
    deduped: z.boolean().nullish(),
    runGroupId: z.string().nullish(),
    servers: z.array(NamedServer()).nullish(),
    caseUpsert: CaseUpsert().nullish(),
    environment: EvalRunEnvironment().nullish(),
  }),
)
export type EvalRunCreated = z.infer<typeof EvalRunCreated>

/**
 * The cases and trials that a rerun of failed cases would execute. `selected…` count cases, `reasons` and `excluded`
 * count trials.
 */
export const RerunPreview = shape(() =>
  record({
    runId: z.string(),
    suiteId: z.string(),
    scope: z.string(),
    sourceStatus: z.string(),
    sourceTerminal: z.boolean(),
    totalCaseCount: z.number(),
    selectedCaseCount: z.number(),
    selectedCaseIds: z.array(z.string()),
    reasons: z.record(z.string(), z.number()),
    excluded: z.record(z.string(), z.number()),
    rerunnable: z.boolean(),
  }),
)
export type RerunPreview = z.infer<typeof RerunPreview>

/** Classes of a trial that select its case for a rerun, most specific first (contract: "Rerun preview"). */
export const RERUN_REASONS = [
  'failed',
  'evaluator_error',
  'timed_out',
  'execution_failed',
  'setup_failed',
  'pending',
] as const

/** Only `scope` is documented. The service refuses other fields. */
export const RerunRequest = shape(() => strictBody({ scope: z.literal('failed_cases') }))

/** The reply of a rerun, which is not documented: every field may be missing. */
export const RerunLaunched = shape(() =>
  record({ runId: z.string().nullish(), suiteId: z.string().nullish(), status: z.string().nullish() }),
)

const collection = '/projects/{projectId}/eval-runs' as const
const run = `${collection}/{runId}` as const
const launch = ['VALIDATION_ERROR', 'CONFLICT', 'SERVER_UNREACHABLE', 'TIMEOUT'] as const

export const runs = resource('runs', {
  list: endpoint('listEvalSuiteRuns', 'GET', '/projects/{projectId}/eval-suites/{suiteId}/runs', {
    summary: "One suite's latest runs, most recent first.",
    query: shape(() => strictBody({ ...pageOptions(), limit: limit(100).optional() })),
    response: page(EvalRun),
    varies: 'eval-vocabulary',
    bareList: true,
    source: 'prose',
  }),
  older: endpoint('listOlderRuns', 'GET', '/local/projects/{projectId}/eval-suites/{suiteId}/runs', {
    summary: 'Runs of a suite that began before one of them, most recent first.',
    query: shape(() => strictBody({ limit: limit(100).optional(), before: z.string().optional() })),
    response: page(EvalRun),
    errors: ['VALIDATION_ERROR'],
    cursor: { in: 'query', name: 'before' },
    local: true,
  }),
  create: endpoint('createEvalRun', 'POST', collection, {
    summary: 'Start an eval run in the background; returns its id.',
    body: EvalRunCreateRequest,
    status: 202,
    response: EvalRunCreated,
    errors: launch,
    risk: 'spend',
    idempotency: 'header',
    secrets: ['body.modelApiKeys'],
    refreshes: ['suites'],
    casesInBody: true,
    source: 'prose',
  }),
  get: endpoint('getEvalRun', 'GET', run, {
    summary: 'Read one run while polling: status, verdict, totals.',
    query: shape(() => strictBody({ cursor: z.string().optional() })),
    response: EvalRun,
    source: 'prose',
  }),
  compare: endpoint('compareEvalRun', 'GET', `${run}/compare`, {
    summary: 'Diff a run against a baseline, case by case.',
    query: shape(() => strictBody({ baseRunId: z.string().optional() })),
    response: EvalRunCompare,
  }),
  cancel: endpoint('cancelEvalRun', 'POST', `${run}/cancel`, {
    summary: 'Stop a run still in flight; an ended run is a conflict.',
    response: EvalRun,
    errors: ['CONFLICT'],
    risk: 'end',
    idempotency: 'natural',
    refreshes: ['iterations', 'suites'],
  }),
  rerunPreview: endpoint('previewEvalRunRerun', 'GET', `${run}/rerun-preview`, {
    summary: 'What a rerun of the failed cases would execute, before anything spends.',
    response: RerunPreview,
    source: 'prose',
  }),
  rerun: endpoint('rerunEvalRun', 'POST', `${run}/rerun`, {
    summary: 'Launch the failed cases of a finished run again.',
    body: RerunRequest,
    status: 202,
    response: RerunLaunched,
    errors: ['VALIDATION_ERROR', 'CONFLICT'],
    risk: 'spend',
    refreshes: ['suites'],
    source: 'prose',
  }),
  requestInsights: endpoint('requestEvalRunInsights', 'POST', `${run}/insights`, {
    summary: "Schedule model insights for a finished eval run; draws on the day's insights.",
    body: EvalRunInsightsRequest,
    status: 202,
    response: EvalRunAnalysisRequested,
    risk: 'spend',
  }),
  requestJudge: endpoint('requestEvalRunJudge', 'POST', `${run}/judge`, {
    summary: 'Schedule goal-completion grading of a finished eval run.',
    body: EvalRunJudgeRequest,
    status: 202,
    response: EvalRunAnalysisRequested,
    risk: 'spend',
  }),
})

type OwnChecks<T> = { mode?: string | null | undefined; list?: readonly T[] | null | undefined }

/** Applies the case's `checks.mode` to the suite's list (assertions.md). An absent mode means `inherit`. */
export function effectiveChecks<T>(suite: readonly T[], own: OwnChecks<T> | null | undefined): T[] {
  const list = own?.list ?? []
  if (own?.mode === 'replace') return [...list]
  return own?.mode === 'extend' ? [...suite, ...list] : [...suite]
}

/** Whether a case uses a model. Without a prompt it uses none and spends no tokens, however many models it names. */
export function asksModel({ steps }: { steps: readonly { kind: string }[] }): boolean {
  return steps.some(({ kind }) => kind === 'prompt')
}

/** Returns the key of a case-execution variant (contract: "Decision summary"): a case on one model. */
export function variantKey(variant: {
  caseId: string
  model?: string | null | undefined
  provider?: string | null | undefined
}): string {
  const { caseId, model, provider } = variant
  // A run may have ten thousand trials, most without a model, whose keys need not be built.
  return model || provider ? JSON.stringify([caseId, model ?? null, provider ?? null]) : caseId
}
