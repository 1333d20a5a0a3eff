import { endpoint, resource } from './endpoint.ts'
import {
  shape,
  alone,
  anyField,
  record,
  strictBody,
  listQuery,
  queryCursor,
  listOf,
  openEnum,
  timestamp,
} from './shapes.ts'
import * as z from 'zod'
import { InsightsEnvelope } from './insight-shapes.ts'
import { ScenarioLink, scenarioMode } from './scenarios.ts'
import { SCENARIO_MODES } from './choices.ts'

/**
 * Reply of publish and rebind. `accessVersion` rises when access is narrowed. `overridesIgnored` means that a repeated
 * publish requested other settings.
 */
export const Scenario = shape(() =>
  record({
    id: z.string(),
    environmentId: z.string().nullish(),
    name: z.string(),
    mode: scenarioMode().nullish(),
    accessVersion: z.number().nullish(),
    link: ScenarioLink().nullish(),
    created: z.boolean().nullish(),
    overridesIgnored: z.boolean().nullish(),
  }),
)
export type Scenario = z.infer<typeof Scenario>

const identity = () => ({ name: z.string().max(200).optional(), description: z.string().max(2000).optional() })
const mode = shape(() => z.enum(SCENARIO_MODES).optional())

/** Settings of a first publish. A repeated one ignores them. */
export const ScenarioPublishRequest = shape(() => strictBody({ ...identity(), mode: mode() }))

/** `deleted: false` means that nothing was published. */
const ScenarioDeleted = shape(() =>
  record({ environmentId: z.string().nullish(), deleted: z.boolean().nullish(), id: z.string().nullish() }),
)
type ScenarioDeleted = z.infer<typeof ScenarioDeleted>

/** Reply of an edit, without `accessVersion` and members. */
export const UserTestingScenario = shape(() =>
  record({
    id: z.string(),
    projectId: z.string().nullish(),
    name: z.string().nullish(),
    description: z.string().nullish(),
    mode: scenarioMode().nullish(),
  }),
)
export type UserTestingScenario = z.infer<typeof UserTestingScenario>

/** One scenario. `insights` is missing for viewers who may not see them. */
const UserTestingScenarioDetail = shape(() =>
  UserTestingScenario().extend({ environmentId: z.string().nullish(), insights: InsightsEnvelope().nullish() }),
)
type UserTestingScenarioDetail = z.infer<typeof UserTestingScenarioDetail>

/** Text and access are separate changes: sent together, the first could become public in an unwanted mode. */
export const ScenarioUpdateRequest = shape(() =>
  strictBody({ ...identity(), mode: mode() })
    .refine(...anyField)
    .refine(...alone('mode')),
)

/** Spending caps for anonymous visitors: credits and starts per day, millionths of a US dollar for harnesses. */
const GuestExecution = shape(() =>
  record({
    enabled: z.boolean().nullish(),
    computerEnabled: z.boolean().nullish(),
    sharedSkillsEnabled: z.boolean().nullish(),
    dailyCreditCap: z.number().nullish(),
    dailyComputerStartCap: z.number().nullish(),
    maxConcurrentComputers: z.number().nullish(),
    harnessEnabled: z.boolean().nullish(),
    dailyHarnessSpendCapMicros: z.number().nullish(),
    dailyHarnessCallCap: z.number().nullish(),
    maxConcurrentHarnessRuns: z.number().nullish(),
  }),
)
type GuestExecution = z.infer<typeof GuestExecution>

const count = shape(() => z.int().min(0))

/** The caps are replaced as a whole, because they are meaningful only together. */
export const GuestExecutionRequest = shape(() =>
  strictBody({
    enabled: z.boolean(),
    computerEnabled: z.boolean(),
    sharedSkillsEnabled: z.boolean(),
    dailyCreditCap: z.number().min(0),
    dailyComputerStartCap: count(),
    maxConcurrentComputers: count(),
    harnessEnabled: z.boolean().optional(),
    dailyHarnessSpendCapMicros: count().optional(),
    dailyHarnessCallCap: count().optional(),
    maxConcurrentHarnessRuns: count().optional(),
  }),
)

