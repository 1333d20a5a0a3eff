import * as z from 'zod'
import { endpoint, resource } from './endpoint.ts'
import { openEnum, openObject, record, shape, strictBody, timestamp } from './shapes.ts'

/**
 * Generated insights of a wave. `discovery` may arrive after `status` is completed. 404 means that they were never
 * requested.
 */
export const WaveInsights = shape(() =>
  record({
    waveId: z.string(),
    status: openEnum(['pending', 'completed', 'failed']),
    insights: openObject().nullish(),
    discovery: openObject().nullish(),
    errorCode: z.string().nullish(),
    errorMessage: z.string().nullish(),
    updatedAt: timestamp().nullish(),
  }),
)
export type WaveInsights = z.infer<typeof WaveInsights>

/** `force` generates again for a finished wave and counts again against `insightsPerDay`. */
export const WaveInsightsRequest = shape(() => strictBody({ force: z.boolean().optional() }))

export const WaveInsightsRequested = shape(() =>
  record({ waveId: z.string(), projectId: z.string().nullish(), status: openEnum(['pending']).nullish() }),
)

export const WaveInsightsCanceled = shape(() =>
  record({ waveId: z.string(), projectId: z.string().nullish(), canceled: z.boolean().nullish() }),
)

const insights = '/projects/{projectId}/waves/{waveId}/insights' as const

export const waveInsights = resource('waveInsights', {
  get: endpoint('getWaveInsights', 'GET', insights, {
    summary: 'Poll generated wave insights; not found before any request.',
    response: WaveInsights,
    gate: 'swarms',
  }),
  /** `spend` stands for the ledger: insights take no credits (differences, row 10). */
  request: endpoint('requestWaveInsights', 'POST', insights, {
    summary: 'Schedule model analysis of a wave; uses the daily insights quota.',
    body: shape(() => WaveInsightsRequest().optional()),
    status: 202,
    response: WaveInsightsRequested,
    risk: 'spend',
    idempotency: 'none',
    gate: 'swarms',
    refreshes: ['journeyRuns'],
  }),
  /** Not gated, because cancelling is outside the gate in the prose document. */
  cancel: endpoint('cancelWaveInsights', 'DELETE', insights, {
    summary: 'Abort a pending wave analysis; a conflict when none is pending.',
    response: WaveInsightsCanceled,
    errors: ['CONFLICT'],
    risk: 'end',
    refreshes: ['journeyRuns'],
  }),
})
