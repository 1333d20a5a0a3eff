import { ServiceError } from '../core/errors.ts'
import { defineJourneyRuns } from './engine.ts'
import { launchJourneyRun } from './launch.ts'
import { toJourneyRun, toJourneyRunDetail, toJourneyRunSession, toScorecard } from './records.ts'
import { endJourneyRun } from './settlement.ts'
import { latestPage } from '../core/list-page.ts'
import { readOverview } from './overview.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

export function journeyRunHandlers(context: ServiceContext): Handlers['journeyRuns'] {
  const { store, jobs } = context
  defineJourneyRuns(context)
  return {
    list: ({ project, params, query }) =>
      jobs.read(() => {
        const { id } = store.journeys.require(project.id, params.journeyId)
        return latestPage(
          store,
          { name: 'journeyRuns', ownerId: id, query, page: store.journeyRuns.pageByJourney },
          run => toJourneyRun(store, run),
        )
      }),
    launch: ({ project, caller, params, body, idempotencyKey }) =>
      launchJourneyRun(context, { project, caller, journeyId: params.journeyId, body: body ?? {}, idempotencyKey }),
    get: ({ project, params }) =>
      jobs.read(() => toJourneyRunDetail(store, store.journeyRuns.require(project.id, params.runId))),
    sessions: ({ project, params, query }) =>
      jobs.read(() => {
        const run = store.journeyRuns.require(project.id, params.runId)
        const attempts = store.journeyRuns.attempts.list(run.id)
        return latestPage(
          store,
          { name: 'journeyRunSessions', ownerId: run.id, query, page: store.journeySessions.pageByRun },
          session => toJourneyRunSession(run, attempts, session),
        )
      }),
    cancel({ project, params }) {
      jobs.settleAbandoned()
      const { canceled, reply } = store.write(() => {
        const { id, status, marker } = store.journeyRuns.require(project.id, params.runId)
        const alreadyCanceled = marker === 'canceled'
        if (status !== 'running' && !alreadyCanceled)
          throw new ServiceError('CONFLICT', `The run has ended already (${status}).`, { details: { status } })
        const finalized = endJourneyRun(store, id, 'canceled')
        return { canceled: id, reply: { id, status: 'failed', canceled: true, alreadyCanceled, finalized } }
      })
      jobs.stop('journey-run', canceled)
      return reply
    },
    scorecard: ({ project, params }) =>
      jobs.read(() => toScorecard(store, store.journeyRuns.require(project.id, params.runId))),
    overview: ({ project }) => jobs.read(() => readOverview(store, project.id)),
  }
}
