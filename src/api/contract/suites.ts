import * as z from 'zod'
import { listOf, openEnum, openObject, record, shape, strictBody, timestamp } from './shapes.ts'
import { endpoint, resource } from './endpoint.ts'
import { Deleted } from './projects.ts'
import { EvalCaseStep, EvalTestStep, PassCriteria } from './eval-shapes.ts'

/** A suite as the list shows it. The unit of rates is not stated, so compute them from `passed` and `failed`. */
export const EvalSuite = shape(() =>
  record({
    id: z.string(),
    name: z.string().nullish(),
    projectId: z.string().nullish(),
    createdAt: timestamp().nullish(),
    updatedAt: timestamp().nullish(),
    latestRun: record({
      id: z.string().nullish(),
      status: z.string().nullish(),
      passRate: z.number().nullish(),
      passed: z.number().nullish(),
      failed: z.number().nullish(),
      createdAt: timestamp().nullish(),
    }).nullish(),
    totals: record({
      passed: z.number().nullish(),
      failed: z.number().nullish(),
      runs: z.number().nullish(),
    }).nullish(),
    passRateTrend: z.array(z.number()).nullish(),
  }),
)
export type EvalSuite = z.infer<typeof EvalSuite>

export const EvalSuiteSchedule = shape(() =>
  record({ enabled: z.boolean(), intervalMinutes: z.number().nullish(), environmentId: z.string().nullish() }),
)

export const EvalSuiteDetail = shape(() =>
  record({
    id: z.string(),
    name: z.string().nullish(),
    description: z.string().nullish(),
    projectId: z.string().nullish(),
    environment: record({
      servers: z.array(z.string()).nullish(),
      computerEnvironment: record({ id: z.string(), name: z.string().nullish() }).nullish(),
    }).nullish(),
    executionConfig: record({
      model: z.string().nullish(),
      systemPrompt: z.string().nullish(),
      temperature: z.number().nullish(),
    }).nullish(),
    hosts: z.array(record({ id: z.string(), name: z.string(), servers: z.array(z.string()).nullish() })).nullish(),
    environmentIds: z.array(z.string()).nullish(),
    settings: record({
      minimumAccuracy: z.number().nullish(),
      minimumIterations: z.number().nullish(),
      matchOptions: openObject().nullish(),
      checks: z.array(openObject()).nullish(),
      judge: record({
        enabled: z.boolean().nullish(),
        model: z.string().nullish(),
        autoRun: z.boolean().nullish(),
        threshold: z.number().nullish(),
      }).nullish(),
    }).nullish(),
    schedule: EvalSuiteSchedule().nullish(),
    createdAt: timestamp().nullish(),
    updatedAt: timestamp().nullish(),
  }),
)
export type EvalSuiteDetail = z.infer<typeof EvalSuiteDetail>

/** A case inside a suite create request. It uses the suite's model by default. Extra fields are allowed here. */
const SuiteTest = shape(() =>
  record({
    title: z.string().min(1),
    steps: z.array(EvalTestStep()).min(1),
    runs: z.int().min(1).max(10).optional(),
    model: z.string().optional(),
    provider: z.string().optional(),
    expectedOutput: z.string().optional(),
    isNegativeTest: z.boolean().optional(),
    scenario: z.string().optional(),
    advancedConfig: openObject().optional(),
  }),
)

export const EvalSuiteCreateRequest = shape(() =>
  strictBody({
    name: z.string().min(1),
    description: z.string().optional(),
    serverIds: z.array(z.string()).min(1),
    serverNames: z.array(z.string()).optional(),
    model: z.string().min(1),
    provider: z.string().optional(),
    passCriteria: PassCriteria().optional(),
    tags: z.array(z.string()).optional(),
    tests: z.array(SuiteTest()).min(1).max(100),
  }),
)

/** Outcome of writing the cases of a suite. The suite is kept if some cases fail. */
export const CaseUpsert = shape(() =>
  record({
    committed: z.array(record({ id: z.string().nullish(), name: z.string().nullish() })).nullish(),
    failed: z
      .array(record({ id: z.string().nullish(), name: z.string().nullish(), error: z.string().nullish() }))
      .nullish(),
  }),
)

export const NamedServer = shape(() => record({ id: z.string(), name: z.string().nullish() }))

export const EvalSuiteCreated = shape(() =>
  record({
    suiteId: z.string(),
    name: z.string().nullish(),
    servers: z.array(NamedServer()).nullish(),
    caseUpsert: CaseUpsert().nullish(),
  }),
)
export type EvalSuiteCreated = z.infer<typeof EvalSuiteCreated>

