import { endpoint, resource } from './endpoint.ts'
import { shape, alone, anyField, record, strictBody } from './shapes.ts'
import * as z from 'zod'
import { InsightsEnvelope } from './insight-shapes.ts'
import { ScenarioLink, scenarioMode } from './scenario-shapes.ts'
import { SCENARIO_MODES } from './choices.ts'

/**
 * Reply of publish and rebind. `accessVersion` rises when access narrows, never by rotation. A repeated publish
 * answers `created: false`, and `overridesIgnored` where the request asked for other settings than the first.
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

/** Settings of a first publish; a repeated one ignores them. */
export const ScenarioPublishRequest = shape(() => strictBody({ ...identity(), mode: mode() }))

/** `deleted: false` means that nothing was published. */
export const ScenarioDeleted = shape(() =>
  record({ environmentId: z.string().nullish(), deleted: z.boolean().nullish(), id: z.string().nullish() }),
)
export type ScenarioDeleted = z.infer<typeof ScenarioDeleted>

/** Reply of an edit; it carries no `accessVersion` and no members. */
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

/** One scenario; `insights` is missing for viewers who may not see them. */
export const UserTestingScenarioDetail = shape(() =>
  UserTestingScenario().extend({ environmentId: z.string().nullish(), insights: InsightsEnvelope().nullish() }),
)
export type UserTestingScenarioDetail = z.infer<typeof UserTestingScenarioDetail>

/** Text and access are two changes: sent together, the first could go live in a mode nobody asked for. */
export const ScenarioUpdateRequest = shape(() =>
  strictBody({ ...identity(), mode: mode() })
    .refine(...anyField)
    .refine(...alone('mode')),
)

/** Spending caps for anonymous visitors: credits and starts a day, US dollar micros for harnesses. */
export const GuestExecution = shape(() =>
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
export type GuestExecution = z.infer<typeof GuestExecution>

const count = shape(() => z.int().min(0))

/** The caps are replaced as a whole, because they only mean something as a set. */
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

/** `link` is the new one. */
export const ScenarioLinkRotated = shape(() =>
  record({
    id: z.string(),
    projectId: z.string().nullish(),
    rotated: z.boolean().nullish(),
    link: ScenarioLink().nullish(),
  }),
)
export type ScenarioLinkRotated = z.infer<typeof ScenarioLinkRotated>

/** No mail goes out unless `sendInviteEmail` is true. */
export const ScenarioMemberRequest = shape(() =>
  strictBody({ email: z.string().max(320), sendInviteEmail: z.boolean().optional() }),
)

/** `removed` is the id or the address as it was sent. */
export const ScenarioMemberRemoved = shape(() =>
  record({ scenarioId: z.string().nullish(), projectId: z.string().nullish(), removed: z.string().nullish() }),
)

/** The environment must belong to the same project. */
export const ScenarioRebindRequest = shape(() => strictBody({ environmentId: z.string() }))

const published = '/projects/{projectId}/environments/{environmentId}/scenario' as const
const scenario = '/projects/{projectId}/user-testing/scenarios/{scenarioId}' as const

/** Resources whose reads tell who may enter, and who is in. */
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
  /** The OpenAPI file's spelling, for a deployment that answers 404 or 405 to `publish` (differences, row 4). */
  publishPut: endpoint('publishScenarioPut', 'PUT', published, {
    ...publishing,
    summary: 'Publish an environment on a deployment that does not take POST.',
  }),
  /** Publishing again mints another link, so what is taken down does not come back. */
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
