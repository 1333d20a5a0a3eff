import { memo, useEffect, useMemo, useState } from 'react'
import { every } from '../../lib/clock.ts'
import type { NowMemory } from '../../domain/now/memory.ts'
import { writeKey } from '../../domain/now/request-lines.ts'
import { unavailable } from '../../tui/keymap/binding.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { usePlace, useRouter } from '../../tui/router/router-context.tsx'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { plural } from '../../lib/format.ts'
import { CollectionFrame } from '../../components/collection/collection-frame.tsx'
import { useCollection, type Collection } from '../../components/collection/use-collection.ts'
import { useCrumbs } from '../../components/crumbs.tsx'
import { useCancelRun } from '../../components/records/use-cancel-run.ts'
import { useStopRuns } from '../../components/records/use-stop-runs.ts'
import { isInFlight } from '../../domain/swarms/waves.ts'
import { useArriving } from '../../components/list/use-arriving.ts'
import { arrangementOf } from '../../components/panes/layout.ts'
import { useSize } from '../../components/size.tsx'
import { useSubject } from '../../components/subject.tsx'
import { useNotify } from '../../hooks/notify.tsx'
import { useOpenWrites } from '../../hooks/use-open-writes.ts'
import { useNowMemory } from '../../hooks/use-now-memory.ts'
import { useDecideWrite } from './use-decide-write.ts'
import { nowKeys, nowProjectsKeys } from './bindings.ts'
import {
  nextShown,
  nowColumns,
  type NowRow,
  rowKey,
  SHOWN,
  type Shown,
  shownIn,
  toRows,
  waitingCount,
} from './columns.ts'
import { NowDetail } from './detail.tsx'
import { NowList, rowsOfNow, stateOfNow } from './now-list.tsx'
import { isReadSince } from '../../domain/now/sources.ts'
import type { NowData } from '../../domain/now/now.ts'
import { useNowData } from './use-now-data.ts'
import { placeOf } from './place-of.ts'
import { useNowNews } from './use-now-news.ts'
import { useShiftReport } from './use-shift-report.ts'
import type { Project } from '../../api/contract/projects.ts'
import type { Column } from '../../components/list/columns.ts'
import { List } from '../../components/list/list.tsx'
import { useList } from '../../components/list/use-list.ts'
import { useOverlays } from '../../components/overlays.tsx'

const YES = 'yes'

/** How often acknowledgements from other windows are read, in milliseconds. */
const REFRESH_MS = 10_000

/** The on-call inbox: what runs, what failed, what is open and what is in trouble, in the chosen projects. */
export const NowScreen = memo(function NowScreen() {
  const { kept } = useNowMemory()
  return <NowPage data={useNowData(kept)} />
})

/** Shows the page. A key press renders only this component, and not what was read from a thousand sources. */
function NowPage({ data }: { data: NowData }) {
  const { memory, kept } = useNowMemory()
  const { params } = usePlace()
  const theme = useTheme()
  useEffect(() => {
    // What was acknowledged in another window of the same person is hidden here too.
    memory.refresh()
    return every(REFRESH_MS, () => memory.refresh())
  }, [memory])
  const shown = shownIn(params)
  const withAcknowledged = params['all'] === YES
  const rows = useMemo(() => toRows(data.lines, kept), [data.lines, kept])
  const put = rows.filter(({ acknowledged, members }) => acknowledged && members.length === 0).length
  useCount(memory, waitingCount(rows))
  const several = data.projects.length > 1
  const columns = useMemo(() => nowColumns(theme, several), [theme, several])
  const only = useMemo(
    () => (row: NowRow) => (withAcknowledged || !row.acknowledged) && (!shown || SHOWN[shown].has(row)),
    [withAcknowledged, shown],
  )
  const isReadHere = data.all !== undefined && isReadSince(data.sources, performance.timeOrigin)
  const collection = useCollection({
    noun: 'line',
    items: rows,
    keyOf: rowKey,
    columns,
    only,
    news: useNowNews(rows, kept, isReadHere),
    arriving: useArriving(isReadHere),
    // The pane beside the list is never opened: its line may vanish, and the next one would take its place.
    isOpen: false,
    placed: { key: params['line'], param: 'line', paramsOf: paramsOfRow, follows: true },
  })
  const { row } = collection
  const place = useMemo(() => row && placeOf(row.target), [row])
  useCrumbs(['Now', shown && SHOWN[shown].note])
  useSubject(row?.thing?.kind ?? '', row?.thing?.record, { place })
  useNowBindings(collection, { data, shown, withAcknowledged, put })
  const isEmpty = !rows.some(only)
  const { plain } = theme
  const isAlone = arrangementOf({ ...useSize(), neverBeside: plain }).arrangement === 'one' && !plain
  const state = stateOfNow(data, isEmpty)
  const detail = (chosen: NowRow | undefined, focused: boolean) => (
    <NowDetail row={chosen} data={data} focused={focused} />
  )
  return (
    <CollectionFrame
      collection={collection}
      what="the projects of this key"
      data={state}
      weights={[5, 3]}
      isOfSentences
      listRows={isAlone ? undefined : rowsOfNow(collection.list)}
      renderList={focused => (
        <NowList
          list={collection.list}
          data={data}
          focused={focused}
          put={put}
          state={state}
          isEmpty={isEmpty}
          notes={{ shown, withAcknowledged }}
          below={isAlone ? row : undefined}
        />
      )}
      renderDetail={detail}
      renderNone={focused => detail(undefined, focused)}
    />
  )
}

