import * as z from 'zod'
import { openEnum, record, shape, timestamp } from './shapes.ts'

/** The subject of an insights document. `kind` decides which of the optional ids apply. */
export const InsightScope = shape(() =>
  record({
    kind: openEnum(['eval_run', 'swarm_wave', 'user_testing_window']),
    id: z.string(),
    runId: z.string().nullish(),
    scenarioId: z.string().nullish(),
    windowStartAt: timestamp().nullish(),
    windowEndAt: timestamp().nullish(),
  }),
)
export type InsightScope = z.infer<typeof InsightScope>

/** The source of an observation. The service removes secrets from the excerpt and cuts it. */
export const ActionableFindingEvidence = shape(() =>
  record({
    sessionId: z.string().nullish(),
    iterationId: z.string().nullish(),
    kind: openEnum(['tool_error', 'transcript', 'feedback', 'judge', 'contrast']),
    excerpt: z.string().nullish(),
    toolName: z.string().nullish(),
    errorCode: z.string().nullish(),
  }),
)
export type ActionableFindingEvidence = z.infer<typeof ActionableFindingEvidence>

/** The definition that should be changed. Present only if it was found in a snapshot. */
const FindingTarget = shape(() =>
  record({
    serverId: z.string(),
    toolName: z.string().nullish(),
    surface: openEnum(['description', 'input_schema', 'output_schema', 'handler', 'server_instructions', 'capability']),
    fieldPath: z.string().nullish(),
    snapshotHash: z.string().nullish(),
    currentDefinition: record({
      description: z.string().nullish(),
      inputSchemaJson: z.string().nullish(),
      outputSchemaJson: z.string().nullish(),
      truncated: z.boolean().nullish(),
    }).nullish(),
  }),
)

/** One finding: `observed` is measured, `rootCause` and `recommendation` come from a model. */
export const ActionableFinding = shape(() =>
  record({
    id: z.string(),
    signalFingerprint: z.string().nullish(),
    title: z.string(),
    category: openEnum([
      'unknown',
      'tool_contract',
      'tool_runtime',
      'capability_gap',
      'workflow',
      'agent_behavior',
      'test_design',
      'environment',
    ]).nullish(),
    attribution: openEnum([
      'unknown',
      'server_contract',
      'server_runtime',
      'server_capability',
      'agent_or_prompt',
      'test_design',
      'environment',
    ]).nullish(),
    actionTarget: openEnum(['investigate', 'mcp_server', 'agent_configuration', 'eval_case', 'environment']).nullish(),
    actionability: openEnum(['informational', 'investigate', 'ready']).nullish(),
    severity: openEnum(['info', 'low', 'medium', 'high']).nullish(),
    confidence: openEnum(['low', 'medium', 'high']).nullish(),
    observed: z.string().nullish(),
    rootCause: z.string().nullish(),
    recommendation: z.string().nullish(),
    acceptanceCriteria: z.array(z.string()).nullish(),
    affected: record({
      count: z.number().nullish(),
      total: z.number().nullish(),
      unit: openEnum(['iterations', 'sessions']).nullish(),
    }).nullish(),
    patternSlug: z.string().nullish(),
    target: FindingTarget().nullish(),
    evidence: z.array(ActionableFindingEvidence()).nullish(),
  }),
)
export type ActionableFinding = z.infer<typeof ActionableFinding>

/** The amount that was analyzed. It must be read before a finding is quoted. */
const InsightCoverage = shape(() =>
  record({
    unit: openEnum(['iterations', 'sessions']).nullish(),
    analyzed: z.number().nullish(),
    total: z.number().nullish(),
    gradedCount: z.number().nullish(),
    feedbackCount: z.number().nullish(),
    truncated: z.boolean().nullish(),
    lowConfidence: z.boolean().nullish(),
  }),
)

/** Attempts of a wave by target. Present only in insights about a swarm. */
const RunHealth = shape(() =>
  record({
    targets: z
      .array(
        record({
          subjectKind: openEnum(['environment', 'host']),
          subjectId: z.string(),
          subjectLabel: z.string().nullish(),
          attempted: z.number().nullish(),
          succeeded: z.number().nullish(),
          failed: z.number().nullish(),
          rateLimited: z.number().nullish(),
        }),
      )
      .nullish(),
  }),
)

/** Generated insights of a run, a wave or a window. No envelope means `not_available`. */
export const InsightsEnvelope = shape(() =>
  record({
    schemaVersion: z.number().nullish(),
    scope: InsightScope().nullish(),
    status: openEnum(['not_available', 'not_requested', 'pending', 'completed', 'failed']),
    reasonCode: z.string().nullish(),
    retryable: z.boolean().nullish(),
    error: record({ code: z.string(), message: z.string() }).nullish(),
    generatedAt: timestamp().nullish(),
    updatedAt: timestamp().nullish(),
    summary: z.string().nullish(),
    coverage: InsightCoverage().nullish(),
    findings: z.array(ActionableFinding()).nullish(),
    runHealth: RunHealth().nullish(),
    truncation: record({
      truncated: z.boolean().nullish(),
      omittedFindings: z.number().nullish(),
      omittedEvidence: z.number().nullish(),
      contractTruncated: z.boolean().nullish(),
    }).nullish(),
  }),
)
export type InsightsEnvelope = z.infer<typeof InsightsEnvelope>
