import type { ApiError } from '../../api/client/errors/api-error.ts'
import type { Finding } from '../../domain/findings/finding.ts'

/** The subject of insights: the wave of a swarm finding, or a time window of a scenario. */
export type InsightsTarget =
  | { kind: 'wave'; waveId: string }
  | { kind: 'window'; scenarioId: string; windowId: string | undefined }

/** A refusal that applies only for some time, and its end in epoch milliseconds. */
export type Brake = { error: ApiError; until: number | undefined }

/** @param windowId the window of a scenario finding */
export function targetOf(finding: Finding | undefined, windowId: string | undefined): InsightsTarget | undefined {
  if (finding?.scenario) return { kind: 'window', scenarioId: finding.scenario.id, windowId }
  return finding?.lastSeenIn === undefined ? undefined : { kind: 'wave', waveId: finding.lastSeenIn }
}

export function targetLabel(target: InsightsTarget | undefined): string {
  if (target?.kind === 'wave') return `the wave ${target.waveId}`
  return target?.windowId === undefined ? 'the current window' : `the window ${target.windowId}`
}