export const EvalSuiteUpdateRequest = shape(() =>
  strictBody({
    name: z.string().min(1).optional(),
    description: z.string().optional(),
    environment: strictBody({
      servers: z.array(z.string().min(1)).optional(),
      computerEnvironment: z.string().min(1).nullable().optional(),
    }).optional(),
    environmentIds: z.array(z.string().min(1)).min(1).nullable().optional(),
    executionConfig: strictBody({
      model: z.string().min(1).optional(),
      systemPrompt: z.string().optional(),
      temperature: z.number().optional(),
    }).optional(),
    hosts: z.array(strictBody({ host: z.string().min(1), servers: z.array(z.string().min(1)).optional() })).optional(),
    settings: strictBody({
      minimumAccuracy: z.number().min(0).max(100).optional(),
      minimumIterations: z.int().min(1).max(10).nullable().optional(),
      matchOptions: openObject().nullable().optional(),
      checks: z.array(openObject()).nullable().optional(),
      judge: strictBody({
        enabled: z.boolean().optional(),
        model: z.string().min(1).optional(),
        autoRun: z.boolean().optional(),
        threshold: z.number().min(0).max(1).optional(),
      }).optional(),
    }).optional(),
  }),
)

export const EvalCase = shape(() =>
  record({
    id: z.string(),
    declaredId: z.string().nullish(),
    title: z.string(),
    steps: z.array(EvalCaseStep()),
    expectedOutput: z.string().nullish(),
    iterations: z.number().nullish(),
    isNegative: z.boolean().nullish(),
    scenario: z.string().nullish(),
    models: z.array(record({ model: z.string(), provider: z.string().nullish() })).nullish(),
    matchOptions: openObject().nullish(),
    checks: record({
      mode: openEnum(['inherit', 'replace', 'extend']).nullish(),
      list: z.array(openObject()).nullish(),
    }).nullish(),
    createdAt: timestamp().nullish(),
    updatedAt: timestamp().nullish(),
  }),
)
export type EvalCase = z.infer<typeof EvalCase>

const caseFields = () => ({
  expectedOutput: z.string().optional(),
  iterations: z.int().min(1).max(10).optional(),
  isNegative: z.boolean().optional(),
  scenario: z.string().optional(),
  models: z.array(strictBody({ model: z.string(), provider: z.string().optional() })).optional(),
  matchOptions: openObject().nullable().optional(),
  checks: strictBody({
    mode: z.enum(['inherit', 'replace', 'extend']).optional(),
    list: z.array(openObject()).optional(),
  })
    .nullable()
    .optional(),
})

export const EvalCaseCreateRequest = shape(() =>
  strictBody({
    title: z.string().min(1),
    id: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,128}$/)
      .optional(),
    steps: z.array(EvalTestStep()).min(1),
    ...caseFields(),
  }),
)
export type EvalCaseCreateRequest = z.infer<typeof EvalCaseCreateRequest>

export const EvalCaseUpdateRequest = shape(() =>
  strictBody({
    title: z.string().min(1).optional(),
    steps: z.array(EvalTestStep()).min(1).optional(),
    ...caseFields(),
  }),
)

/** Entries are open, so that one bad entry is judged alone (contract: "The outcome is partial by design"). */
export const EvalCasesBatchCreateRequest = shape(() =>
  strictBody({
    cases: z.array(openObject()).min(1).max(100),
    duplicatePolicy: z.string().optional(),
    overrideReason: z.string().min(1).optional(),
    declaredSuiteId: z.string().max(128).optional(),
  }),
)

const CaseWarning = shape(() => record({ code: z.string(), message: z.string() }))

export const EvalCasesBatchResult = shape(() =>
  record({
    created: z.array(
      record({
        index: z.number(),
        id: z.string(),
        declaredId: z.string().nullish(),
        title: z.string().nullish(),
        replayed: z.boolean().nullish(),
        warnings: z.array(CaseWarning()).nullish(),
      }),
    ),
    failed: z.array(
      record({
        index: z.number(),
        title: z.string().nullish(),
        declaredId: z.string().nullish(),
        code: z.string(),
        message: z.string(),
      }),
    ),
    duplicatePolicy: record({
      requestedPolicy: z.string().nullish(),
      effectivePolicy: z.string(),
      coerced: z.boolean().nullish(),
    }),
    warnings: z.array(CaseWarning()).nullish(),
  }),
)
export type EvalCasesBatchResult = z.infer<typeof EvalCasesBatchResult>

/** `environmentId` is mandatory if several environments are attached, which only the service can check. */
export const EvalSuiteScheduleRequest = shape(() =>
  strictBody({
    enabled: z.boolean(),
    intervalMinutes: z.int().min(5).max(10_080).optional(),
    environmentId: z.string().min(1).optional(),
  }),
)

export const EvalSuiteEnvironmentAttachRequest = shape(() => strictBody({ environmentId: z.string() }))

/** `attached` is false if the environment was already attached. */
export const EvalSuiteEnvironmentAttached = shape(() =>
  record({ suiteId: z.string(), attached: z.boolean(), environmentIds: z.array(z.string()) }),
)
export type EvalSuiteEnvironmentAttached = z.infer<typeof EvalSuiteEnvironmentAttached>

const bucket = shape(() => z.int().min(0).max(10).optional())

/** `caseMix` takes precedence over `mode`. A bucket that it leaves out keeps its usual count. */
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

/** The stored cases. `skipped` contains drafts that could not be stored. */
export const EvalCaseGenerated = shape(() =>
  record({
    generationModel: z.string().nullish(),
    created: z.array(EvalCase()),
    counts: record({ normal: z.number().nullish(), negative: z.number().nullish() }).nullish(),
    skipped: z.array(openObject()).nullish(),
  }),
)
export type EvalCaseGenerated = z.infer<typeof EvalCaseGenerated>

