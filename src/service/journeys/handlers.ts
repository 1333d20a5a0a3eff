import { createOnce } from '../core/create-once.ts'
import { draftJourneys } from '../drafting/drafting.ts'
import { latestPage } from '../core/list-page.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import { insertJourney, updateJourney, archiveJourney, toJourney } from './records.ts'

export function journeyHandlers(context: ServiceContext): Handlers['journeys'] {
  const { store } = context
  return {
    list: ({ project, query }) =>
      latestPage(store, { name: 'journeys', ownerId: project.id, query, page: store.journeys.page }, toJourney),
    create: ({ project, caller, idempotencyKey, body }) =>
      createOnce(store, { scope: `journeys.create/${project.id}/${caller.keyId}`, key: idempotencyKey, body }, () =>
        toJourney(insertJourney(store, project.id, body)),
      ),
    get: ({ project, params }) => toJourney(store.journeys.require(project.id, params.journeyId)),
    update: ({ project, params, body }) =>
      store.write(() => toJourney(updateJourney(store, store.journeys.require(project.id, params.journeyId), body))),
    archive: ({ project, params }) =>
      store.write(() => {
        const row = store.journeys.require(project.id, params.journeyId)
        archiveJourney(store, row)
        return { id: row.id, projectId: project.id, archived: true }
      }),
    generate: ({ project, body, signal }) => draftJourneys(context, project, body, signal),
  }
}
