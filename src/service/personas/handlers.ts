import { createOnce } from '../core/create-once.ts'
import { draftPersonas } from '../drafting/drafting.ts'
import { latestPage } from '../core/list-page.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import { insertPersona, updatePersona, deletePersona, toPersona } from './records.ts'

export function personaHandlers(context: ServiceContext): Handlers['personas'] {
  const { store } = context
  return {
    list: ({ project, query }) =>
      latestPage(store, { name: 'personas', ownerId: project.id, query, page: store.personas.page }, toPersona),
    create: ({ project, caller, idempotencyKey, body }) =>
      createOnce(store, { scope: `personas.create/${project.id}/${caller.keyId}`, key: idempotencyKey, body }, () =>
        toPersona(insertPersona(store, project.id, body)),
      ),
    get: ({ project, params }) => toPersona(store.personas.require(project.id, params.personaId)),
    update: ({ project, params, body }) =>
      store.write(() => toPersona(updatePersona(store, store.personas.require(project.id, params.personaId), body))),
    delete: ({ project, params }) =>
      store.write(() => {
        const row = store.personas.require(project.id, params.personaId)
        deletePersona(store, row)
        return { id: row.id, projectId: project.id, deleted: true }
      }),
    generate: ({ project, body, signal }) => draftPersonas(context, project, body, signal),
  }
}
