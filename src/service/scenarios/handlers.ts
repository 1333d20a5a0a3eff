import { pageOf } from '../core/list-page.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import { toProjectScenario, toScenarioDetail } from './records.ts'

/** The read-only routes, which are no part of the gate. */
export function scenarioHandlers({ store }: ServiceContext): Handlers['scenarios'] {
  return {
    list: ({ project, query }) =>
      store.read(() => {
        const [list, rows] = [`scenarios/${project.id}`, store.scenarios.list(project.id)]
        return pageOf(store.cursors, { list, rows, query }, row => toProjectScenario(store, row))
      }),
    get: ({ project, params }) =>
      store.read(() => toScenarioDetail(store, store.scenarios.require(project.id, params.scenarioId))),
  }
}
