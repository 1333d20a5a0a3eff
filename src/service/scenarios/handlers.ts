import type { Handlers, ServiceContext } from '../core/context.ts'
import { recordHandlers } from '../core/record-handlers.ts'
import { toProjectScenario, toScenarioDetail } from './records.ts'

/** The read-only routes, which are no part of the gate. */
export function scenarioHandlers({ store }: ServiceContext): Handlers['scenarios'] {
  return recordHandlers(store, 'scenarios', {
    rows: store.scenarios,
    list: { all: store.scenarios.list },
    toItem: row => toScenarioDetail(store, row),
    toListed: row => toProjectScenario(store, row),
  })
}
