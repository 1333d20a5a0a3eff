import { contract } from '../../api/contract/contract.ts'
import type { SwarmOverview } from '../../api/contract/journey-runs.ts'
import type { Journey } from '../../api/contract/journeys.ts'
import type { ProjectCapabilities } from '../../api/contract/projects.ts'
import { action } from '../writes/action.ts'
import { launchedToday, launchSize, sessionsIn, type LaunchSize } from './launch-size.ts'
import { formatCount, plural, UNKNOWN } from '../../lib/format.ts'

/** Launches of the day, as far as known. */
export type Quota = { aDay: number | undefined; used: number | undefined }
type Lines = readonly { text: string; tone: 'plain' | 'muted' | 'warn' }[]

/** Maximum number of journeys listed one by one. */
const MOST_LINES = 4

/**
 * Returns what is left of the day's quota, from the answers that could be read.
 * @param now the service's time, in epoch milliseconds
 */
export function quotaOf(
  capabilities: ProjectCapabilities | undefined,
  overview: SwarmOverview | undefined,
  now: number,
): Quota {
  const limit = capabilities?.plan?.limits?.['launchesPerDay']
  const aDay = typeof limit === 'number' ? limit : undefined
  return { aDay, used: overview && launchedToday(overview, now) }
}

/** Returns targets × sessions of each, their total, and how much of the day's quota that takes. */
export function effectLines(journeys: readonly Journey[], environmentIds: readonly string[], quota: Quota): Lines {
  const sizes = journeys.map(journey => launchSize(journey, environmentIds))
  const sessions = sizes.map(sessionsIn)
  const all = sessions.includes(undefined) ? undefined : sessions.reduce<number>((sum, each = 0) => sum + each, 0)
  const total = all === undefined ? 'an unknown number of sessions' : plural(all, 'session')
  const rest = journeys.length - MOST_LINES
  return [
    ...journeys
      .slice(0, MOST_LINES)
      .map(({ name }, at) => ({ text: `${name}: ${sizeLine(sizes[at]!)}`, tone: 'plain' as const })),
    ...(rest > 0 ? [{ text: `and ${plural(rest, 'journey')} more`, tone: 'muted' as const }] : []),
    { text: `${total} in all. This spends model credits.`, tone: 'warn' },
    { text: quotaLine(journeys.length, quota), tone: 'muted' },
  ]
}

function sizeLine(size: LaunchSize): string {
  const { targets, sessionsEach, turns } = size
  const all = sessionsIn(size)
  const where = targets === undefined ? 'the clients it is pinned to' : plural(targets, 'target')
  const each = sessionsEach === undefined ? UNKNOWN : plural(sessionsEach, 'session')
  const product = all === undefined ? '' : ` = ${formatCount(all)}`
  return `${where} × ${each}${product}, up to ${formatCount(turns)} turns each`
}

function quotaLine(launches: number, { aDay, used }: Quota): string {
  const takes = `It takes ${plural(launches, 'launch', 'launches')} of the organization’s day`
  if (aDay === undefined) return `${takes}; the service does not say how many are left.`
  if (used === undefined) return `${takes} of ${formatCount(aDay)}; how many are left is not known.`
  const left = Math.max(0, aDay - used)
  return (
    `${takes} of ${formatCount(aDay)}; at most ${formatCount(left)} are left, as this project used ` +
    `${formatCount(used)} since 00:00 UTC.`
  )
}

/** Stops journey runs in flight. The screen reports how many had already ended. */
export const stopRuns = action(contract.journeyRuns.cancel, {
  question: ({ name, flying }: { name: string; flying: number }) => ({
    title: `Stop ${name}?`,
    lines: [
      `${plural(flying, 'run')} in flight: running sessions end, waiting ones never start.`,
      'What was graded so far stays readable. The launch still counts, and what the models used is charged.',
    ],
    action: 'Stop it',
    decline: 'Let it go on',
    effect: `This stops ${name}`,
    brief: ['Running sessions stop, waiting ones never start. What was graded stays.'],
  }),
  progress: ({ name }) => `Stopping ${name}…`,
  done: ({ stopped, ended }: { stopped: number; ended: number }, { name }) =>
    stopped === 0
      ? { tone: 'warn', text: `Nothing was stopped: ${plural(ended, 'run')} of ${name} had already ended.` }
      : ended === 0
        ? `${name} is stopped.`
        : `${name}: ${plural(stopped, 'run')} stopped, ${plural(ended, 'run')} had already ended.`,
})
