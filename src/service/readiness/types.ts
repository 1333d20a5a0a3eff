/** Publishers of app directories against whose requirements a server is graded. */
export type ReadinessKind = 'claude' | 'openai'

const COMMON = [
  'runtime-compatibility',
  'directory-policy',
  'optional-features',
  'submission-artifacts',
  'experience-insights',
] as const

/**
 * Lanes of each publisher's grading. The OpenAPI file names seven lanes in all, without saying which publisher uses
 * which.
 */
export const LANES = {
  claude: COMMON,
  openai: [...COMMON, 'plugin-package', 'release-contract'],
} as const satisfies Record<ReadinessKind, readonly string[]>

export type Lane = (typeof LANES)[ReadinessKind][number]
export type LaneStatus = 'ready' | 'not-ready' | 'incomplete'

/** The result of a rule for one server. */
export type Outcome =
  | { status: 'satisfied' }
  | { status: 'violated'; detail: string; remediation: string; subjects?: string[] }
  /** The rule applies, but was not examined. `missingInputs` names what the caller could provide. */
  | { status: 'not-evaluated'; detail: string; missingInputs?: string[] }
  | { status: 'not-applicable'; detail: string }

export type Citation = { publisher: string; title: string; url: string }

export type Finding = Outcome & {
  id: string
  lane: Lane
  title: string
  /**
   * Only deterministic findings pass or fail a lane. A finding of any class that was not evaluated makes the lane
   * incomplete.
   */
  class: 'deterministic' | 'heuristic' | 'manual-review'
  provenance: 'measured' | 'llm'
  citation: Citation | null
}

export type LaneResult = {
  lane: Lane
  status: LaneStatus
  evaluated: number
  notEvaluated: number
  notApplicable: number
  missingInputs: string[]
}

export type Stage = { stage: 'technical-preflight' | 'submission-ready'; status: LaneStatus; lanes: Lane[] }

export type Verdict = { overallStatus: LaneStatus; lanes: LaneResult[]; stages: Stage[] }

/** State of the model's observations (contract: ReadinessObservationState). */
export type Observations = {
  status: 'not-requested' | 'pending' | 'completed' | 'provider-failed' | 'invalid-output'
  reason?: 'not_requested' | 'provider_error' | 'provider_timeout' | 'schema_invalid' | 'no_evidence' | 'cancelled'
  detail?: string
}
