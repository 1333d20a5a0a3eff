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
import type { EnvironmentRow } from './rows.ts'
import type { ProjectRow } from '../core/database/rows.ts'
import { pageOf } from '../core/list-page.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

type EnvironmentCall = { project: ProjectRow; params: { environmentId: string } }

export function environmentHandlers({ store }: ServiceContext): Handlers['environments'] {
  const named = ({ project, params }: EnvironmentCall) => store.environments.require(project.id, params.environmentId)
  const edit = (call: EnvironmentCall, work: (row: EnvironmentRow) => EnvironmentRow) =>
    store.write(() => toEnvironment(work(named(call))))
  return {
    list: ({ project, query }) =>
      pageOf(
        store.cursors,
        {
          list: `environments/${project.id}`,
          rows: store.environments.list(project.id, query.includeArchived ?? false),
          query,
        },
        toEnvironment,
      ),
    get: call => toEnvironment(named(call)),
    create: ({ project, body }) => store.write(() => toEnvironment(insertEnvironment(store, project.id, body))),
    capabilities: () => ({ modelOverrides: true, modelMatrix: false, secretGrants: false }),
    update: call => edit(call, row => updateEnvironment(store, row, call.body)),
    name: call => edit(call, row => nameEnvironment(store, row, call.body)),
    archive: call => edit(call, row => archiveEnvironment(store, row, call.body.expectedRevision)),
    restore: call => edit(call, row => restoreEnvironment(store, row, call.body.expectedRevision)),
    resolve: call => store.read(() => toEnvironmentResolved(resolveEnvironment(store, named(call)))),
    ensureAdhoc: ({ project, body }) =>
      store.write(() => {
        const { row, created } = ensureAdhocEnvironment(store, project.id, body)
        return { environment: toEnvironment(row), created }
      }),
  }
}
