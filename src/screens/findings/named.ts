import type { QueryClient } from '@tanstack/react-query'
import { findingName } from '../../domain/findings/finding.ts'
import type { NamedPlace } from '../../tui/router/named-place.ts'
import { cachedFindings } from './cached.ts'
import { findingsRoute } from './route.ts'

/** Findings by what they are about, with their status. */
export function namedFindings(queryClient: QueryClient): NamedPlace[] {
  return cachedFindings(queryClient).flatMap(({ projectId, finding }) =>
    finding.id === undefined
      ? []
      : {
          id: finding.key,
          kind: 'finding',
          name: `${findingName(finding)} (${finding.status ?? finding.source})`,
          place: findingsRoute.to({
            projectId,
            findingId: finding.id,
            scenarioId: finding.scenario?.id,
            pane: 'detail',
          }),
        },
  )
}
