import { pageOf } from '../core/list-page.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import { toProjectScenario, toScenarioDetail } from './records.ts'

/** The read-only routes, which are no part of the gate. */
export function scenarioHandlers({ store }: ServiceContext): Handlers['scenarios'] {
  return {
    list: ({ project, query }) =>
      store.read(() => {
        const items = store.scenarios.list(project.id).map(row => toProjectScenario(store, row))
        return pageOf(store.cursors, { list: `scenarios/${project.id}`, items, query })
      }),
    get: ({ project, params }) =>
      store.read(() => toScenarioDetail(store, store.scenarios.require(project.id, params.scenarioId))),
  }
}
