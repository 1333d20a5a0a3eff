import type { QueryClient } from '@tanstack/react-query'
import { findingName } from '../../domain/findings/finding.ts'
import type { NamedPlace } from '../../tui/router/named-place.ts'
import { cachedFindings } from './cached.ts'
import { defineScreen } from '../../tui/router/screen.ts'
import { findingsKeys } from './bindings.ts'
import { findingsRoute } from './route.ts'

/** The screen of findings of swarms and of scenarios. */
export const findingsScreen = defineScreen({
  route: findingsRoute,
  title: 'Findings',
  about: 'Problems that recur or came back.',
  order: 5,
  goKey: 'f',
  bindings: [findingsKeys],
  named: namedFindings,
  load: async () => (await import('./screen.tsx')).FindingsScreen,
})

/** Returns findings by their subject, with their status. */
function namedFindings(queryClient: QueryClient): NamedPlace[] {
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
