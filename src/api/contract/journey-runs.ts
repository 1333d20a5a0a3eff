import * as z from 'zod'
import { listOf, openEnum, record, shape, strictBody, timestamp } from './shapes.ts'
import { endpoint, resource } from './endpoint.ts'
import { environmentIds } from './swarms.ts'
import { InsightsEnvelope } from './insight-shapes.ts'

/** Session counts of a run. `total` is fixed at launch. */
export const JourneyRunSummary = shape(() =>
  record({
    total: z.number().nullish(),
    succeeded: z.number().nullish(),
    failed: z.number().nullish(),
    rateLimited: z.number().nullish(),
  }),
)
export type JourneyRunSummary = z.infer<typeof JourneyRunSummary>

/** A target of a run. Clients may occur more than once, so `targetId` distinguishes targets if present. */
const JourneyRunTarget = shape(() =>
  record({
    hostId: z.string(),
    hostName: z.string().nullish(),
    targetId: z.string().nullish(),
    modelId: z.string().nullish(),
  }),
)

/** One session of a run as the runner sees it: pending, then running, then one of the final states. */
export const JourneyRunAttempt = shape(() =>
  record({
    chatSessionId: z.string().nullish(),
    hostId: z.string().nullish(),
    targetId: z.string().nullish(),
    sessionIndex: z.number().nullish(),
    status: openEnum(['pending', 'running', 'succeeded', 'failed', 'rate_limited']),
    errorCode: z.string().nullish(),
    errorMessage: z.string().nullish(),
  }),
)
export type JourneyRunAttempt = z.infer<typeof JourneyRunAttempt>

/**
 * A launch of one journey, in flight while `status` is `running`. A stopped run has `status: failed` and `canceled`;
 * `stale` means that a watchdog ended it. Some fields are documented elsewhere (differences, row 26).
 */
export const JourneyRun = shape(() =>
  record({
    id: z.string(),
    projectId: z.string().nullish(),
    journeyId: z.string().nullish(),
    waveId: z.string().nullish(),
    status: openEnum(['running', 'completed', 'partial', 'failed', 'rate_limited']),
    canceled: z.boolean().nullish(),
    stale: z.boolean().nullish(),
    deduped: z.boolean().nullish(),
    error: z.string().nullish(),
    summary: JourneyRunSummary().nullish(),
    hostId: z.string().nullish(),
    targetId: z.string().nullish(),
    sessionsGraded: z.number().nullish(),
    failCount: z.number().nullish(),
    failedGradingCount: z.number().nullish(),
    targets: z.array(JourneyRunTarget()).nullish(),
    persona: record({
      personaId: z.string().nullish(),
      name: z.string().nullish(),
      role: z.string().nullish(),
    }).nullish(),
    attempts: z.array(JourneyRunAttempt()).nullish(),
    targetSummaries: z
      .array(JourneyRunSummary().extend({ hostId: z.string(), targetId: z.string().nullish() }))
      .nullish(),
    createdAt: timestamp().nullish(),
    lastHeartbeatAt: timestamp().nullish(),
    insights: InsightsEnvelope().nullish(),
  }),
)
export type JourneyRun = z.infer<typeof JourneyRun>

/** A chat session of a run, without transcript. `outcome` tells how it went, null if no attempt matches. */
export const JourneyRunSession = shape(() =>
  record({
    id: z.string(),
    chatSessionId: z.string().nullish(),
    projectId: z.string().nullish(),
    hostId: z.string().nullish(),
    runId: z.string().nullish(),
    journeyId: z.string().nullish(),
    personaId: z.string().nullish(),
    personaLabel: z.string().nullish(),
    status: openEnum(['active', 'archived']).nullish(),
    outcome: openEnum(['succeeded', 'failed', 'rate_limited', 'running', 'pending']).nullish(),
    readiness: z.unknown().optional(),
    goalScore: z.unknown().optional(),
    messageCount: z.number().nullish(),
    preview: z.string().nullish(),
    modelId: z.string().nullish(),
    startedAt: timestamp().nullish(),
    lastActivityAt: timestamp().nullish(),
  }),
)
export type JourneyRunSession = z.infer<typeof JourneyRunSession>