/**
 * Returns parameters of the row: going back finds the line again, and the numbers of the other screens open its
 * project.
 */
function paramsOfRow({ key, project }: NowRow) {
  return { line: key, ...(project && { projectId: project.id }) }
}

/** Reports how many lines wait, and again when Now is left, so that the age of that number is known. */
function useCount(memory: NowMemory, waiting: number): void {
  useEffect(() => {
    memory.setCount(waiting)
    return () => memory.setCount(waiting)
  }, [memory, waiting])
}

function useNowBindings(
  { list, on }: Collection<NowRow>,
  of: { data: NowData; shown: Shown | undefined; withAcknowledged: boolean; put: number },
): void {
  const router = useRouter()
  const notify = useNotify()
  const { memory, kept } = useNowMemory()
  const choose = useProjectChooser()
  const { data } = of
  const decide = useDecideWrite()
  const writes = useOpenWrites()
  const open = (row: NowRow): void => {
    router.replace({ line: row.key })
    const place = placeOf(row.target)
    if (place) router.go(place)
    else router.replace({ pane: 'detail' })
  }
  const acknowledge = (): void => {
    // Nobody should acknowledge what they do not see, so marks of hidden lines are ignored.
    const marked = list.items.filter(({ key }) => list.marks.has(key))
    const row = list.current()
    const chosen = marked.length > 0 ? marked : row ? [row] : []
    const rows = [...new Set(chosen.flatMap(each => (each.members.length > 0 ? each.members : [each])))]
    const fresh = rows.filter(({ acknowledged }) => !acknowledged)
    if (fresh.length > 0) memory.acknowledge(fresh)
    else memory.recall(rows)
    for (const { key } of marked) list.marks.toggle(key)
    notify(
      'ok',
      fresh.length > 0
        ? `Acknowledged ${plural(fresh.length, 'line')}: back as soon as anything changes.`
        : `${plural(rows.length, 'line')} no longer acknowledged.`,
    )
  }
  const chosenKey = list.current()?.key
  const doubtful = writes.data?.find(entry => writeKey(entry) === chosenKey)
  useBindings(nowKeys, {
    open: on(open),
    acknowledge: on(acknowledge),
    acknowledged:
      of.put > 0 || of.withAcknowledged
        ? () => router.replace({ all: of.withAcknowledged ? undefined : YES })
        : unavailable('Nothing is acknowledged.'),
    stop: useStopLine(list.current()),
    report: useShiftReport(data),
    settle: doubtful ? () => decide(doubtful) : unavailable('The line is not a write with an unknown outcome.'),
    faults: () => router.replace({ faults: nextShown(of.shown) }),
    projects: data.all
      ? () => choose({ all: data.all ?? [], chosen: kept.projects, onChosen: memory.chooseProjects })
      : unavailable('The projects have not been read yet.'),
  })
}

/** Stops what a line reports as in flight. */
function useStopLine(row: NowRow | undefined) {
  const projectId = row?.project?.id ?? ''
  const cancelRun = useCancelRun(projectId)
  const stopRuns = useStopRuns(projectId)
  const target = row?.target
  if (target?.to === 'wave' && target.runs.some(isInFlight))
    return () => stopRuns(`the wave of ${target.name}`, target.runs)
  if (target?.to === 'run' && target.inFlight !== undefined) {
    const { runId, inFlight } = target
    return () => cancelRun(runId, inFlight)
  }
  return unavailable('Nothing on the line is in flight.')
}

type Choice = {
  all: readonly Project[]
  /** Ids of the projects; absent for all of them. */
  chosen: readonly string[] | undefined
  onChosen: (ids: readonly string[] | undefined) => void
}

const WIDTH = 64
const ROWS_AROUND = 4

const columns: readonly Column<Project>[] = [
  { id: 'name', title: 'Project', width: 'flex', cell: project => project.name },
  { id: 'role', title: 'Role', width: 8, cell: project => ({ text: project.role ?? '', tone: 'muted' }) },
]

/** Asks which projects to include: the marked ones, or all that the key can ever access. */
export function useProjectChooser(): (choice: Choice) => void {
  const overlays = useOverlays()
  return choice => {
    overlays.open({
      title: 'Show the marked projects; with none marked, all of them',
      width: WIDTH,
      height: choice.all.length + ROWS_AROUND,
      content: close => <ProjectChooser {...choice} onClose={close} />,
    })
  }
}

function ProjectChooser(props: Choice & { onClose: () => void }) {
  const list = useList({ items: props.all, keyOf: projectKey, columns })
  useState(() => {
    for (const id of props.chosen ?? []) if (!list.marks.has(id)) list.marks.toggle(id)
  })
  const choose = (ids: readonly string[] | undefined): void => {
    props.onChosen(ids)
    props.onClose()
  }
  useBindings(nowProjectsKeys, {
    accept() {
      const ids = list.marked().map(projectKey)
      choose(ids.length === 0 ? undefined : ids)
    },
    all: () => choose(undefined),
    cancel: props.onClose,
  })
  return <List list={list} focused empty="This key has access to no project." />
}

function projectKey({ id }: Project): string {
  return id
}
