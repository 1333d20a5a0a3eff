import * as z from 'zod'
import { pageOptions, limit, record, shape, strictBody, openEnum, timestamp } from './shapes.ts'
import { endpoint, resource } from './endpoint.ts'

const verdict = shape(() => openEnum(['ready', 'not-ready', 'incomplete']))
const kind = shape(() => openEnum(['claude', 'openai']))
const lane = shape(() =>
  openEnum([
    'runtime-compatibility',
    'directory-policy',
    'optional-features',
    'submission-artifacts',
    'experience-insights',
    'plugin-package',
    'release-contract',
  ]),
)

/**
 * The examination of one lane. The absence of violations is no pass if nothing was evaluated. `missingInputs` could
 * close gaps.
 */
export const ReadinessLane = shape(() =>
  record({
    lane: lane(),
    status: verdict().nullish(),
    evaluated: z.number().nullish(),
    notEvaluated: z.number().nullish(),
    notApplicable: z.number().nullish(),
    missingInputs: z.array(z.string()).nullish(),
  }),
)
export type ReadinessLane = z.infer<typeof ReadinessLane>

const ReadinessStage = shape(() =>
  record({
    stage: openEnum(['technical-preflight', 'submission-ready']),
    status: verdict().nullish(),
    lanes: z.array(lane()).nullish(),
  }),
)

/** A model's observations, independent of the run's status. `reason` is stable, `detail` is text for people. */
const ReadinessObservations = shape(() =>
  record({
    status: openEnum([
      'not-requested',
      'pending',
      'completed',
      'billing-blocked',
      'provider-failed',
      'invalid-output',
    ]).nullish(),
    reason: openEnum([
      'not_requested',
      'billing_limit_reached',
      'provider_error',
      'provider_timeout',
      'schema_invalid',
      'no_evidence',
      'cancelled',
    ]).nullish(),
    detail: z.string().nullish(),
  }),
)

export const readinessStatus = shape(() => openEnum(['pending', 'running', 'completed', 'failed', 'cancelled']))

/**
 * A server graded against a publisher's requirements. `incomplete` means that nothing is violated, but part was not
 * checked.
 */
export const ReadinessRun = shape(() =>
  record({
    id: z.string(),
    readinessKind: kind().nullish(),
    serverId: z.string().nullish(),
    serverUrl: z.string().nullish(),
    submissionMode: openEnum(['mcp-only', 'mcp-imported-skills']).nullish(),
    status: readinessStatus(),
    overallStatus: verdict().nullish(),
    lanes: z.array(ReadinessLane()).nullish(),
    stages: z.array(ReadinessStage()).nullish(),
    authMode: openEnum(['headless', 'interactive', 'provided-token']).nullish(),
    capabilities: z.array(z.string()).nullish(),
    attemptCount: z.number().nullish(),
    terminalReason: z.string().nullish(),
    errorMessage: z.string().nullish(),
    policySnapshotDate: z.string().nullish(),
    engineVersion: z.string().nullish(),
    sdkVersion: z.string().nullish(),
    includeLlmObservations: z.boolean().nullish(),
    llmObservations: ReadinessObservations().nullish(),
    hasReport: z.boolean().nullish(),
    reportUrl: z.string().nullish(),
    createdAt: timestamp().nullish(),
    updatedAt: timestamp().nullish(),
  }),
)
export type ReadinessRun = z.infer<typeof ReadinessRun>

/** Reply of a start. `status` is that of the earlier run if `deduped`. */
export const ReadinessRunReceipt = shape(() =>
  record({
    runId: z.string(),
    projectId: z.string().nullish(),
    serverId: z.string().nullish(),
    readinessKind: kind().nullish(),
    status: readinessStatus().nullish(),
    deduped: z.boolean().nullish(),
    includeLlmObservations: z.boolean().nullish(),
  }),
)
export type ReadinessRunReceipt = z.infer<typeof ReadinessRunReceipt>

/** Fields of a start. An absent `includeLlmObservations` means false; true costs credits. */
const startFields = () => ({
  idempotencyKey: z.string().max(200).optional(),
  includeLlmObservations: z.boolean().optional(),
})

export const ClaudeReadinessRequest = shape(() => strictBody(startFields()))

/** The submission form is never guessed: without a forgotten package a report would look better than it is. */
export const OpenAIReadinessRequest = shape(() =>
  strictBody({ submissionMode: z.enum(['mcp-only', 'mcp-imported-skills']), ...startFields() }),
)

export const ReadinessRunCancelled = shape(() =>
  record({ runId: z.string(), projectId: z.string().nullish(), status: readinessStatus().nullish() }),
)

/** Every finding with citation and provenance. The contract does not define the document. */
export const ReadinessReport = shape(() => record({}))
export type ReadinessReport = z.infer<typeof ReadinessReport>

/** The only list whose `items` the OpenAPI file marks as optional. */
const ReadinessRunPage = shape(() =>
  record({
    items: z
      .array(ReadinessRun())
      .nullish()
      .transform(items => items ?? []),
    nextCursor: z.string().nullish(),
  }),
)

const start = '/projects/{projectId}/servers/{serverId}/readiness-runs' as const
const collection = '/projects/{projectId}/readiness-runs' as const
const run = `${collection}/{runId}` as const

/** A start connects to a third party's server, and with observations spends credits, so it counts as `spend`. */
const starting = { status: 202, response: ReadinessRunReceipt, risk: 'spend', idempotency: 'none' } as const

export const readiness = resource('readiness', {
  startClaude: endpoint('startClaudeReadinessRun', 'POST', `${start}/claude`, {
    ...starting,
    summary: "Grade a saved server against Anthropic's directory rules; free without observations.",
    body: shape(() => ClaudeReadinessRequest().optional()),
  }),
  startOpenAI: endpoint('startOpenAIReadinessRun', 'POST', `${start}/openai`, {
    ...starting,
    summary: "Grade a saved server against OpenAI's directory rules; free without observations.",
    body: OpenAIReadinessRequest,
  }),
  list: endpoint('listReadinessRuns', 'GET', collection, {
    summary: 'Readiness runs of a project, latest first.',
    query: shape(() =>
      strictBody({
        readinessKind: z.enum(['claude', 'openai']).optional(),
        serverId: z.string().optional(),
        ...pageOptions(),
        limit: limit(100).optional(),
      }),
    ),
    response: ReadinessRunPage,
  }),
  get: endpoint('getReadinessRun', 'GET', run, {
    summary: 'One readiness run: lanes, coverage, observation state.',
    response: ReadinessRun,
  }),
  cancel: endpoint('cancelReadinessRun', 'POST', `${run}/cancel`, {
    summary: 'Abort a readiness run; an ended run is a conflict.',
    response: ReadinessRunCancelled,
    errors: ['CONFLICT'],
    risk: 'end',
  }),
  report: endpoint('getReadinessReport', 'GET', `${run}/report`, {
    summary: 'Full findings report of a readiness run, if stored.',
    response: ReadinessReport,
  }),
})
