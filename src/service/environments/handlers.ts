import type { Handlers, ServiceContext } from '../core/context.ts'
import { recordHandlers } from '../core/record-handlers.ts'
import {
  archiveEnvironment,
  ensureAdhocEnvironment,
  insertEnvironment,
  nameEnvironment,
  restoreEnvironment,
  toEnvironment,
  updateEnvironment,
  resolveEnvironment,
  toEnvironmentResolved,
} from './records.ts'

export function environmentHandlers({ store }: ServiceContext): Handlers['environments'] {
  const { write, ...handlers } = recordHandlers(store, 'environments', {
    rows: store.environments,
    list: { all: (projectId, { includeArchived = false }) => store.environments.list(projectId, includeArchived) },
    toItem: toEnvironment,
    insert: insertEnvironment,
    update: updateEnvironment,
  })
  return {
    ...handlers,
    capabilities: () => ({ modelOverrides: true, modelMatrix: false, secretGrants: false }),
    name: write((row, body) => toEnvironment(nameEnvironment(store, row, body))),
    archive: write((row, body) => toEnvironment(archiveEnvironment(store, row, body.expectedRevision))),
    restore: write((row, body) => toEnvironment(restoreEnvironment(store, row, body.expectedRevision))),
    resolve: ({ project, params }) =>
      store.read(() => {
        const row = store.environments.require(project.id, params.environmentId)
        return toEnvironmentResolved(resolveEnvironment(store, row))
      }),
    ensureAdhoc: ({ project, body }) =>
      store.write(() => {
        const { row, created } = ensureAdhocEnvironment(store, project.id, body)
        return { environment: toEnvironment(row), created }
      }),
  }
}
