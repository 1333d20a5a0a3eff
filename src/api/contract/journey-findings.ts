import * as z from 'zod'
import { listOf, openEnum, record, shape, timestamp } from './shapes.ts'
import { endpoint, resource } from './endpoint.ts'

/** A failure that is tracked over waves by its `fingerprint`. Dismissal (`dismissedAt`) is independent of `status`. */
export const SwarmFinding = shape(() =>
  record({
    id: z.string(),
    fingerprint: z.string().nullish(),
    dimension: z.string().nullish(),
    subject: record({ kind: z.string().nullish(), id: z.string(), label: z.string().nullish() }).nullish(),
    status: openEnum(['new', 'recurring', 'regressed', 'resolved']),
    occurrenceCount: z.number().nullish(),
    lastSeenWaveId: z.string().nullish(),
    firstSeenAt: timestamp().nullish(),
    lastSeenAt: timestamp().nullish(),
    resolvedAt: timestamp().nullish(),
    dismissedAt: timestamp().nullish(),
    updatedAt: timestamp().nullish(),
  }),
)
export type SwarmFinding = z.infer<typeof SwarmFinding>

/** `dismissed` is the state after the call. */
export const FindingDismissed = shape(() =>
  record({ id: z.string(), projectId: z.string().nullish(), dismissed: z.boolean().nullish() }),
)
export type FindingDismissed = z.infer<typeof FindingDismissed>

const collection = '/projects/{projectId}/journey-findings' as const
const finding = `${collection}/{findingId}` as const

const dismissal = { response: FindingDismissed, risk: 'write', idempotency: 'natural', gate: 'swarms' } as const

export const journeyFindings = resource('journeyFindings', {
  list: endpoint('listSwarmFindings', 'GET', collection, {
    summary: 'Persistent failures tracked over successive waves.',
    ...listOf(SwarmFinding),
    fromRecords: true,
    gate: 'swarms',
  }),
  dismiss: endpoint('dismissSwarmFinding', 'POST', `${finding}/dismiss`, {
    ...dismissal,
    summary: 'Hide a finding; its lifecycle status is untouched.',
  }),
  undismiss: endpoint('undismissSwarmFinding', 'POST', `${finding}/undismiss`, {
    ...dismissal,
    summary: 'Show a hidden finding again.',
  }),
})
