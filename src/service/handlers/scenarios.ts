import { requireScenario, toProjectScenario, toScenarioDetail } from '../scenarios/records.ts'
import type { Handlers, ServiceContext } from './handler.ts'

/** The read-only routes, which are no part of the gate. */
export function scenarioHandlers({ store }: ServiceContext): Handlers['scenarios'] {
  return {
    list: ({ project }) =>
      store.read(() => ({
        items: store.scenarios.list(project.id).map(row => toProjectScenario(store, row)),
      })),
    get: ({ project, params }) =>
      store.read(() => toScenarioDetail(store, requireScenario(store, project.id, params.scenarioId))),
  }
}
