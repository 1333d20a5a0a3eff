import type { InsightsEnvelope } from '../../api/contract/insight-shapes.ts'
import type { Store } from '../core/database/store.ts'
import type { SessionText } from './discovery.ts'
import type { FindingScope } from './rows.ts'

/** What a wave or window consists of, counted. */
export type WaveFacts = {
  /** What it is, for a sentence. */
  what: string
  /** Sessions there are, and those of them that were looked at. */
  total: number
  analyzed: number
  gradedCount?: number
  feedbackCount?: number
  runHealth?: NonNullable<InsightsEnvelope['runHealth']>
  /** Sessions that a failure was seen in, by fingerprint; what is missing is told by the evidence alone. */
  affected: ReadonlyMap<string, number>
}

/** Waves, or windows, as insights read them. */
export type WaveSubjects = {
  has(store: Store, scope: FindingScope, waveId: string): boolean
  /** Whether it is not over, so that there is more to come. */
  inFlight(store: Store, scope: FindingScope, waveId: string): boolean
  /** Undefined = it is gone. */
  facts(store: Store, scope: FindingScope, waveId: string): WaveFacts | undefined
  /** What was said, for kinds of insights that have a discovery lane. */
  sessions?(store: Store, scope: FindingScope, waveId: string): SessionText[]
}
