export type FindingStatus = 'new' | 'recurring' | 'resolved' | 'regressed'

/** What one wave says about a finding, over all recordings of that wave. Times are epoch milliseconds. */
export type WaveRecording = {
  waveId: string
  /** False = the wave covered the finding's subject and did not see it. */
  seen: boolean
  /** The wave's place among the others: its last sighting, or its last look when nothing was seen. */
  at: number
  /** The first of them. */
  firstAt: number
}

export type FindingState = {
  status: FindingStatus
  occurrenceCount: number
  firstSeenAt: number
  lastSeenAt: number
  lastSeenWaveId: string
  /** Time of the wave that resolved it; null while it is not resolved. */
  resolvedAt: number | null
}

/**
 * The one transition: new, recurring, resolved when covered and unseen, then regressed (differences, section 4, line
 * 154).
 * @param before undefined = never seen
 */
export function afterWave(before: FindingState | undefined, wave: WaveRecording): FindingState | undefined {
  const { waveId, at, firstAt } = wave
  if (!wave.seen) return before && { ...before, status: 'resolved', resolvedAt: before.resolvedAt ?? at }
  const seen = { lastSeenAt: at, lastSeenWaveId: waveId, resolvedAt: null }
  if (!before) return { ...seen, status: 'new', occurrenceCount: 1, firstSeenAt: firstAt }
  return {
    ...seen,
    status: before.status === 'resolved' ? 'regressed' : 'recurring',
    occurrenceCount: before.occurrenceCount + 1,
    firstSeenAt: Math.min(before.firstSeenAt, firstAt),
  }
}

/** Two recordings of one wave as one, whichever came first: a sighting outweighs any number of looks. */
export function mergeRecordings(a: WaveRecording, b: WaveRecording): WaveRecording {
  if (a.seen !== b.seen) return a.seen ? a : b
  return { ...a, at: Math.max(a.at, b.at), firstAt: Math.min(a.firstAt, b.firstAt) }
}

/** Waves in order of time; those of the same millisecond by id, so that there is one order. */
export function compareWaves(a: WaveRecording, b: WaveRecording): number {
  if (a.at !== b.at) return a.at - b.at
  return a.waveId < b.waveId ? -1 : Number(a.waveId > b.waveId)
}
