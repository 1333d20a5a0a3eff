import { least } from '../../lib/extremes.ts'
import { onceFor } from '../../lib/once-for.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { markOf } from '../seen/seen.ts'
import { NO_HISTORY, type NowLine, URGENCIES } from './line.ts'

/**
 * Returns the common reason why nothing in a run could be set up, in the service's words. Returns undefined unless
 * everything that did not pass is `setup_failed` and all listed failures have the same reason.
 */
export const setupReasonOf = onceFor(({ decisionSummary }: EvalRun): string | undefined => {
  const { failures = null, complete } = decisionSummary?.diagnostics ?? {}
  const reason = failures?.[0]?.reason
  if (!failures || !reason) return undefined
  const trials = Object(decisionSummary?.counts?.['trials']) as Record<string, unknown>
  const isCounted = trials['setup_failed'] === Number(trials['total']) - Number(trials['passed'])
  const isSame = failures.every(each => each.class === 'setup_failed' && each.reason === reason)
  return isSame && (complete === true || isCounted) ? reason : undefined
})

/**
 * Groups lines of one project with the same cause, if there are at least two, below a new line that comes before them.
 */
export function groupLines(lines: readonly NowLine[]): NowLine[] {
  const stated = lines.filter(({ cause, project }) => cause !== undefined && project)
  const groups = [...Map.groupBy(stated, ({ cause, project }) => `cause ${project!.id} ${markOf(cause!)}`)]
  const heads = new Map(groups.filter(([, { length }]) => length > 1).map(([key, of]) => [key, headOf(key, of)]))
  const keys = new Map(groups.flatMap(([key, of]) => (heads.has(key) ? of.map(line => [line, key] as const) : [])))
  return [
    ...heads.values(),
    ...lines.map(line => {
      const under = keys.get(line)
      // A line that was acknowledged with its cause stays acknowledged while that cause alone makes it fail.
      return under === undefined ? line : { ...line, under, fingerprint: under }
    }),
  ]
}

function headOf(key: string, lines: readonly NowLine[]): NowLine {
  const [first] = lines as [NowLine]
  const earliest = (of: (line: NowLine) => number | undefined): number | undefined => {
    const times = lines.map(of).filter(time => time !== undefined)
    return times.length === lines.length ? least(times) : undefined
  }
  return {
    ...NO_HISTORY,
    key,
    kind: 'cause',
    urgency: URGENCIES.find(each => lines.some(({ urgency }) => urgency === each))!,
    isFault: true,
    mark: 'error',
    word: `${lines.length} suites`,
    sentence: `Not set up: ${first.cause}`,
    project: first.project,
    at: earliest(({ at }) => at),
    readAt: earliest(({ readAt }) => readAt),
    news: lines.map(({ news }) => news).find(news => news !== undefined),
    fingerprint: key,
    target: { to: 'here' },
  }
}
