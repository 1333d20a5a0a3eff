import * as z from 'zod'
import {
  pageOptions,
  queryCursor,
  listOf,
  limit,
  openEnum,
  openObject,
  page,
  record,
  shape,
  strictBody,
  timestamp,
} from './shapes.ts'
import { endpoint, resource } from './endpoint.ts'

/** One scorer's row on one iteration. `error` means that the grader broke, which is not a low score. */
export const ScoreResult = shape(() =>
  record({
    scorerId: z.string(),
    /** Digest of the definition of the scorer, such as an assertion with its arguments. */
    definitionHash: z.string().nullish(),
    status: openEnum(['scored', 'error', 'skipped', 'not_applicable']),
    value: z.number().nullish(),
    passThreshold: z.number().nullish(),
    passed: z.boolean().nullish(),
    rationale: z.string().nullish(),
    error: z.string().nullish(),
  }),
)

export const EvalIteration = shape(() =>
  record({
    id: z.string(),
    testCaseId: z.string().nullish(),
    title: z.string().nullish(),
    iterationNumber: z.number(),
    status: openEnum(['pending', 'running', 'completed', 'failed', 'cancelled']),
    result: openEnum(['passed', 'failed']).nullish(),
    model: z.string().nullish(),
    provider: z.string().nullish(),
    startedAt: timestamp().nullish(),
    durationMs: z.number().nullish(),
    tokensUsed: z.number().nullish(),
    usage: openObject().nullish(),
    actualToolCalls: z.array(openObject()).nullish(),
    expectedToolCalls: z.array(openObject()).nullish(),
    error: z.string().nullish(),
    scores: z.array(ScoreResult()).nullish(),
    evaluationConfig: openObject().nullish(),
    scoreIntegrity: z.string().nullish(),
  }),
)
export type EvalIteration = z.infer<typeof EvalIteration>

export const EvalStepVerdict = shape(() =>
  record({
    stepId: z.string(),
    stepIndex: z.number(),
    kind: openEnum(['prompt', 'toolCall', 'interact', 'assert']),
    status: openEnum(['ok', 'fail', 'skipped', 'pending']),
    reason: z.string().nullish(),
    evidence: openObject().nullish(),
  }),
)
export type EvalStepVerdict = z.infer<typeof EvalStepVerdict>

/** Conversation, tool calls and spans of one iteration, in a document that may evolve. */
export const EvalTrace = shape(() => record({}))
export type EvalTrace = z.infer<typeof EvalTrace>

/**
 * Maximum size in bytes of a trace, or of a page of trials: some hundred tool results of the size that a server may
 * send.
 */
const MAX_RECORDED_BYTES = 256 * 1024 * 1024

const iteration = '/projects/{projectId}/eval-runs/{runId}/iterations/{iterationId}'

export const iterations = resource('iterations', {
  list: endpoint('listEvalRunIterations', 'GET', '/projects/{projectId}/eval-runs/{runId}/iterations', {
    summary: "Page through a run's iterations: calls, tokens, latency.",
    query: shape(() => strictBody({ ...pageOptions(), limit: limit(200).optional() })),
    response: page(EvalIteration),
    cursor: queryCursor,
    maxAnswerBytes: MAX_RECORDED_BYTES,
    varies: 'eval-vocabulary',
  }),
  trace: endpoint('getEvalIterationTrace', 'GET', `${iteration}/trace`, {
    summary: 'Whole recorded trace of one iteration.',
    response: EvalTrace,
    maxAnswerBytes: MAX_RECORDED_BYTES,
  }),
  steps: endpoint('getEvalRunSteps', 'GET', `${iteration}/steps`, {
    summary: 'Verdict of each authored step inside one iteration.',
    ...listOf(EvalStepVerdict),
  }),
})
