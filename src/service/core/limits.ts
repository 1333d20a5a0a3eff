import type { Gate } from '../../api/contract/endpoint.ts'

/** The limits of an organization, for `mcpdeck serve limits`, `/capabilities` and refusals. */
export const LIMITS = {
  requestsPerMinute: { value: 60, min: 0, says: 'Requests of a key a minute, sustained; 0 = no limit.' },
  burst: { value: 10, min: 1, says: 'Requests of a key at once after a pause.' },
  concurrentRuns: { value: 2, min: 1, says: 'Eval runs in flight at once.' },
  pendingConnections: { value: 5, min: 1, says: 'Open server-connection requests of an account.' },
  generationsPerMinute: { value: 10, min: 1, says: 'Drafting requests a minute.' },
  generationsPerDay: { value: 200, min: 0, says: 'Drafting requests a day.' },
  launchesPerMinute: { value: 10, min: 1, says: 'Journey launches a minute.' },
  launchesPerDay: { value: 200, min: 0, says: 'Journey launches a day.' },
  insightsPerMinute: { value: 10, min: 1, says: 'Insight requests a minute.' },
  insightsPerDay: { value: 50, min: 0, says: 'Insight requests a day, over runs, waves and user testing.' },
} as const satisfies Record<string, { value: number; min: number; says: string }>

export type LimitName = keyof typeof LIMITS

/** Maximum value of any limit. */
export const MAX_LIMIT = 1_000_000

/** The features that can be switched off, with the names used in sentences. */
export const GATES: Readonly<Record<Gate, string>> = { swarms: 'Swarms', 'user-testing': 'User testing' }

export const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[]
export const GATE_NAMES = Object.keys(GATES) as Gate[]
