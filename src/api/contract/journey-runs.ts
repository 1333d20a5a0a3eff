import * as z from 'zod'
import { listOf } from './cursor-list.ts'
import { endpoint, resource } from './endpoint.ts'
import { JourneyRun, JourneyRunSession, RunScorecard, SwarmOverview } from './journey-run-shapes.ts'
import { openEnum, record, shape, strictBody } from './shapes.ts'
import { environmentIds } from './swarm-shapes.ts'

/** `waveId` is minted by the caller and groups runs; without `environmentIds` the journey's own targets are used. */
export const JourneyRunLaunchRequest = shape(() =>
  strictBody({ waveId: z.string().max(64).optional(), environmentIds: environmentIds().optional() }),
)

/** `deduped` marks the replay of an earlier launch under the same key. */
export const JourneyRunLaunched = shape(() =>
  record({
    id: z.string(),
    journeyId: z.string().nullish(),
    projectId: z.string().nullish(),
    status: openEnum(['running']).nullish(),
    deduped: z.boolean().nullish(),
  }),
)
export type JourneyRunLaunched = z.infer<typeof JourneyRunLaunched>

/** `finalized` counts the attempts that this call settled. */
export const JourneyRunCanceled = shape(() =>
  record({
    id: z.string(),
    status: z.string().nullish(),
    canceled: z.boolean().nullish(),
    alreadyCanceled: z.boolean().nullish(),
    finalized: z.number().nullish(),
  }),
)
export type JourneyRunCanceled = z.infer<typeof JourneyRunCanceled>

const ofJourney = '/projects/{projectId}/journeys/{journeyId}/runs' as const
const run = '/projects/{projectId}/journey-runs/{runId}' as const

export const journeyRuns = resource('journeyRuns', {
  list: endpoint('listJourneyRuns', 'GET', ofJourney, {
    summary: 'Compact runs of one journey, latest first.',
    ...listOf(JourneyRun),
    gate: 'swarms',
  }),
  launch: endpoint('launchJourneyRun', 'POST', ofJourney, {
    summary: 'Start a journey run across all its targets; spends model credits.',
    body: shape(() => JourneyRunLaunchRequest().optional()),
    status: 202,
    response: JourneyRunLaunched,
    errors: ['VALIDATION_ERROR', 'CONFLICT'],
    risk: 'spend',
    idempotency: 'header',
    gate: 'swarms',
    source: 'prose',
  }),
  get: endpoint('getJourneyRun', 'GET', run, {
    summary: 'One run in full: attempts and counts of each target.',
    response: JourneyRun,
    gate: 'swarms',
  }),
  sessions: endpoint('listJourneyRunSessions', 'GET', `${run}/sessions`, {
    summary: 'Chat sessions a run produced, without transcripts.',
    ...listOf(JourneyRunSession),
    gate: 'swarms',
  }),
  cancel: endpoint('cancelJourneyRun', 'POST', `${run}/cancel`, {
    summary: 'Stop a journey run; repeating the call is harmless.',
    response: JourneyRunCanceled,
    errors: ['CONFLICT'],
    risk: 'end',
    idempotency: 'natural',
  }),
  scorecard: endpoint('getJourneyRunScorecard', 'GET', `${run}/scorecard`, {
    summary: 'Rubric tallies of one run, computed without a model.',
    response: RunScorecard,
    gate: 'swarms',
  }),
  overview: endpoint('getSwarmOverview', 'GET', '/projects/{projectId}/journeys-overview', {
    summary: 'Project-wide roll-up of recent runs, free of charge.',
    response: SwarmOverview,
    gate: 'swarms',
  }),
})
