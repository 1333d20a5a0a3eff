import { ServiceError } from '../core/errors.ts'
import { windowEnvelope } from '../findings/envelopes.ts'
import { createGeneration, type InsightsSubject } from '../findings/generation.ts'
import { scopeOf } from '../findings/record.ts'
import { scenarioWindows } from '../findings/wave-facts.ts'
import { metricsOf, signalsOf, usageOf } from '../scenarios/measures.ts'
import { requireScenario } from '../scenarios/records.ts'
import { mineDue } from '../scenarios/windows.ts'
import type { ProjectRow } from '../store/projects.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

type ScenarioCall = { project: ProjectRow; params: { scenarioId: string } }

export function userTestingInsightHandlers(context: ServiceContext): Handlers['userTestingInsights'] {
  const { store } = context
  const generation = createGeneration(context, 'window-insights', scenarioWindows)
  const scenarioOf = ({ project, params }: ScenarioCall) =>
    requireScenario(store, project.id, params.scenarioId)
  const subjectOf = (call: ScenarioCall, windowId: string): InsightsSubject => ({
    scope: scopeOf(call.project.id, { kind: 'user-testing', scenarioId: scenarioOf(call).id }),
    waveId: windowId,
  })
  return {
    metrics: call => metricsOf(context, scenarioOf(call), call.query),
    usage: call => usageOf(context, scenarioOf(call)),
    signals: call => signalsOf(context, scenarioOf(call)),
    get(call) {
      const { windowId } = call.params
      const subject = subjectOf(call, windowId)
      const row = generation.get(subject)
      if (!row)
        throw new ServiceError('NOT_FOUND', `Nobody has asked for insights of the window ${windowId}.`)
      return { windowId, ...windowEnvelope(store, subject.scope, windowId, row) }
    },
    request(call) {
      const { id: scenarioId } = scenarioOf(call)
      mineDue(context, scenarioId)
      const window = store.visitorSessions.windows.latest(scenarioId)
      if (!window)
        throw new ServiceError(
          'CONFLICT',
          'The scenario has no window to look at yet: share its link, and ask again after a visitor came.',
        )
      const { organizationId } = call.caller
      generation.request(subjectOf(call, window.id), { organizationId, force: call.body?.force ?? false })
      return { scenarioId, projectId: call.project.id, windowId: window.id, status: 'pending' }
    },
    cancel(call) {
      const { windowId } = call.body
      const subject = subjectOf(call, windowId)
      if (!generation.get(subject))
        throw new ServiceError('NOT_FOUND', `Nobody has asked for insights of the window ${windowId}.`)
      // One that has ended is left as it is (contract: harmless against a finished one).
      generation.cancel(subject)
      return { scenarioId: subject.scope.scope, projectId: call.project.id, windowId, canceled: true }
    },
  }
}
