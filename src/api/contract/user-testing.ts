import { endpoint, resource } from './endpoint.ts'
import {
  GuestExecution,
  GuestExecutionRequest,
  Scenario,
  ScenarioDeleted,
  ScenarioLinkRotated,
  ScenarioMemberRemoved,
  ScenarioMemberRequest,
  ScenarioPublishRequest,
  ScenarioRebindRequest,
  ScenarioUpdateRequest,
  UserTestingScenario,
  UserTestingScenarioDetail,
} from './user-testing-shapes.ts'
import { shape } from './shapes.ts'

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
    summary: 'Edit name and text, or the access mode alone; tightening ends live sessions.',
    body: ScenarioUpdateRequest,
    response: UserTestingScenario,
    risk: 'expose',
    role: 'editor',
    gate: 'user-testing',
    refreshes: readers,
  }),
  rebind: endpoint('rebindScenario', 'POST', `${scenario}/rebind`, {
    summary: 'Point a scenario at another environment, link unchanged.',
    body: ScenarioRebindRequest,
    response: Scenario,
    risk: 'expose',
    role: 'editor',
    idempotency: 'natural',
    gate: 'user-testing',
    refreshes: readers,
  }),
  rotateLink: endpoint('rotateScenarioLink', 'POST', `${scenario}/rotate-link`, {
    summary: 'Issue a new share link; earlier visitors keep access.',
    response: ScenarioLinkRotated,
    risk: 'end',
    role: 'editor',
    idempotency: 'none',
    gate: 'user-testing',
    refreshes: readers,
  }),
  upsertMember: endpoint('upsertScenarioMember', 'PUT', `${scenario}/members`, {
    summary: 'Invite or re-invite someone by email; counts in mode invited_only.',
    body: ScenarioMemberRequest,
    response: UserTestingScenario,
    risk: 'expose',
    role: 'editor',
    idempotency: 'natural',
    gate: 'user-testing',
    refreshes: readers,
  }),
  removeMember: endpoint('removeScenarioMember', 'DELETE', `${scenario}/members/{memberIdOrEmail}`, {
    summary: 'Revoke a member at once, ending live sessions.',
    response: ScenarioMemberRemoved,
    risk: 'end',
    role: 'editor',
    gate: 'user-testing',
    refreshes: readers,
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
