import { useMemo } from 'react'
import type { ReadinessRun } from '../../api/contract/readiness.ts'
import { List } from '../../components/list/list.tsx'
import { useList } from '../../components/list/use-list.ts'
import { PaneState } from '../../components/pane-state.tsx'
import {
  MOST_RUNS,
  NO_ADDRESS,
  readinessColumns,
  useCancelReadiness,
  useStartReadiness,
} from '../../components/records/use-readiness.ts'
import { isRunning } from '../../domain/readiness/labels.ts'
import { useLiveQuery } from '../../hooks/use-api-query.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { unavailable } from '../../tui/keymap/binding.ts'
import { useBindings, useKeyName } from '../../tui/keymap/use-bindings.ts'
import { useRouter } from '../../tui/router/router-context.tsx'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { readinessRoute } from '../readiness/route.ts'
import { serverReadinessKeys } from './bindings.ts'
import { NO_ITEMS, type TabProps } from './tab.ts'

const keyOf = ({ id }: ReadinessRun): string => id

/** Shows the runs that grade this server for a directory, latest first. */
export function Readiness({ projectId, server, focused }: TabProps) {
  const { queries } = useWorkspace()
  const { symbols } = useTheme()
  const router = useRouter()
  const key = useKeyName()
  const start = useStartReadiness(projectId)
  const cancel = useCancelReadiness(projectId)
  const runs = useLiveQuery(queries.readiness.list.options({ projectId, serverId: server.id, ...MOST_RUNS }), {
    isLive: ({ items }) => items.some(isRunning),
    requests: 1,
  })
  const isOn = server.enabled
  const columns = useMemo(() => readinessColumns(symbols, (run: ReadinessRun) => ({ run, isOn })), [symbols, isOn])
  const list = useList({ items: runs.data?.items ?? NO_ITEMS, keyOf, columns })
  const on = (act: (run: ReadinessRun) => unknown) =>
    list.items.length === 0
      ? unavailable('It was not checked yet.')
      : async () => {
          const run = list.choose()
          if (run) await act(run)
        }
  const begin = async (): Promise<void> => {
    const started = await start(server)
    if (started) list.selection.select(started.runId)
  }
  const hasAddress = server.url != null
  useBindings(
    serverReadinessKeys,
    {
      open: on(({ id }) => router.go(readinessRoute.to({ projectId, runId: id, pane: 'detail' }))),
      add: hasAddress ? begin : unavailable(NO_ADDRESS),
      cancel: on(cancel),
    },
    { active: focused },
  )
  const empty = {
    why: `${server.name} was not checked for a directory yet.`,
    next: hasAddress ? `Press ${key(serverReadinessKeys, 'add')} to check it; the cost is shown first.` : NO_ADDRESS,
  }
  return (
    <PaneState data={runs} loading="Reading its readiness runs…" empty={list.total === 0 ? empty : undefined}>
      <List list={list} focused={focused} empty={empty.why} />
    </PaneState>
  )
}
