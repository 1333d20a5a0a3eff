import type { Verdict } from './steps.ts'

/** The observations of one wave about a journey: the places that it checked, and whether they failed. */
type Wave = { waveId: string; looked: Map<string, boolean> }

type JourneyRunModel = {
  id: string
  journey: number
  key: string
  body: object
  status: string
  canceled: boolean
  stale: boolean
}

/** The runs of the journeys, and the data that their findings follow from. */
export type WavesModel = {
  runs: JourneyRunModel[]
  /** The graded waves of each journey, oldest first. */
  history: Wave[][]
  /** Places whose finding is hidden. */
  dismissed: Set<string>
}

export type FindingModel = { status: string; occurrences: number; lastWaveId: string; isDismissed: boolean }

export function emptyWaves(): WavesModel {
  return { runs: [], history: [[], []], dismissed: new Set() }
}

/**
 * Records the observations of a finished run. Runs of one wave count as one check, in which a failure outweighs a
 * success.
 */
export function note(waves: WavesModel, journey: number, waveId: string, looked: Map<string, boolean>): void {
  const history = waves.history[journey]!
  const last = history.at(-1)
  if (last?.waveId !== waveId) history.push({ waveId, looked })
  else for (const [place, fails] of looked) last.looked.set(place, fails || last.looked.get(place) === true)
}

/** The places that a run with this verdict checks, and whether they fail. */
export function lookedAt(verdict: Verdict, journeyId: string, serverId: string): Map<string, boolean> {
  const { goalReached, failed, tool, graderBreaks } = verdict
  const looked = new Map<string, boolean>()
  if (!graderBreaks) {
    looked.set(`goal/${journeyId}`, !goalReached)
    const failing = new Set([...failed, ...(tool === 'fails' ? ['no-tool-errors'] : [])])
    for (const criterion of ['no-tool-errors', 'answered', 'grounded', 'fitting-tools', 'understandable'])
      looked.set(`rubric/${journeyId}/${criterion}`, failing.has(criterion))
  }
  if (tool !== 'unused') looked.set(`tool-errors/${journeyId}/${serverId}/count`, tool === 'fails')
  return looked
}

/**
 * Every finding as it follows from its waves: new at the first failure, recurring at another one, resolved by a check
 * without failure, and regressed by a failure after that.
 */
export function findingsOf({ history, dismissed }: WavesModel): Record<string, FindingModel> {
  const found: Record<string, FindingModel> = {}
  for (const { waveId, looked } of history.flat())
    for (const [place, fails] of looked) {
      const before = found[place]
      if (!fails) {
        if (before) before.status = 'resolved'
        continue
      }
      const after = before?.status === 'resolved' ? 'regressed' : 'recurring'
      found[place] = {
        status: before ? after : 'new',
        occurrences: (before?.occurrences ?? 0) + 1,
        lastWaveId: waveId,
        isDismissed: dismissed.has(place),
      }
    }
  return found
}
