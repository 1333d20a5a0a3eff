import type { Verdict } from './steps.ts'

/** What one wave saw of a journey: places that it looked at, and whether they failed there. */
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

/** Runs of the journeys, and what their findings follow from. */
export type WavesModel = {
  runs: JourneyRunModel[]
  /** By journey: its graded waves, oldest first. */
  history: Wave[][]
  /** Places whose finding is hidden. */
  dismissed: Set<string>
}

export type FindingModel = { status: string; occurrences: number; lastWaveId: string; isDismissed: boolean }

export function emptyWaves(): WavesModel {
  return { runs: [], history: [[], []], dismissed: new Set() }
}

/** Notes what a run that came to its end saw; runs of one wave are one look, in which a failure outweighs. */
export function note(waves: WavesModel, journey: number, waveId: string, looked: Map<string, boolean>): void {
  const history = waves.history[journey]!
  const last = history.at(-1)
  if (last?.waveId !== waveId) history.push({ waveId, looked })
  else for (const [place, fails] of looked) last.looked.set(place, fails || last.looked.get(place) === true)
}

/** The places that a run looks at under a verdict, and whether they fail. */
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
 * Every finding as its waves make it: the first sight is new, another one recurring, a look without one resolves it,
 * and back after that it is regressed.
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
