import { generateCases } from './generation.ts'
import {
  caseInput,
  insertCase,
  toEvalCase,
  updateCase,
  createCaseBatch,
  declaredSuiteIdOf,
  type CaseRow,
} from './records.ts'
import { requireRow } from '../core/database/table.ts'
import type { Store } from '../core/database/store.ts'
import { requireConfigurable } from '../suites/records.ts'
import { pageOf } from '../core/list-page.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
export function caseHandlers(context: ServiceContext): Handlers['cases'] {
  const { store } = context
  const configurable = (projectId: string, suiteId: string, declaredSuiteId?: string) => {
    const suite = store.suites.require(projectId, suiteId)
    requireConfigurable(store, suite, declaredSuiteId)
    return suite
  }
  return {
    list: ({ project, params, query }) =>
      store.read(() => {
        const { id } = store.suites.require(project.id, params.suiteId)
        return pageOf(store.cursors, { list: `cases/${id}`, rows: store.cases.list(id), query }, toEvalCase)
      }),
    get: ({ project, params }) => store.read(() => toEvalCase(requireCase(store, project.id, params))),
    create: ({ project, params, body }) =>
      store.write(() => {
        const suite = configurable(project.id, params.suiteId)
        return toEvalCase(insertCase(store, suite, caseInput(body)))
      }),
    createBatch: ({ project, params, query, body, idempotencyKey }) =>
      store.write(() => {
        const suite = configurable(project.id, params.suiteId, declaredSuiteIdOf(query, body))
        return createCaseBatch(store, suite, body, idempotencyKey)
      }),
    generate: ({ project, params, caller, body = {}, idempotencyKey, signal }) =>
      generateCases(context, { project, suiteId: params.suiteId, keyId: caller.keyId, body, idempotencyKey, signal }),
    update: ({ project, params, body }) =>
      store.write(() => {
        configurable(project.id, params.suiteId)
        return toEvalCase(updateCase(store, requireCase(store, project.id, params), body))
      }),
    delete: ({ project, params }) =>
      store.write(() => {
        configurable(project.id, params.suiteId)
        const row = requireCase(store, project.id, params)
        store.cases.delete(row.id)
        return { id: row.id, deleted: true }
      }),
  }
}

function requireCase(store: Store, projectId: string, params: { suiteId: string; caseId: string }): CaseRow {
  const suite = store.suites.require(projectId, params.suiteId)
  return requireRow(store.cases.get(suite.id, params.caseId), `case ${params.caseId} in this suite`)
}
