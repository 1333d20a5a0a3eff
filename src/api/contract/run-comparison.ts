import * as z from 'zod'
import { openEnum, openObject, record, shape, timestamp } from './shapes.ts'

/** The counts of a run, in its own unit. */
export const RunSummary = shape(() =>
  record({
    total: z.number().nullish(),
    passed: z.number().nullish(),
    failed: z.number().nullish(),
    passRate: z.number().nullish(),
  }),
)

/** A number on both sides. Rates are fractions unless their name ends in `Percent`. */
export const NumericDiff = shape(() =>
  record({
    base: z.number().nullish(),
    compare: z.number().nullish(),
    delta: z.number().nullish(),
    percentDelta: z.number().nullish(),
  }),
)

const ComparedSide = shape(() =>
  record({
    id: z.string(),
    runNumber: z.number().nullish(),
    result: z.string().nullish(),
    createdAt: timestamp().nullish(),
    completedAt: timestamp().nullish(),
    summary: RunSummary().nullish(),
  }),
)

const CaseSide = shape(() =>
  record({
    outcome: openEnum(['passed', 'failed', 'absent']),
    iterationIds: z.array(z.string()).nullish(),
    representativeIterationId: z.string().nullish(),
    error: z.string().nullish(),
  }),
)

export const ComparedCase = shape(() =>
  record({
    caseKey: z.string(),
    title: z.string(),
    status: openEnum([
      'unchanged_passed',
      'unchanged_failed',
      'regressed',
      'fixed',
      'new_case',
      'removed_case',
      'changed',
    ]),
    configChanged: z.boolean().nullish(),
    evaluationConfigChanged: z.boolean().nullish(),
    scoreDeltas: z.array(openObject()).nullish(),
    base: CaseSide(),
    compare: CaseSide(),
  }),
)
export type ComparedCase = z.infer<typeof ComparedCase>

/** Two runs of a suite, compared by case. `passSummary` counts the runs' own units, `scoreContract` iterations. */
export const EvalRunCompare = shape(() =>
  record({
    suite: record({ id: z.string(), name: z.string().nullish() }),
    baseline: record({ policy: openEnum(['previous_completed', 'run']), baseRunId: z.string() }),
    baseRun: ComparedSide(),
    compareRun: ComparedSide(),
    passSummary: record({
      passRatePercent: NumericDiff().nullish(),
      total: NumericDiff().nullish(),
      passed: NumericDiff().nullish(),
      failed: NumericDiff().nullish(),
    }).nullish(),
    metrics: record({
      wallDurationMs: NumericDiff().nullish(),
      totalTokens: NumericDiff().nullish(),
      estimatedCostUsd: NumericDiff().nullish(),
    }).nullish(),
    scoreContract: openObject().nullish(),
    cases: z.array(ComparedCase()),
  }),
)
export type EvalRunCompare = z.infer<typeof EvalRunCompare>
