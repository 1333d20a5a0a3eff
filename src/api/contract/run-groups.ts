import { endpoint, resource } from './endpoint.ts'
import * as z from 'zod'
import type { ErrorReason } from './error.ts'
import { EvalRunEnvironment, MatchOptionsOverride, PassCriteria } from './eval-shapes.ts'
import { openEnum, openObject, record, shape, strictBody } from './shapes.ts'

/** The target of one run of a group. A group never mixes the two kinds. */
const RunGroupTarget = shape(() =>
  z.union([strictBody({ environmentId: z.string() }), strictBody({ namedHostId: z.string() })]),
)

/** Options apply to every run of the group. The answer's status 202 says nothing about success, its `outcome` does. */
export const EvalRunGroupCreateRequest = shape(() =>
  strictBody({
    suiteId: z.string(),
    targets: z.array(RunGroupTarget()).min(1).max(10),
    iterationOverride: z.int().min(1).max(10).optional(),
    caseIds: z.array(z.string()).min(1).optional(),
    matchOptionsOverride: MatchOptionsOverride().optional(),
    skillsOverride: z.literal('exclude').optional(),
    notes: z.string().optional(),
    passCriteria: PassCriteria().optional(),
    idempotencyKey: z.string().max(256).optional(),
  }).refine(body => new Set(body.targets.map(target => Object.keys(target)[0])).size <= 1, {
    path: ['targets'],
    error: 'must be all environments or all clients',
    params: { reason: 'HETEROGENEOUS_TARGETS' satisfies ErrorReason },
  }),
)

const LaunchedServer = shape(() => record({ id: z.string().nullish(), name: z.string().nullish() }))

/** The outcome of one target. The others continue if it fails. */
export const RunGroupTargetOutcome = shape(() =>
  record({
    target: record({
      environmentId: z.string().nullish(),
      namedHostId: z.string().nullish(),
      name: z.string().nullish(),
    }),
    status: openEnum(['started', 'failed']),
    runId: z.string().nullish(),
    runStatus: z.string().nullish(),
    deduped: z.boolean().nullish(),
    servers: z.array(LaunchedServer()).nullish(),
    environment: EvalRunEnvironment().nullish(),
    caseUpsert: openObject().nullish(),
    error: record({ code: z.string().nullish(), message: z.string().nullish() }).nullish(),
  }),
)
export type RunGroupTargetOutcome = z.infer<typeof RunGroupTargetOutcome>

export const EvalRunGroupCreated = shape(() =>
  record({
    runGroupId: z.string(),
    suiteId: z.string(),
    outcome: openEnum(['started', 'partial', 'failed']),
    startedCount: z.number().nullish(),
    failedCount: z.number().nullish(),
    targets: z.array(RunGroupTargetOutcome()),
  }),
)
export type EvalRunGroupCreated = z.infer<typeof EvalRunGroupCreated>

export const runGroups = resource('runGroups', {
  create: endpoint('createEvalRunGroup', 'POST', '/projects/{projectId}/eval-run-groups', {
    summary: 'Launch several targets of one suite as a single group, which takes one run slot.',
    body: EvalRunGroupCreateRequest,
    status: 202,
    response: EvalRunGroupCreated,
    errors: ['VALIDATION_ERROR', 'CONFLICT', 'SERVER_UNREACHABLE', 'TIMEOUT'],
    risk: 'spend',
    idempotency: 'header',
    refreshes: ['runs', 'suites'],
    casesInBody: true,
  }),
})
