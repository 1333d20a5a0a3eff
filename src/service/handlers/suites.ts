import type { EvalSuite } from '../../api/contract/suites.ts'
import { toRecentRun } from '../runs/records.ts'
import { updateSchedule } from '../runs/scheduled-launches.ts'
import type { Store } from '../workspace/store.ts'
import type { SuiteRow } from '../store/suites.ts'
import { attachEnvironment } from '../suites/attachments.ts'
import { requireConfigurable } from '../suite-ownership.ts'
import { insertSuite, requireSuite, toSuiteDetail, updateSuite } from '../suites/records.ts'
import { pageOf } from '../core/list-page.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

/** How many of the latest finished runs the trend of a suite shows. */
const TREND_RUNS = 10

export function suiteHandlers(context: ServiceContext): Handlers['suites'] {
  const { store, runs } = context
  const configurable = (projectId: string, suiteId: string) => {
    const suite = requireSuite(store, projectId, suiteId)
    requireConfigurable(store, suite)
    return suite
  }
  return {
    list({ project, query }) {
      runs.settleAbandoned()
      return store.read(() => {
        const list = `suites/${project.id}`
        const { items, ...page } = pageOf(store.cursors, {
          list,
          items: store.suites.list(project.id),
          query,
        })
        return { items: items.map(suite => toEvalSuite(store, suite)), ...page }
      })
    },
    get: ({ project, params }) =>
      store.read(() => toSuiteDetail(store, requireSuite(store, project.id, params.suiteId))),
    create: ({ project, caller, body }) =>
      store.write(() => {
        const { suite, servers, caseUpsert } = insertSuite(store, project.id, caller.keyId, body)
        return {
          suiteId: suite.id,
          name: suite.name,
          servers: servers.map(({ id, name }) => ({ id, name })),
          caseUpsert,
        }
      }),
    update: ({ project, params, body }) =>
      store.write(() =>
        toSuiteDetail(store, updateSuite(store, configurable(project.id, params.suiteId), body)),
      ),
    schedule: ({ project, params, caller, body }) =>
      store.write(() => {
        const suite = configurable(project.id, params.suiteId)
        updateSchedule(context, suite, body, caller.keyId)
        return toSuiteDetail(store, suite)
      }),
    attachEnvironment: ({ project, params, body }) =>
      store.write(() =>
        attachEnvironment(store, configurable(project.id, params.suiteId), body.environmentId),
      ),
    delete: ({ project, params }) =>
      store.write(() => {
        const suite = configurable(project.id, params.suiteId)
        store.suites.delete(suite.id)
        return { id: suite.id, deleted: true }
      }),
  }
}

/**
 * Rates are fractions; the contract leaves their unit open. The latest runs stand with the suite, so that a reader sees which of them
 * covered all of its cases.
 */
function toEvalSuite(store: Store, suite: SuiteRow): EvalSuite {
  const { id, name, projectId, createdAt, updatedAt } = suite
  const recent = store.runs.listBySuite(projectId, id, TREND_RUNS)
  const [latest] = recent
  const whole = store.runs.latestWhole(projectId, id)
  const judging = whole && !recent.some(run => run.id === whole.id) ? [whole] : []
  const { runs, passed, failed } = store.runs.figures(id)
  return {
    id,
    name,
    projectId,
    createdAt,
    updatedAt,
    latestRun: latest
      ? {
          id: latest.id,
          status: latest.status,
          passRate: latest.summary?.passRate ?? null,
          passed: latest.summary?.passed ?? null,
          failed: latest.summary?.failed ?? null,
          createdAt: latest.createdAt,
        }
      : null,
    totals: { passed, failed, runs },
    caseCount: store.cases.list(id).length,
    recentRuns: [...recent, ...judging].map(run => toRecentRun(store, run)),
    passRateTrend: recent
      .flatMap(({ status, summary }) => {
        const rate = status === 'completed' ? summary?.passRate : undefined
        return rate == null ? [] : [rate]
      })
      .toReversed(),
  }
}
