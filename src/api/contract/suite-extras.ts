import * as z from 'zod'
import { endpoint, resource } from './endpoint.ts'
import { EvalRunAnalysisRequested, EvalRunInsightsRequest, EvalRunJudgeRequest } from './judge-shapes.ts'
import { openObject, record, shape, strictBody } from './shapes.ts'
import { EvalCase, EvalSuiteDetail } from './suites.ts'

/** With several attached environments `environmentId` is mandatory, which only the service can judge. */
export const EvalSuiteScheduleRequest = shape(() =>
  strictBody({
    enabled: z.boolean(),
    intervalMinutes: z.int().min(5).max(10_080).optional(),
    environmentId: z.string().min(1).optional(),
  }),
)

export const EvalSuiteEnvironmentAttachRequest = shape(() => strictBody({ environmentId: z.string() }))

/** `attached` is false when the environment was there already. */
export const EvalSuiteEnvironmentAttached = shape(() =>
  record({ suiteId: z.string(), attached: z.boolean(), environmentIds: z.array(z.string()) }),
)
export type EvalSuiteEnvironmentAttached = z.infer<typeof EvalSuiteEnvironmentAttached>

const bucket = shape(() => z.int().min(0).max(10).optional())

/** `caseMix` supersedes `mode`; a bucket that it leaves out keeps its usual count. */
export const EvalCaseGenerateRequest = shape(() =>
  strictBody({
    mode: z.enum(['normal', 'negative']).optional(),
    servers: z.array(z.string().min(1)).optional(),
    environmentId: z.string().min(1).optional(),
    caseModels: z.array(strictBody({ model: z.string(), provider: z.string().optional() })).optional(),
    caseMix: strictBody({
      simple: bucket(),
      multiTool: bucket(),
      multiTurn: bucket(),
      complex: bucket(),
      negative: bucket(),
    }).optional(),
    varyUserStyles: z.boolean().optional(),
    idempotencyKey: z.string().min(1).max(256).optional(),
  }).optional(),
)

/** The stored cases; `skipped` holds drafts that could not be stored. */
export const EvalCaseGenerated = shape(() =>
  record({
    generationModel: z.string().nullish(),
    created: z.array(EvalCase()),
    counts: record({ normal: z.number().nullish(), negative: z.number().nullish() }).nullish(),
    skipped: z.array(openObject()).nullish(),
  }),
)
export type EvalCaseGenerated = z.infer<typeof EvalCaseGenerated>

const suite = '/projects/{projectId}/eval-suites/{suiteId}' as const
const run = '/projects/{projectId}/eval-runs/{runId}' as const

export const suiteExtras = resource('suites', {
  schedule: endpoint('updateEvalSuiteSchedule', 'PATCH', `${suite}/schedule`, {
    summary: "Switch a suite's recurring run on or off, or repoint it; each run spends.",
    body: EvalSuiteScheduleRequest,
    response: EvalSuiteDetail,
    errors: ['VALIDATION_ERROR', 'CONFLICT'],
    risk: 'spend',
    casesInAnswer: true,
  }),
  attachEnvironment: endpoint('attachEvalSuiteEnvironment', 'POST', `${suite}/environments`, {
    summary: 'Add one environment to a suite, keeping the others.',
    body: EvalSuiteEnvironmentAttachRequest,
    response: EvalSuiteEnvironmentAttached,
    risk: 'write',
    idempotency: 'natural',
  }),
})

export const caseExtras = resource('cases', {
  generate: endpoint('generateEvalCases', 'POST', `${suite}/cases/generate`, {
    summary: 'Have a model write and save cases from live tools.',
    body: EvalCaseGenerateRequest,
    response: EvalCaseGenerated,
    errors: ['VALIDATION_ERROR', 'CONFLICT', 'OAUTH_REQUIRED', 'SERVER_UNREACHABLE', 'TIMEOUT'],
    risk: 'spend',
    idempotency: 'header',
    idempotencyHeaders: ['idempotency-key', 'x-mcpjam-idempotency-key'],
    refreshes: ['suites'],
    casesInAnswer: true,
    // Connecting, drafting and storing all happen inside the one answer.
    deadlineMs: 120_000,
  }),
})

export const runExtras = resource('runs', {
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
