import * as z from 'zod'
import { openEnum, record, shape, strictBody, timestamp } from './shapes.ts'

/** `caseKey` is the authored id of a case, not a row id. */
const judgedCase = () => ({
  caseKey: z.string(),
  score: z.number().nullish(),
  passed: z.boolean(),
  reason: z.string().nullish(),
})

/** State of a judge. A null `status` means that grading was never requested. `cases` is filled only when completed. */
const judgeState = () => ({
  status: openEnum(['pending', 'completed', 'failed']).nullish(),
  errorCode: z.string().nullish(),
  summary: z.string().nullish(),
  generatedAt: timestamp().nullish(),
  modelUsed: z.string().nullish(),
  threshold: z.number().nullish(),
})

/** Grades of a run by judge. Others than the two documented judges may appear. */
export const EvalRunJudges = shape(() =>
  record({
    goalCompletion: record({
      ...judgeState(),
      cases: z.array(record({ ...judgedCase(), rubricHits: z.array(z.string()).nullish() })).nullish(),
    }).nullish(),
    groundedness: record({
      ...judgeState(),
      cases: z.array(record({ ...judgedCase(), unsupportedClaims: z.array(z.string()).nullish() })).nullish(),
    }).nullish(),
  }),
)
export type EvalRunJudges = z.infer<typeof EvalRunJudges>

/** Each request clears what an earlier one set for `model` and `threshold`. `force` is charged again. */
export const EvalRunJudgeRequest = shape(() =>
  strictBody({
    force: z.boolean().optional(),
    enable: z.boolean().optional(),
    model: z.string().optional(),
    threshold: z.number().min(0).max(1).optional(),
  }).optional(),
)

/** `force` creates new insights although there are some, and is charged again. */
export const EvalRunInsightsRequest = shape(() => strictBody({ force: z.boolean().optional() }).optional())

/** Grading or insights were scheduled. The run itself contains them when they are done. */
export const EvalRunAnalysisRequested = shape(() =>
  record({ runId: z.string(), projectId: z.string().nullish(), status: openEnum(['pending']).nullish() }),
)
export type EvalRunAnalysisRequested = z.infer<typeof EvalRunAnalysisRequested>
