import type { JourneyRun, SwarmOverview } from '../contract/journey-run-shapes.ts'
import { toEpochMs } from '../contract/shapes.ts'
import type { Finding } from './finding.ts'

/** A journey run as a place where a finding may have been seen. */
export type WaveRun = {
  id: string
  waveId: string | undefined
  journeyId: string | undefined
  journeyName: string | undefined
  status: string | undefined
  total: number | undefined
  failed: number | undefined
  at: number | undefined
}

type OverviewRun = NonNullable<SwarmOverview['runs']>[number]

export function overviewRun(run: OverviewRun): WaveRun {
  const { runId: id, journeyName, ...rest } = run
  return { ...waveRun({ ...rest, id }), journeyName: journeyName ?? undefined }
}

export function waveRun(
  run: Pick<JourneyRun, 'id' | 'waveId' | 'journeyId' | 'summary' | 'createdAt'> & {
    status?: string | null | undefined
  },
): WaveRun {
  return {
    id: run.id,
    waveId: run.waveId ?? undefined,
    journeyId: run.journeyId ?? undefined,
    journeyName: undefined,
    status: run.status ?? undefined,
    total: run.summary?.total ?? undefined,
    failed: run.summary?.failed ?? undefined,
    at: toEpochMs(run.createdAt),
  }
}

/** The journey that a swarm finding is about: subjects carry it in front of what they name inside it. */
export function journeyOf({ source, subject }: Finding): string | undefined {
  return source === 'swarm' ? subject.id?.split('/')[0] || undefined : undefined
}

/** Runs in which a finding may have been seen: those of the wave that saw it last, then earlier ones of its journey. */
export function runsBehind(finding: Finding, runs: readonly WaveRun[]): WaveRun[] {
  const journeyId = journeyOf(finding)
  const isLast = (run: WaveRun): boolean => run.waveId !== undefined && run.waveId === finding.lastSeenIn
  const isOfJourney = (run: WaveRun): boolean => journeyId !== undefined && run.journeyId === journeyId
  // A wave runs several journeys; where the subject's own is known, the others of the wave say nothing of it.
  const knowsJourney = runs.some(run => isLast(run) && isOfJourney(run))
  return runs
    .filter(run => isOfJourney(run) || (!knowsJourney && isLast(run)))
    .toSorted((a, b) => Number(isLast(b)) - Number(isLast(a)) || (b.at ?? 0) - (a.at ?? 0))
}
