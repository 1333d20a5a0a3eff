import { isAcknowledged, orderLines } from '../../domain/now/order.ts'
import type { StoredNow } from '../../domain/now/memory.ts'
import { type NowSummary, summaryOf, type SummarySource } from '../../domain/now/summary.ts'
import { formatLocator, type Route } from '../../tui/router/place.ts'
import { placeOf } from './place-of.ts'
import { type NowSource, sourceName } from './sources.ts'
import type { NowData } from './use-now-data.ts'

/** What Now comes to at this moment. @param routes of all screens, for links */
export function summaryOfNow(
  data: NowData,
  { kept, routes, profile }: { kept: StoredNow; routes: readonly Route[]; profile: string },
): NowSummary {
  return summaryOf({
    lines: orderLines(data.lines),
    sources: data.sources.map(sourceOf),
    projects: data.all && data.projects.length,
    isAcknowledged: line => isAcknowledged(line, kept),
    placeOf: ({ target }) => {
      const place = placeOf(target)
      return place && formatLocator(routes, profile, place)
    },
    profile,
    now: Date.now(),
  })
}

function sourceOf(source: NowSource): SummarySource {
  const { state, at, problem, partial, unproven, isOutdated } = source
  const why = problem?.title ?? unproven ?? (partial ? 'there is more than was read' : undefined)
  return { what: sourceName(source), state: isOutdated && state === 'read' ? 'reading' : state, at, why }
}