const collection = '/projects/{projectId}/eval-suites' as const
const one = `${collection}/{suiteId}` as const
const authored = ['VALIDATION_ERROR', 'CONFLICT'] as const

export const suites = resource('suites', {
  list: endpoint('listEvalSuites', 'GET', collection, {
    summary: 'Suites of a project with last-run figures and trend.',
    ...listOf(EvalSuite),
    source: 'prose',
  }),
  get: endpoint('getEvalSuite', 'GET', one, {
    summary: 'Every setting of one suite.',
    response: EvalSuiteDetail,
    casesInAnswer: true,
  }),
  create: endpoint('createEvalSuite', 'POST', collection, {
    summary: 'Author a suite with its cases; executes nothing.',
    body: EvalSuiteCreateRequest,
    status: 201,
    response: EvalSuiteCreated,
    risk: 'write',
    refreshes: ['cases'],
    casesInBody: true,
    source: 'prose',
  }),
  update: endpoint('updateEvalSuite', 'PATCH', one, {
    summary: 'Edit suite settings; absent fields stay as they were.',
    body: EvalSuiteUpdateRequest,
    response: EvalSuiteDetail,
    errors: authored,
    risk: 'write',
    casesInBody: true,
    casesInAnswer: true,
    source: 'prose',
  }),
  delete: endpoint('deleteEvalSuite', 'DELETE', one, {
    summary: 'Remove a suite with its cases; run history survives.',
    response: Deleted,
    errors: ['CONFLICT'],
    risk: 'delete',
    refreshes: ['cases'],
  }),
  schedule: endpoint('updateEvalSuiteSchedule', 'PATCH', `${one}/schedule`, {
    summary: "Switch a suite's recurring run on or off, or repoint it; each run spends.",
    body: EvalSuiteScheduleRequest,
    response: EvalSuiteDetail,
    errors: ['VALIDATION_ERROR', 'CONFLICT'],
    risk: 'spend',
    casesInAnswer: true,
  }),
  attachEnvironment: endpoint('attachEvalSuiteEnvironment', 'POST', `${one}/environments`, {
    summary: 'Add one environment to a suite, keeping the others.',
    body: EvalSuiteEnvironmentAttachRequest,
    response: EvalSuiteEnvironmentAttached,
    risk: 'write',
    idempotency: 'natural',
  }),
})

const changingCases = { errors: authored, risk: 'write', refreshes: ['suites'], casesInBody: true } as const

export const cases = resource('cases', {
  list: endpoint('listEvalCases', 'GET', `${one}/cases`, {
    summary: 'All cases of one suite.',
    ...listOf(EvalCase),
    casesInAnswer: true,
  }),
  get: endpoint('getEvalCase', 'GET', `${one}/cases/{caseId}`, {
    summary: 'One case of this suite; foreign ids are not found.',
    response: EvalCase,
    casesInAnswer: true,
  }),
  create: endpoint('createEvalCase', 'POST', `${one}/cases`, {
    ...changingCases,
    summary: 'Add a single case to a suite.',
    body: EvalCaseCreateRequest,
    status: 201,
    response: EvalCase,
    casesInAnswer: true,
  }),
  createBatch: endpoint('createEvalCases', 'POST', `${one}/cases/batch`, {
    ...changingCases,
    summary: 'Add up to 100 cases, judged entry by entry.',
    query: shape(() => strictBody({ declaredSuiteId: z.string().max(128).optional() })),
    body: EvalCasesBatchCreateRequest,
    status: 201,
    response: EvalCasesBatchResult,
    idempotency: 'header',
    source: 'prose',
  }),
  update: endpoint('updateEvalCase', 'PATCH', `${one}/cases/{caseId}`, {
    ...changingCases,
    summary: 'Edit a case; sending steps swaps the whole definition.',
    body: EvalCaseUpdateRequest,
    response: EvalCase,
    casesInAnswer: true,
  }),
  delete: endpoint('deleteEvalCase', 'DELETE', `${one}/cases/{caseId}`, {
    summary: 'Drop one case; earlier runs keep their records.',
    response: Deleted,
    errors: ['CONFLICT'],
    risk: 'delete',
    refreshes: ['suites'],
  }),
  generate: endpoint('generateEvalCases', 'POST', `${one}/cases/generate`, {
    summary: 'Have a model write and save cases from live tools.',
    body: EvalCaseGenerateRequest,
    response: EvalCaseGenerated,
    errors: ['VALIDATION_ERROR', 'CONFLICT', 'OAUTH_REQUIRED', 'SERVER_UNREACHABLE', 'TIMEOUT'],
    risk: 'spend',
    idempotency: 'header',
    idempotencyHeaders: ['idempotency-key', 'x-mcpjam-idempotency-key'],
    refreshes: ['suites'],
    casesInAnswer: true,
    // Connecting, drafting and storing all happen before the answer.
    deadlineMs: 120_000,
  }),
})
