export type FindingStatus = 'new' | 'recurring' | 'resolved' | 'regressed'

/** The observation of a finding in one wave, merged over all recordings of that wave. Times are epoch milliseconds. */
export type WaveRecording = {
  waveId: string
  /** Whether the wave saw the finding. False if it examined the subject without seeing it. */
  seen: boolean
  /** Time by which waves are sorted: the last sighting, or the last check if nothing was seen. */
  at: number
  /** Time of the first sighting or check. */
  firstAt: number
}

export type FindingState = {
  status: FindingStatus
  occurrenceCount: number
  firstSeenAt: number
  lastSeenAt: number
  lastSeenWaveId: string
  /** Time of the wave that resolved the finding; null if it is not resolved. */
  resolvedAt: number | null
}

/**
 * Returns the state of a finding after a wave: new, then recurring; resolved by a wave that examined its subject and
 * did not see it; regressed if it is seen after that (differences, section 4, line 154).
 * @param before undefined if the finding was never seen
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

/** Merges two recordings of one wave, in either order. A sighting outweighs any number of checks without one. */
export function mergeRecordings(a: WaveRecording, b: WaveRecording): WaveRecording {
  if (a.seen !== b.seen) return a.seen ? a : b
  return { ...a, at: Math.max(a.at, b.at), firstAt: Math.min(a.firstAt, b.firstAt) }
}

/** Sorts waves by time. Waves of the same millisecond are sorted by id, so that the order is always the same. */
export function compareWaves(a: WaveRecording, b: WaveRecording): number {
  if (a.at !== b.at) return a.at - b.at
  return a.waveId < b.waveId ? -1 : Number(a.waveId > b.waveId)
}