/**
 * Counts of one rubric entry. `failedGradingCount` means that the grader broke, which does not count in `failCount`.
 */
export const ScorecardCriterion = shape(() =>
  record({
    id: z.string(),
    label: z.string().nullish(),
    kind: z.string().nullish(),
    passCount: z.number().nullish(),
    failCount: z.number().nullish(),
    pendingCount: z.number().nullish(),
    failedGradingCount: z.number().nullish(),
  }),
)
export type ScorecardCriterion = z.infer<typeof ScorecardCriterion>

/** Counts of a run's rubric. Rates divide by `sessionsGraded`, never by `sessionsTotal`. */
export const RunScorecard = shape(() =>
  record({
    runId: z.string().nullish(),
    criteria: z.array(ScorecardCriterion()).nullish(),
    sessionsTotal: z.number().nullish(),
    sessionsGraded: z.number().nullish(),
  }),
)
export type RunScorecard = z.infer<typeof RunScorecard>

/** A criterion that failed in a recent run. `runStreak` counts failing runs in a row. */
const OverviewFinding = shape(() =>
  record({
    criterionId: z.string(),
    label: z.string().nullish(),
    kind: z.string().nullish(),
    failCount: z.number().nullish(),
    pendingCount: z.number().nullish(),
    failedGradingCount: z.number().nullish(),
    sessionsGraded: z.number().nullish(),
    runStreak: z.number().nullish(),
  }),
)

const OverviewRun = shape(() =>
  record({
    runId: z.string(),
    journeyId: z.string().nullish(),
    journeyName: z.string().nullish(),
    journeyArchived: z.boolean().nullish(),
    personaName: z.string().nullish(),
    status: openEnum(['running', 'completed', 'partial', 'failed', 'rate_limited']).nullish(),
    waveId: z.string().nullish(),
    summary: JourneyRunSummary().nullish(),
    goalCompletion: record({
      gradedCount: z.number().nullish(),
      passedCount: z.number().nullish(),
      avgScore: z.number().nullish(),
      pendingCount: z.number().nullish(),
      failedCount: z.number().nullish(),
    }).nullish(),
    findings: z.array(OverviewFinding()).nullish(),
    targets: z
      .array(
        record({
          hostName: z.string().nullish(),
          modelId: z.string().nullish(),
          environmentName: z.string().nullish(),
        }),
      )
      .nullish(),
    createdAt: timestamp().nullish(),
  }),
)

/** Recent runs of a project by UTC day. Null means ungraded; `runsConsidered` is the number of runs examined. */
export const SwarmOverview = shape(() =>
  record({
    runs: z.array(OverviewRun()).nullish(),
    runsConsidered: z.number().nullish(),
    goalCompletion: record({
      gradedCount: z.number().nullish(),
      passedCount: z.number().nullish(),
      passRate: z.number().nullish(),
      runsWithGrades: z.number().nullish(),
      trend: z
        .array(
          record({
            dayStartMs: z.number(),
            gradedCount: z.number().nullish(),
            passedCount: z.number().nullish(),
            passRate: z.number().nullish(),
          }),
        )
        .nullish(),
    }).nullish(),
  }),
)
export type SwarmOverview = z.infer<typeof SwarmOverview>

/** The caller chooses `waveId`, which groups runs. Without `environmentIds` the journey's own targets are used. */
export const JourneyRunLaunchRequest = shape(() =>
  strictBody({ waveId: z.string().max(64).optional(), environmentIds: environmentIds().optional() }),
)

/** `deduped` means that an earlier launch with the same key is returned. */
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

/** `finalized` counts the attempts that this call ended. */
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
