import type { EvalSuite, EvalSuiteCreated, EvalSuiteCreateRequest } from '../../api/contract/suites.ts'
import type * as z from 'zod'
import { updateSchedule } from './schedule.ts'
import type { Store } from '../core/database/store.ts'
import type { SuiteRow } from './rows.ts'
import { attachEnvironment, requireConfigurable, insertSuite, toSuiteDetail, updateSuite } from './records.ts'
import { pageOf } from '../core/list-page.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

/** What the nouns that a suite holds do for its operations. */
export type SuiteParts = {
  upsertCases: (
    store: Store,
    suite: SuiteRow,
    tests: z.output<typeof EvalSuiteCreateRequest>['tests'],
  ) => EvalSuiteCreated['caseUpsert']
  runsOfSuite: (
    store: Store,
    suite: SuiteRow,
  ) => Pick<EvalSuite, 'latestRun' | 'totals' | 'recentRuns' | 'passRateTrend'>
}

export function suiteHandlers(context: ServiceContext, { upsertCases, runsOfSuite }: SuiteParts): Handlers['suites'] {
  const { store, runs } = context
  const configurable = (projectId: string, suiteId: string) => {
    const suite = store.suites.require(projectId, suiteId)
    requireConfigurable(store, suite)
    return suite
  }
  return {
    list: ({ project, query }) =>
      runs.read(() => {
        const list = `suites/${project.id}`
        return pageOf(store.cursors, { list, rows: store.suites.list(project.id), query }, suite => {
          const { id, name, projectId, createdAt, updatedAt } = suite
          const caseCount = store.cases.list(id).length
          return { id, name, projectId, createdAt, updatedAt, caseCount, ...runsOfSuite(store, suite) }
        })
      }),
    get: ({ project, params }) =>
      store.read(() => toSuiteDetail(store, store.suites.require(project.id, params.suiteId))),
    create: ({ project, caller, body }) =>
      store.write(() => {
        const { suite, servers } = insertSuite(store, project.id, caller.keyId, body)
        return {
          suiteId: suite.id,
          name: suite.name,
          servers: servers.map(({ id, name }) => ({ id, name })),
          caseUpsert: upsertCases(store, suite, body.tests),
        }
      }),
    update: ({ project, params, body }) =>
      store.write(() => toSuiteDetail(store, updateSuite(store, configurable(project.id, params.suiteId), body))),
    schedule: ({ project, params, caller, body }) =>
      store.write(() => {
        const suite = configurable(project.id, params.suiteId)
        updateSchedule(context, suite, body, caller.keyId)
        return toSuiteDetail(store, suite)
      }),
    attachEnvironment: ({ project, params, body }) =>
      store.write(() => attachEnvironment(store, configurable(project.id, params.suiteId), body.environmentId)),
    delete: ({ project, params }) =>
      store.write(() => {
        const suite = configurable(project.id, params.suiteId)
        store.suites.delete(suite.id)
        return { id: suite.id, deleted: true }
      }),
  }
}
