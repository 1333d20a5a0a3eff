import type { JourneyRunState } from '../findings/waves.ts'
import { isInFlight, waveProgress, type RunInWave, type Wave } from '../swarms/waves.ts'
import { newsSince, NO_HISTORY, type NowLine, type NowProject, type Read } from './line.ts'
import { DAY_MS } from './run-lines.ts'
import { countDays, type Week, weekOfDays } from './week.ts'

type Look = Pick<NowLine, 'urgency' | 'mark' | 'word'> & { says: string }

/** Texts for runs that did not end well, most urgent first. A run that someone stopped is not a fault. */
const ENDS: readonly (readonly [state: JourneyRunState, look: Look])[] = [
  ['failed', { urgency: 'high', mark: 'error', word: 'failed', says: 'failed' }],
  ['stale', { urgency: 'high', mark: 'error', word: 'stale', says: 'is stale: its runner stopped responding' }],
  ['failed_or_canceled', { urgency: 'medium', mark: 'warn', word: 'failed?', says: 'failed or was stopped' }],
  ['rate_limited', { urgency: 'medium', mark: 'warn', word: 'throttled', says: 'was throttled' }],
  ['partial', { urgency: 'medium', mark: 'warn', word: 'partial', says: 'ended in part' }],
]

/**
 * Returns a line for each wave in flight, and for each wave of the last day with a journey that did not end well and
 * has not ended differently since. `waves` are latest first. `isOff` means that the feature is off.
 */
export function waveLines(project: NowProject, read: Read<readonly Wave[]>, now: number, isOff = false): NowLine[] {
  const { value, at } = read
  const later = new Set<string>()
  const weekOfWave = weeksOf(value, now)
  const well = thoseThatWereWell(value)
  return value.flatMap((wave): NowLine[] => {
    const faults = wave.runs.filter(run => lookOf(run) && !later.has(journeyOf(run)))
    for (const run of wave.runs) if (hasEnded(run)) later.add(journeyOf(run))
    const flying = wave.runs.filter(isInFlight)
    const worst = ENDS.find(([state]) => faults.some(run => run.state === state))?.[1]
    if (flying.length === 0 && (!worst || wave.at < now - DAY_MS)) return []
    const isSure = flying.some(({ state }) => state === 'running')
    const own: Look =
      flying.length === 0 && worst
        ? worst
        : { urgency: 'low', mark: isSure ? 'live' : 'warn', word: isSure ? 'running' : 'running?', says: '' }
    const fault = worst && `${nameOf(faults, wave)} ${worst.says}${countWords(faults)}`
    return [
      {
        ...NO_HISTORY,
        key: `wave ${project.id} ${wave.id}`,
        kind: 'wave',
        ...own,
        urgency: worst?.urgency ?? own.urgency,
        isFault: worst !== undefined,
        sentence: [flying.length > 0 && flightWords(wave, isOff), fault].filter(Boolean).join('; '),
        project,
        at: wave.at || undefined,
        readAt: at,
        week: weekOfWave(wave),
        news: worst && newsSince(wave.at, now, well.has(wave)),
        fingerprint: [flying.length > 0 ? 'in flight' : '', ...faults.map(({ id, state }) => `${id} ${state}`)].join(
          ' ',
        ),
        target: { to: 'wave', projectId: project.id, waveId: wave.id, name: wave.name, runs: wave.runs },
        thing: { kind: 'wave', record: wave },
      },
    ]
  })
}

/**
 * Returns the ends of the last week over the journeys of a wave. Answers go back to the oldest wave in them. Each
 * journey is counted only once for all waves.
 */
function weeksOf(waves: readonly Wave[], now: number): (wave: Wave) => Week {
  const ends = waves.flatMap(({ runs }) => runs.filter(hasEnded))
  const days = new Map(
    [...Map.groupBy(ends, journeyOf)].map(([journey, runs]) => {
      const ended = runs.flatMap(run =>
        run.at === undefined ? [] : [{ at: run.at, failed: lookOf(run) !== undefined }],
      )
      return [journey, countDays(ended)] as const
    }),
  )
  const from = waves.at(-1)?.at
  return ({ runs }) =>
    weekOfDays(
      [...new Set(runs.map(journeyOf))].flatMap(journey => days.get(journey) ?? []),
      now,
      from,
    )
}

/** Returns the waves whose journeys all ended well the previous time. `waves` are latest first. */
function thoseThatWereWell(waves: readonly Wave[]): ReadonlySet<Wave> {
  const well = new Set<Wave>()
  const last = new Map<string, RunInWave>()
  for (const wave of waves.toReversed()) {
    const before = wave.runs.flatMap(run => last.get(journeyOf(run)) ?? [])
    if (before.length > 0 && before.every(({ state }) => state === 'completed')) well.add(wave)
    for (const run of wave.runs.toReversed()) if (hasEnded(run)) last.set(journeyOf(run), run)
  }
  return well
}

function lookOf({ state }: RunInWave): Look | undefined {
  return ENDS.find(([known]) => known === state)?.[1]
}

/** Whether the end of a run is more informative about its journey than an earlier run. */
function hasEnded(run: RunInWave): boolean {
  return run.state === 'completed' || lookOf(run) !== undefined
}

function journeyOf({ journeyId, id }: RunInWave): string {
  return journeyId ?? id
}

function nameOf(runs: readonly RunInWave[], wave: Wave): string {
  return runs.length === wave.runs.length ? wave.name : [...new Set(runs.map(({ name }) => name))].join(', ')
}

function flightWords(wave: Wave, isOff: boolean): string {
  if (isOff) return `${wave.name}: swarms are switched off, so its progress is not reported`
  const progress = waveProgress(wave)
  if (!progress) return `${wave.name}: progress not read yet`
  return `${wave.name}: ${progress.ended} of ${progress.total} sessions ended`
}

/** Returns the number of failed sessions of the runs, if counted. */
function countWords(runs: readonly RunInWave[]): string {
  const [failed, total] = [sum(runs.map(run => run.failed)), sum(runs.map(run => run.total))]
  return failed === undefined || total === undefined || failed === 0 ? '' : `: ${failed} of ${total} sessions failed`
}

function sum(counts: readonly (number | undefined)[]): number | undefined {
  return counts.includes(undefined) ? undefined : counts.reduce<number>((all, count = 0) => all + count, 0)
}
