import { caseInput, insertCase, toEvalCase, updateCase } from '../case-records.ts'
import { createCaseBatch } from '../case-batch.ts'
import { ServiceError } from '../errors.ts'
import type { CaseRow } from '../store/cases.ts'
import type { Store } from '../store/store.ts'
import { requireSuite } from '../suite-records.ts'
import type { Handlers, ServiceContext } from './handler.ts'

export function caseHandlers({ store }: ServiceContext): Handlers['cases'] {
  return {
    list: ({ project, params }) =>
      store.read(() => ({
        items: store.cases.list(requireSuite(store, project.id, params.suiteId).id).map(toEvalCase),
      })),
    get: ({ project, params }) => store.read(() => toEvalCase(requireCase(store, project.id, params))),
    create: ({ project, params, body }) =>
      store.write(() => {
        const suite = requireSuite(store, project.id, params.suiteId)
        return toEvalCase(insertCase(store, suite, caseInput(body)))
      }),
    createBatch: ({ project, params, body, idempotencyKey }) =>
      store.write(() =>
        createCaseBatch(store, requireSuite(store, project.id, params.suiteId), body, idempotencyKey),
      ),
    update: ({ project, params, body }) =>
      store.write(() => toEvalCase(updateCase(store, requireCase(store, project.id, params), body))),
    delete: ({ project, params }) =>
      store.write(() => {
        const row = requireCase(store, project.id, params)
        store.cases.delete(row.id)
        return { id: row.id, deleted: true }
      }),
  }
}

function requireCase(store: Store, projectId: string, params: { suiteId: string; caseId: string }): CaseRow {
  const suite = requireSuite(store, projectId, params.suiteId)
  const row = store.cases.get(suite.id, params.caseId)
  if (!row) throw new ServiceError('NOT_FOUND', `There is no case ${params.caseId} in this suite.`)
  return row
}
