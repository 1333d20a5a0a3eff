import type { Scenario } from '../../api/contract/user-testing-shapes.ts'
import { requireEnvironment } from '../environments/records.ts'
import { insightsEnvelopeOf } from '../findings/envelopes.ts'
import {
  publishScenario,
  rebindScenario,
  removeMember,
  requireScenario,
  rotateLink,
  setGuestExecution,
  toScenario,
  toUserTestingScenario,
  unpublishScenario,
  updateScenario,
  upsertMember,
} from '../scenarios/records.ts'
import { VISIT_PREFIX } from '../scenarios/visit-http.ts'
import type { ProjectRow } from '../store/projects.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

type ScenarioCall = { project: ProjectRow; params: { scenarioId: string } }

/**
 * Publishing and access. A link is answered when it is minted, by the first publish and by a rotation, and `null` by
 * every other answer, because only its hash is kept.
 */
export function userTestingHandlers({ store, visits, visitOrigin }: ServiceContext): Handlers['userTesting'] {
  const named = ({ project, params }: ScenarioCall) => requireScenario(store, project.id, params.scenarioId)
  const linkOf = (secret: string) => `${visitOrigin()}${VISIT_PREFIX}${secret}`
  /** Whatever narrows access ends what is being answered right now, too. */
  const change = <T>(work: () => T): T => {
    const reply = store.write(work)
    visits.look()
    return reply
  }
  const publish: Handlers['userTesting']['publish'] = ({ project, params, body = {} }): Scenario =>
    store.write(() => {
      const environment = requireEnvironment(store, project.id, params.environmentId)
      const published = publishScenario(store, environment, body)
      return 'secret' in published
        ? { ...toScenario(published.row), link: linkOf(published.secret), created: true }
        : { ...toScenario(published.row), created: false, overridesIgnored: published.ignored }
    })
  return {
    publish,
    publishPut: publish,
    unpublish: ({ project, params }) =>
      change(() => {
        const { id: environmentId } = requireEnvironment(store, project.id, params.environmentId)
        const row = store.scenarios.findByEnvironment(environmentId)
        if (!row) return { environmentId, deleted: false }
        unpublishScenario(store, row)
        return { environmentId, deleted: true, id: row.id }
      }),
    get: call => {
      const row = named(call)
      const { id: scenarioId, projectId, environmentId } = row
      const insights = insightsEnvelopeOf(store, { kind: 'user_testing_window', projectId, scenarioId })
      return { ...toUserTestingScenario(row), environmentId, ...(insights && { insights }) }
    },
    update: call => change(() => toUserTestingScenario(updateScenario(store, named(call), call.body))),
    rebind: call =>
      store.write(() => {
        const row = named(call)
        const environment = requireEnvironment(store, call.project.id, call.body.environmentId)
        return toScenario(rebindScenario(store, row, environment))
      }),
    rotateLink: call =>
      store.write(() => {
        const { row, secret } = rotateLink(store, named(call))
        return { id: row.id, projectId: row.projectId, rotated: true, link: linkOf(secret) }
      }),
    // The contract has no place for the invitation, which no mail carries here; the open reply takes it along.
    upsertMember: call =>
      store.write(() => {
        const row = named(call)
        const { id: memberId, email, invitation } = upsertMember(store, row, call.body)
        return { ...toUserTestingScenario(row), invitation: { memberId, email, code: invitation } }
      }),
    removeMember: call =>
      change(() => {
        const row = named(call)
        const { memberIdOrEmail } = call.params
        removeMember(store, row, memberIdOrEmail)
        return { scenarioId: row.id, projectId: row.projectId, removed: memberIdOrEmail }
      }),
    setGuestExecution: call => store.write(() => setGuestExecution(store, named(call), call.body)),
  }
}