/** `link` is the new link. */
const ScenarioLinkRotated = shape(() =>
  record({
    id: z.string(),
    projectId: z.string().nullish(),
    rotated: z.boolean().nullish(),
    link: ScenarioLink().nullish(),
  }),
)
type ScenarioLinkRotated = z.infer<typeof ScenarioLinkRotated>

/** No mail is sent unless `sendInviteEmail` is true. */
export const ScenarioMemberRequest = shape(() =>
  strictBody({ email: z.string().max(320), sendInviteEmail: z.boolean().optional() }),
)

/** `removed` is the id or the address as it was sent. */
const ScenarioMemberRemoved = shape(() =>
  record({ scenarioId: z.string().nullish(), projectId: z.string().nullish(), removed: z.string().nullish() }),
)

/** The environment must belong to the same project. */
const ScenarioRebindRequest = shape(() => strictBody({ environmentId: z.string() }))

const published = '/projects/{projectId}/environments/{environmentId}/scenario' as const
const scenario = '/projects/{projectId}/user-testing/scenarios/{scenarioId}' as const

/** Resources that show who may enter, and who has entered. */
const readers = ['scenarios', 'userTestingSessions', 'userTestingInsights'] as const

const publishing = {
  body: shape(() => ScenarioPublishRequest().optional()),
  response: Scenario,
  risk: 'expose',
  role: 'admin',
  idempotency: 'natural',
  gate: 'user-testing',
  refreshes: readers,
} as const

const changing = { role: 'editor', gate: 'user-testing', refreshes: readers } as const

export const userTesting = resource('userTesting', {
  publish: endpoint('publishScenario', 'POST', published, {
    ...publishing,
    summary: 'Publish an environment to visitors; repeat returns same scenario.',
    source: 'prose',
  }),
  /** The form in the OpenAPI file, for a deployment that answers 404 or 405 to `publish` (differences, row 4). */
  publishPut: endpoint('publishScenarioPut', 'PUT', published, {
    ...publishing,
    summary: 'Publish an environment on a deployment that does not take POST.',
  }),
  /** Publishing again creates another link, so the old link never works again. */
  unpublish: endpoint('unpublishScenario', 'DELETE', published, {
    summary: 'Take a published environment offline, ending live sessions; repeat is harmless.',
    response: ScenarioDeleted,
    risk: 'delete',
    role: 'admin',
    idempotency: 'natural',
    refreshes: readers,
  }),
  get: endpoint('getUserTestingScenario', 'GET', scenario, {
    summary: 'One scenario, with insights where the caller may see them.',
    response: UserTestingScenarioDetail,
    gate: 'user-testing',
  }),
  update: endpoint('updateUserTestingScenario', 'PATCH', scenario, {
    ...changing,
    summary: 'Edit name and text, or the access mode alone; tightening ends live sessions.',
    body: ScenarioUpdateRequest,
    response: UserTestingScenario,
    risk: 'expose',
  }),
  rebind: endpoint('rebindScenario', 'POST', `${scenario}/rebind`, {
    ...changing,
    summary: 'Point a scenario at another environment, link unchanged.',
    body: ScenarioRebindRequest,
    response: Scenario,
    risk: 'expose',
    idempotency: 'natural',
  }),
  rotateLink: endpoint('rotateScenarioLink', 'POST', `${scenario}/rotate-link`, {
    ...changing,
    summary: 'Issue a new share link; earlier visitors keep access.',
    response: ScenarioLinkRotated,
    risk: 'end',
    idempotency: 'none',
  }),
  upsertMember: endpoint('upsertScenarioMember', 'PUT', `${scenario}/members`, {
    ...changing,
    summary: 'Invite or re-invite someone by email; counts in mode invited_only.',
    body: ScenarioMemberRequest,
    response: UserTestingScenario,
    risk: 'expose',
    idempotency: 'natural',
  }),
  removeMember: endpoint('removeScenarioMember', 'DELETE', `${scenario}/members/{memberIdOrEmail}`, {
    ...changing,
    summary: 'Revoke a member at once, ending live sessions.',
    response: ScenarioMemberRemoved,
    risk: 'end',
  }),
  setGuestExecution: endpoint('setGuestExecution', 'PUT', `${scenario}/guest-execution`, {
    summary: 'Replace all spending caps for anonymous visitors.',
    body: GuestExecutionRequest,
    response: GuestExecution,
    risk: 'expose',
    role: 'admin',
    idempotency: 'natural',
    gate: 'user-testing',
    refreshes: readers,
  }),
})

