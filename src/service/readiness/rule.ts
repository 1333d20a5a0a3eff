import type { Evidence } from './evidence.ts'
import type { Finding, Lane, Outcome, ReadinessKind } from './types.ts'

/** One requirement of a publisher, and how it is looked at here. */
export type Rule = {
  id: string
  lane: Lane
  title: string
  /** Publishers that ask for it. Default: both. */
  kinds?: readonly ReadinessKind[]
  /** Default: deterministic. */
  class?: Finding['class']
  judge(evidence: Evidence, kind: ReadinessKind): Outcome
}
