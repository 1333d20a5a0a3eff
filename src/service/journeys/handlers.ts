import { draftJourneys } from '../drafting/drafting.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import { archiveRecord, recordHandlers } from '../core/record-handlers.ts'
import { insertJourney, updateJourney, toJourney } from './records.ts'

export function journeyHandlers(context: ServiceContext): Handlers['journeys'] {
  const { store } = context
  const { write, ...handlers } = recordHandlers(store, 'journeys', {
    rows: store.journeys,
    list: { latest: store.journeys.page },
    toItem: toJourney,
    insert: insertJourney,
    update: updateJourney,
  })
  return {
    ...handlers,
    archive: write(row => archiveRecord(store.journeys, row)),
    generate: ({ project, body, signal }) => draftJourneys(context, project, body, signal),
  }
}