/**
 * A visitor's session as the list shows it. `authInterrupted` means that the visitor left when a server required a
 * sign-in.
 */
export const UserTestingSession = shape(() =>
  record({
    id: z.string(),
    chatSessionId: z.string().nullish(),
    messageCount: z.number().nullish(),
    preview: z.string().nullish(),
    modelId: z.string().nullish(),
    toolCallCount: z.number().nullish(),
    authInterrupted: z.boolean().nullish(),
    visitor: record({
      displayName: z.string().nullish(),
      segment: z.string().nullish(),
      authType: openEnum(['signedIn', 'guest']).nullish(),
      recency: openEnum(['new', 'returning']).nullish(),
      deviceKind: z.string().nullish(),
      language: z.string().nullish(),
    }).nullish(),
    feedback: record({
      rating: z.number().nullish(),
      comment: z.string().nullish(),
      count: z.number().nullish(),
    }).nullish(),
    theme: record({ id: z.string(), label: z.string().nullish(), keywords: z.array(z.string()).nullish() }).nullish(),
    startedAt: timestamp().nullish(),
    lastActivityAt: timestamp().nullish(),
  }),
)
export type UserTestingSession = z.infer<typeof UserTestingSession>

export const TranscriptMessage = shape(() =>
  record({
    role: z.string(),
    text: z.string().nullish(),
    toolName: z.string().nullish(),
    createdAt: timestamp().nullish(),
  }),
)
export type TranscriptMessage = z.infer<typeof TranscriptMessage>

/** One page of a transcript. A null `messageCount` means unreadable, never zero. */
export const UserTestingSessionDetail = shape(() =>
  record({
    id: z.string(),
    scenarioId: z.string().nullish(),
    chatSessionId: z.string().nullish(),
    modelId: z.string().nullish(),
    startedAt: timestamp().nullish(),
    lastActivityAt: timestamp().nullish(),
    messageCount: z.number().nullish(),
    transcriptUnavailable: z.boolean().nullish(),
    messages: z.array(TranscriptMessage()).nullish(),
    nextCursor: z.string().nullish(),
  }),
)
export type UserTestingSessionDetail = z.infer<typeof UserTestingSessionDetail>

const collection = '/projects/{projectId}/user-testing/scenarios/{scenarioId}/sessions' as const

export const userTestingSessions = resource('userTestingSessions', {
  list: endpoint('listUserTestingSessions', 'GET', collection, {
    summary: 'Visitor sessions of a scenario as summaries.',
    ...listOf(UserTestingSession),
    gate: 'user-testing',
  }),
  get: endpoint('getUserTestingSession', 'GET', `${collection}/{sessionId}`, {
    summary: 'Paged transcript of one visitor session.',
    query: listQuery,
    response: UserTestingSessionDetail,
    gate: 'user-testing',
    cursor: queryCursor,
  }),
})

/** Session volumes and rates, in an undefined document. Not found before any session. */
export const ScenarioMetrics = shape(() => record({}))
export type ScenarioMetrics = z.infer<typeof ScenarioMetrics>

/** Models, tools and servers that visitors used. With `scan.truncated` the rates cover recent sessions only. */
export const ScenarioUsage = shape(() => record({ scan: record({ truncated: z.boolean().nullish() }).nullish() }))
export type ScenarioUsage = z.infer<typeof ScenarioUsage>

/** Signals of the current window. Only the id for reading insights is defined. */
export const ScenarioSignals = shape(() => record({ windowId: z.string().nullish() }))
export type ScenarioSignals = z.infer<typeof ScenarioSignals>

/** Generated insights of one window, in an undefined document. Not found means that they were never requested. */
export const ScenarioWindowInsights = shape(() => record({ windowId: z.string() }))
export type ScenarioWindowInsights = z.infer<typeof ScenarioWindowInsights>

/** `force` generates again and counts again against `insightsPerDay`. */
const ScenarioInsightsRequest = shape(() => strictBody({ force: z.boolean().optional() }))

