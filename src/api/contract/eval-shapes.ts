import * as z from 'zod'
import { openEnum, openObject, record, shape, strictBody } from './shapes.ts'

/** One authored step. `kind` decides which fields apply. Unknown assertions and actions are kept (assertions.md). */
export const EvalTestStep = shape(() =>
  record({
    id: z.string().min(1),
    kind: z.enum(['prompt', 'toolCall', 'interact', 'assert']),
    prompt: z.string().optional(),
    serverName: z.string().optional(),
    toolName: z.string().optional(),
    arguments: openObject().optional(),
    action: openObject().optional(),
    assertion: openObject().optional(),
  }),
)
export type EvalTestStep = z.infer<typeof EvalTestStep>

/** A step as the service returns it. An unknown kind is kept. */
export const EvalCaseStep = shape(() =>
  record({
    id: z.string(),
    kind: openEnum(['prompt', 'toolCall', 'interact', 'assert']),
    prompt: z.string().nullish(),
    serverName: z.string().nullish(),
    toolName: z.string().nullish(),
    arguments: openObject().nullish(),
    action: openObject().nullish(),
    assertion: openObject().nullish(),
  }),
)

/** The contract does not say whether `minimumPassRate` is a fraction or a percentage. */
export const PassCriteria = shape(() => strictBody({ minimumPassRate: z.number().optional() }))

/** An inline case of a run create request. Extra fields are allowed here. */
export const EvalTestCase = shape(() =>
  record({
    title: z.string().min(1),
    steps: z.array(EvalTestStep()).min(1),
    runs: z.int().min(1).max(10),
    model: z.string(),
    provider: z.string(),
    isNegativeTest: z.boolean().optional(),
    expectedOutput: z.string().optional(),
    advancedConfig: openObject().optional(),
  }),
)

/** Match options in the public vocabulary or the internal one. The service refuses both at once. */
export const MatchOptionsOverride = shape(() =>
  strictBody({
    toolCallOrder: z.enum(['any', 'in-order', 'exact', 'ignore', 'superset', 'strict']).optional(),
    extraToolCalls: z.union([z.literal('unlimited'), z.int().min(0)]).optional(),
    arguments: z.enum(['ignore', 'partial', 'exact']).optional(),
    maxExtraToolCalls: z.int().min(0).nullable().optional(),
    argumentMatching: z.enum(['ignore', 'partial', 'exact']).optional(),
  }),
)

/** The pinned environment of a run; null if saved servers were used. */
export const EvalRunEnvironment = shape(() =>
  record({ id: z.string(), name: z.string().nullish(), revision: z.number().nullish() }),
)
