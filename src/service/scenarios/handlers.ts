import { requireScenario, toProjectScenario, toScenarioDetail } from './records.ts'
import { pageOf } from '../core/list-page.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

/** The read-only routes, which are no part of the gate. */
export function scenarioHandlers({ store }: ServiceContext): Handlers['scenarios'] {
  return {
    list: ({ project, query }) =>
      store.read(() => {
        const items = store.scenarios.list(project.id).map(row => toProjectScenario(store, row))
        return pageOf(store.cursors, { list: `scenarios/${project.id}`, items, query })
      }),
    get: ({ project, params }) =>
      store.read(() => toScenarioDetail(store, requireScenario(store, project.id, params.scenarioId))),
  }
}