/** `windowId` is needed for polling. */
const ScenarioInsightsRequested = shape(() =>
  record({
    scenarioId: z.string().nullish(),
    projectId: z.string().nullish(),
    windowId: z.string(),
    status: openEnum(['pending']).nullish(),
  }),
)
type ScenarioInsightsRequested = z.infer<typeof ScenarioInsightsRequested>

export const ScenarioInsightsCancelRequest = shape(() => strictBody({ windowId: z.string().min(1) }))

const ScenarioInsightsCanceled = shape(() =>
  record({
    scenarioId: z.string().nullish(),
    projectId: z.string().nullish(),
    windowId: z.string().nullish(),
    canceled: z.boolean().nullish(),
  }),
)

/** A finding of a window. Neither the document nor the name of its id is defined by the contract. */
export const ScenarioFinding = shape(() => record({}))
export type ScenarioFinding = z.infer<typeof ScenarioFinding>

/** `dismissed` is the state after the call. */
const ScenarioFindingDismissed = shape(() =>
  record({
    id: z.string(),
    scenarioId: z.string().nullish(),
    projectId: z.string().nullish(),
    dismissed: z.boolean().nullish(),
  }),
)

export const userTestingInsights = resource('userTestingInsights', {
  metrics: endpoint('getUserTestingMetrics', 'GET', `${scenario}/metrics`, {
    summary: 'Session volumes and rates; not found before any session.',
    query: shape(() => strictBody({ population: z.enum(['real', 'synthetic']).optional() })),
    response: ScenarioMetrics,
    errors: ['VALIDATION_ERROR'],
    gate: 'user-testing',
  }),
  usage: endpoint('getUserTestingUsage', 'GET', `${scenario}/usage`, {
    summary: 'Models, tools and servers visitors touched; maybe truncated.',
    response: ScenarioUsage,
    gate: 'user-testing',
  }),
  signals: endpoint('getUserTestingSignals', 'GET', `${scenario}/signals`, {
    summary: 'Mined signals of the current window, with its id.',
    response: ScenarioSignals,
    gate: 'user-testing',
  }),
  get: endpoint('getUserTestingWindowInsights', 'GET', `${scenario}/windows/{windowId}/insights`, {
    summary: "Poll one window's insights; not found before any request.",
    response: ScenarioWindowInsights,
    gate: 'user-testing',
  }),
  /** `spend` stands for the ledger: insights take no credits (differences, row 10). */
  request: endpoint('requestUserTestingInsights', 'POST', `${scenario}/insights`, {
    summary: 'Schedule analysis of the current window; uses the daily insights quota.',
    body: shape(() => ScenarioInsightsRequest().optional()),
    status: 202,
    response: ScenarioInsightsRequested,
    errors: ['VALIDATION_ERROR', 'CONFLICT'],
    risk: 'spend',
    idempotency: 'none',
    gate: 'user-testing',
    refreshes: ['userTesting'],
  }),
  /** Not gated, because cancelling is outside the gate in the prose document. */
  cancel: endpoint('cancelUserTestingInsights', 'DELETE', `${scenario}/insights`, {
    summary: "Release a window's analysis that hangs in pending.",
    body: ScenarioInsightsCancelRequest,
    response: ScenarioInsightsCanceled,
    risk: 'end',
    refreshes: ['userTesting'],
  }),
})

const dismissal = {
  response: ScenarioFindingDismissed,
  risk: 'write',
  idempotency: 'natural',
  gate: 'user-testing',
} as const

/** By the OpenAPI file, the list returns a cursor but accepts none. It is sent all the same. */
export const userTestingFindings = resource('userTestingFindings', {
  list: endpoint('listUserTestingFindings', 'GET', `${scenario}/findings`, {
    summary: 'All findings of a scenario, dismissed ones included.',
    ...listOf(ScenarioFinding),
    gate: 'user-testing',
  }),
  dismiss: endpoint('dismissUserTestingFinding', 'POST', `${scenario}/findings/{findingId}/dismiss`, {
    ...dismissal,
    summary: 'Hide a scenario finding by its lasting id.',
  }),
  undismiss: endpoint('undismissUserTestingFinding', 'POST', `${scenario}/findings/{findingId}/undismiss`, {
    ...dismissal,
    summary: 'Show a hidden scenario finding again.',
  }),
})
