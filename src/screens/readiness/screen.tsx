import { useMemo } from 'react'
import { contract } from '../../api/contract/contract.ts'
import type { ReadinessRun } from '../../api/contract/readiness.ts'
import { collectionScreen, type DetailProps } from '../../components/collection/collection-screen.tsx'
import { nameColumn } from '../../components/collection/plain-parts.ts'
import type { Collection } from '../../components/collection/use-collection.ts'
import { fieldLines, labelWidth, recordView } from '../../components/lines.ts'
import type { Column } from '../../components/list/columns.ts'
import { PaneState, Sentence } from '../../components/pane-state.tsx'
import {
  MOST_RUNS,
  readinessColumns,
  STARTS,
  useCancelReadiness,
  useStartReadiness,
} from '../../components/records/use-readiness.ts'
import { Viewer } from '../../components/viewer.tsx'
import { findingsOf } from '../../domain/readiness/findings.ts'
import { directoryLabel, isRunning, stateLook } from '../../domain/readiness/labels.ts'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { isReadWhole, useWholeList } from '../../hooks/use-whole-list.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { unavailable } from '../../tui/keymap/binding.ts'
import { UnavailableAction } from '../../tui/keymap/dispatcher.ts'
import { useRouter } from '../../tui/router/router-context.tsx'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { serversRoute } from '../servers/route.ts'
import { readinessKeys } from './bindings.ts'
import {
  aboutFields,
  hasReport,
  laneFields,
  laneLines,
  reportLines,
  runFields,
  runIds,
  type ReadinessRow,
} from './lines.ts'

/** Runs that grade servers against the requirements of a publisher's directory: lanes and coverage, never a score. */
export const ReadinessScreen = collectionScreen({
  noun: 'readiness run',
  title: 'Readiness',
  what: 'the readiness runs',
  list: contract.readiness.list,
  create: STARTS,
  param: 'runId',
  says: stateOf,
  isLive: isRunning,
  useQuery: () => MOST_RUNS,
  useAnswer: first =>
    first?.nextCursor
      ? { notices: [`Only the latest ${first.items.length} are shown: the service does not return the others.`] }
      : {},
  rows: { useRows: useReadinessRows, itemOf: ({ run }: ReadinessRow) => run },
  // One server may have been checked for several directories.
  nameOf: ({ run, server }) => shortName(server) + (run.readinessKind == null ? '' : ` for ${directoryLabel(run)}`),
  tabs: [
    { id: 'checks', title: 'Checks', Content: Checks, companion: 'report' },
    { id: 'report', title: 'Report', Content: Report },
  ],
  keys: readinessKeys,
  useActions: useReadinessActions,
  empty: key => ({
    why: 'No server of this project was checked for a directory yet.',
    next: `Press ${key('add')} to check one; the cost is shown first.`,
  }),
})

/** Returns the name of a server, which is its address if it is no longer saved. */
function shortName(server: string): string {
  return server.replace(/^https?:\/\//, '')
}

/** Returns what counts as a change of a run: how it ended. */
function stateOf(run: ReadinessRun): string {
  return isRunning(run) ? 'under way' : stateLook(run, true).word
}

function useReadinessRows(items: readonly ReadinessRun[], projectId: string) {
  const { queries } = useWorkspace()
  const { symbols } = useTheme()
  const read = useWholeList(queries.servers.list, { projectId })
  const servers = read.items
  // Names do not change, but a server may have been switched off since.
  const isOld = read.restored || read.problem !== undefined
  const rows = useMemo(() => {
    const known = new Map(servers?.map(each => [each.id, each]))
    return items.map((run): ReadinessRow => {
      const { serverId, serverUrl } = run
      const server = known.get(serverId ?? '')
      const name = server?.name ?? serverUrl ?? serverId ?? run.id
      return { run, server: name, isOn: isOld ? undefined : server?.enabled }
    })
  }, [items, servers, isOld])
  const columns = useMemo(
    (): Column<ReadinessRow>[] => [
      nameColumn<ReadinessRow>('Server', ({ server }) => shortName(server), { id: 'server' }),
      ...readinessColumns(symbols, (row: ReadinessRow) => row),
    ],
    [symbols],
  )
  return { rows, columns, isJoined: isReadWhole(read) }
}

function useReadinessActions({ list, row, show, on }: Collection<ReadinessRow>, projectId: string) {
  const router = useRouter()
  const start = useStartReadiness(projectId)
  const cancel = useCancelReadiness(projectId)
  return {
    async add() {
      const started = await start(undefined, list.current()?.run.serverId)
      show(started && { id: started.runId })
    },
    cancel: row && !isRunning(row.run) ? unavailable('It has ended.') : on(({ run }) => cancel(run)),
    server: on(({ run: { serverId } }) => {
      if (serverId == null) throw new UnavailableAction('The run does not name the server that it checks.')
      router.go(serversRoute.to({ projectId, serverId, pane: 'detail' }))
    }),
  }
}

function Checks({ projectId, row, focused }: DetailProps<ReadinessRow>) {
  const { symbols } = useTheme()
  const { budget } = useWorkspace()
  // If requests are limited, the report is not read only to count violations; if it was read anyway, they are counted.
  const report = useReport(projectId, row.run, budget.snapshot().unlimited)
  const findings = useMemo(() => findingsOf(report.data), [report.data])
  const fields = runFields(row, symbols, findings)
  const about = aboutFields(row)
  const lanes = laneFields(row, symbols, findings)
  const width = labelWidth([...fields, ...about, ...lanes.map(({ field }) => field)])
  const { lines, rest } = recordView(about, runIds(row), [], width)
  const result = [...fieldLines(fields, 0, width), '', ...laneLines(row, lanes, width), '']
  return <Viewer lines={[...result, ...lines]} rest={rest} focused={focused} />
}

function useReport(projectId: string, run: ReadinessRun, isWanted: boolean) {
  const { queries } = useWorkspace()
  const options = queries.readiness.report.options({ projectId, runId: run.id })
  return useApiQuery({ ...options, enabled: isWanted && hasReport(run), staleTime: Infinity, refetchInterval: false })
}

/** Shows the findings, each with its rule and what to do about it. */
function Report({ projectId, row: { run }, focused }: DetailProps<ReadinessRow>) {
  const { symbols } = useTheme()
  const report = useReport(projectId, run, true)
  const lines = useMemo(() => reportLines(report.data, symbols), [report.data, symbols])
  if (!hasReport(run))
    return (
      <Sentence
        tone="muted"
        text={isRunning(run) ? 'The report is written when the run ends.' : 'The run has no stored report.'}
      />
    )
  return (
    <PaneState data={report} loading="Reading the report…">
      <Viewer lines={lines} focused={focused} />
    </PaneState>
  )
}
