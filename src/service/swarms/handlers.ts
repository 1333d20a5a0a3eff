import { createOnce } from '../core/create-once.ts'
import { latestPage } from '../core/list-page.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import { insertSwarm, updateSwarm, archiveSwarm, toSwarm } from './records.ts'

export function swarmHandlers({ store }: ServiceContext): Handlers['swarms'] {
  return {
    list: ({ project, query }) =>
      latestPage(store, { name: 'swarms', ownerId: project.id, query, page: store.swarms.page }, toSwarm),
    create: ({ project, caller, idempotencyKey, body }) =>
      createOnce(store, { scope: `swarms.create/${project.id}/${caller.keyId}`, key: idempotencyKey, body }, () =>
        toSwarm(insertSwarm(store, project.id, body)),
      ),
    get: ({ project, params }) => toSwarm(store.swarms.require(project.id, params.swarmId)),
    update: ({ project, params, body }) =>
      store.write(() => toSwarm(updateSwarm(store, store.swarms.require(project.id, params.swarmId), body))),
    archive: ({ project, params }) =>
      store.write(() => {
        const row = store.swarms.require(project.id, params.swarmId)
        archiveSwarm(store, row)
        return { id: row.id, projectId: project.id, archived: true }
      }),
  }
}
