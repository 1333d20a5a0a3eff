import * as z from 'zod'
import { listOf, openEnum, record, shape, strictBody } from './shapes.ts'
import { endpoint, resource } from './endpoint.ts'

/** Session volumes and rates: an open document, not found before any session. */
export const ScenarioMetrics = shape(() => record({}))
export type ScenarioMetrics = z.infer<typeof ScenarioMetrics>

/** Models, tools and servers that visitors touched. With `scan.truncated` the rates cover recent sessions only. */
export const ScenarioUsage = shape(() => record({ scan: record({ truncated: z.boolean().nullish() }).nullish() }))
export type ScenarioUsage = z.infer<typeof ScenarioUsage>

/** Mined signals of the current window, open but for the id that the insights read takes. */
export const ScenarioSignals = shape(() => record({ windowId: z.string().nullish() }))
export type ScenarioSignals = z.infer<typeof ScenarioSignals>

/** Generated insights of one window: an open document; not found means that nobody asked. */
export const ScenarioWindowInsights = shape(() => record({ windowId: z.string() }))
export type ScenarioWindowInsights = z.infer<typeof ScenarioWindowInsights>

/** `force` generates again and takes a second slice of `insightsPerDay`. */
export const ScenarioInsightsRequest = shape(() => strictBody({ force: z.boolean().optional() }))

/** `windowId` is what to poll with. */
export const ScenarioInsightsRequested = shape(() =>
  record({
    scenarioId: z.string().nullish(),
    projectId: z.string().nullish(),
    windowId: z.string(),
    status: openEnum(['pending']).nullish(),
  }),
)
export type ScenarioInsightsRequested = z.infer<typeof ScenarioInsightsRequested>

export const ScenarioInsightsCancelRequest = shape(() => strictBody({ windowId: z.string().min(1) }))

export const ScenarioInsightsCanceled = shape(() =>
  record({
    scenarioId: z.string().nullish(),
    projectId: z.string().nullish(),
    windowId: z.string().nullish(),
    canceled: z.boolean().nullish(),
  }),
)

/** A finding over a window: an open document, its id included, whose name the contract does not state. */
export const ScenarioFinding = shape(() => record({}))
export type ScenarioFinding = z.infer<typeof ScenarioFinding>

/** `dismissed` is the state after the call. */
export const ScenarioFindingDismissed = shape(() =>
  record({
    id: z.string(),
    scenarioId: z.string().nullish(),
    projectId: z.string().nullish(),
    dismissed: z.boolean().nullish(),
  }),
)

const scenario = '/projects/{projectId}/user-testing/scenarios/{scenarioId}' as const

export const userTestingInsights = resource('userTestingInsights', {
  metrics: endpoint('getUserTestingMetrics', 'GET', `${scenario}/metrics`, {
    summary: 'Session volumes and rates; not found before any session.',
    query: shape(() => strictBody({ population: z.enum(['real', 'synthetic']).optional() })),
    response: ScenarioMetrics,
    errors: ['VALIDATION_ERROR'],
    gate: 'user-testing',
  }),
  usage: endpoint('getUserTestingUsage', 'GET', `${scenario}/usage`, {
    summary: 'Models, tools and servers visitors touched; maybe truncated.',
    response: ScenarioUsage,
    gate: 'user-testing',
  }),
  signals: endpoint('getUserTestingSignals', 'GET', `${scenario}/signals`, {
    summary: 'Mined signals of the current window, with its id.',
    response: ScenarioSignals,
    gate: 'user-testing',
  }),
  get: endpoint('getUserTestingWindowInsights', 'GET', `${scenario}/windows/{windowId}/insights`, {
    summary: "Poll one window's insights; not found before any request.",
    response: ScenarioWindowInsights,
    gate: 'user-testing',
  }),
  /** `spend` stands for the ledger: insights take no credits (differences, row 10). */
  request: endpoint('requestUserTestingInsights', 'POST', `${scenario}/insights`, {
    summary: 'Schedule analysis of the current window; uses the daily insights quota.',
    body: shape(() => ScenarioInsightsRequest().optional()),
    status: 202,
    response: ScenarioInsightsRequested,
    errors: ['VALIDATION_ERROR', 'CONFLICT'],
    risk: 'spend',
    idempotency: 'none',
    gate: 'user-testing',
    refreshes: ['userTesting'],
  }),
  /** Not gated, because the prose document puts cancelling outside the gate. */
  cancel: endpoint('cancelUserTestingInsights', 'DELETE', `${scenario}/insights`, {
    summary: "Release a window's analysis that hangs in pending.",
    body: ScenarioInsightsCancelRequest,
    response: ScenarioInsightsCanceled,
    risk: 'end',
    refreshes: ['userTesting'],
  }),
})

const dismissal = {
  response: ScenarioFindingDismissed,
  risk: 'write',
  idempotency: 'natural',
  gate: 'user-testing',
} as const

/** The list answers a cursor but takes none. */
export const userTestingFindings = resource('userTestingFindings', {
  list: endpoint('listUserTestingFindings', 'GET', `${scenario}/findings`, {
    summary: 'All findings of a scenario, dismissed ones included.',
    ...listOf(ScenarioFinding),
    gate: 'user-testing',
  }),
  dismiss: endpoint('dismissUserTestingFinding', 'POST', `${scenario}/findings/{findingId}/dismiss`, {
    ...dismissal,
    summary: 'Hide a scenario finding by its lasting id.',
  }),
  undismiss: endpoint('undismissUserTestingFinding', 'POST', `${scenario}/findings/{findingId}/undismiss`, {
    ...dismissal,
    summary: 'Show a hidden scenario finding again.',
  }),
})
