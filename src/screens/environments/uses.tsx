import { useMemo } from 'react'
import { BelowNotices } from '../../components/below-notices.tsx'
import type { DetailProps } from '../../components/collection/collection-screen.tsx'
import type { Column } from '../../components/list/columns.ts'
import { List } from '../../components/list/list.tsx'
import { useList } from '../../components/list/use-list.ts'
import { PaneState } from '../../components/pane-state.tsx'
import { readEnvironmentUses, type EnvironmentUse, type EnvironmentUses } from '../../domain/environments/uses.ts'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { unavailable } from '../../tui/keymap/binding.ts'
import { UnavailableAction } from '../../tui/keymap/dispatcher.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import type { Place } from '../../tui/router/place.ts'
import { useRouter } from '../../tui/router/router-context.tsx'
import { runsRoute } from '../runs/route.ts'
import { scenariosRoute } from '../scenarios/route.ts'
import { journeyPlace, swarmsRoute } from '../swarms/route.ts'
import { environmentUsesKeys } from './bindings.ts'
import type { EnvironmentRow } from './row.ts'

/** Maximum number of suites, and of scenarios, read to find what uses an environment, with a request for each. */
const MOST_READ = { local: 500, remote: 20 }
const NONE: never[] = []

/** Returns the maximum number of suites, and of scenarios, that are read. */
export function useMostRead(): number {
  return MOST_READ[useWorkspace().profile.local ? 'local' : 'remote']
}

const columns: readonly Column<EnvironmentUse>[] = [
  { id: 'kind', title: 'What', width: 8, cell: ({ kind }) => ({ text: kind, tone: 'muted' }) },
  { id: 'name', title: 'Name', width: 'flex', cell: ({ name }) => name },
]
const keyOf = ({ kind, id }: EnvironmentUse): string => `${kind} ${id}`

/** Lists the suites, journeys, swarms and scenarios that use the environment; each opens its place. */
export function Uses({ projectId, row, focused }: DetailProps<EnvironmentRow>) {
  const { client } = useWorkspace()
  const router = useRouter()
  const most = useMostRead()
  const data = useApiQuery<EnvironmentUses, readonly [string, string, object]>({
    queryKey: ['environments', 'uses', { projectId }],
    queryFn: ({ signal }) => readEnvironmentUses(client, projectId, { most, signal, priority: 'visible' }),
  })
  const { id } = row.environment
  const all = data.data?.uses
  const uses = useMemo(() => all?.filter(({ environmentIds }) => environmentIds.includes(id)) ?? NONE, [all, id])
  const list = useList({ items: uses, keyOf, columns })
  const go = (): void => {
    const use = list.choose()
    const place = use && placeOf(use, projectId)
    if (!place) throw new UnavailableAction('It has no screen here.')
    router.go(place)
  }
  useBindings(
    environmentUsesKeys,
    { go: list.items.length === 0 ? unavailable('Nothing uses it.') : go },
    { active: focused },
  )
  const unread = data.data?.unread ?? NONE
  const why = unread.length === 0 ? 'Nothing uses it.' : 'Nothing read so far uses it.'
  const empty = { why, next: 'Suites, journeys, swarms and scenarios that use it are listed here.' }
  return (
    <BelowNotices notices={unread}>
      <PaneState data={data} loading="Reading what uses it…" empty={list.total === 0 ? empty : undefined}>
        <List list={list} focused={focused} empty={why} />
      </PaneState>
    </BelowNotices>
  )
}

/** Returns the place that shows a user of an environment, such as a suite or journey. */
function placeOf({ kind, id }: EnvironmentUse, projectId: string): Place | undefined {
  if (kind === 'suite') return runsRoute.to({ projectId, suiteId: id })
  if (kind === 'scenario') return scenariosRoute.to({ projectId, scenarioId: id, pane: 'detail' })
  if (kind === 'journey') return journeyPlace(projectId, id)
  if (kind === 'swarm') return swarmsRoute.to({ projectId, swarmId: id, pane: 'detail' })
  return undefined
}
