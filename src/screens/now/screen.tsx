import { useEffect, useMemo } from 'react'
import { orderLines } from '../../api/now/order.ts'
import { unavailable } from '../../app/keymap/binding.ts'
import { useBindings } from '../../app/keymap/use-bindings.ts'
import { usePlace, useRouter } from '../../app/router/router-context.tsx'
import { useTheme } from '../../app/theme/theme-context.tsx'
import { plural } from '../../app/theme/format.ts'
import { useCrumbs } from '../../components/crumbs.tsx'
import { useChosen } from '../../components/list/use-chosen.ts'
import { useList, type ListState } from '../../components/list/use-list.ts'
import { Panes } from '../../components/panes/panes.tsx'
import { useSubject } from '../../components/subject.tsx'
import { useNotify } from '../../hooks/notify.tsx'
import { useNowMemory } from '../../hooks/use-now-memory.ts'
import { nowKeys } from './bindings.ts'
import { nowColumns, rowKey, toRow, type NowRow } from './columns.ts'
import { NowDetail } from './detail.tsx'
import { NowList } from './now-list.tsx'
import { placeOf } from './places.ts'
import { useProjectChooser } from './project-chooser.tsx'
import { useNowData, type NowData } from './use-now-data.ts'

const YES = 'yes'

/** The on-call inbox: what runs, what failed, what is open and what is in trouble, over the chosen projects. */
export function NowScreen() {
  const { memory, kept } = useNowMemory()
  const router = useRouter()
  const { params } = usePlace()
  const { symbols } = useTheme()
  const data = useNowData(kept)
  const onlyFaults = params['faults'] === YES
  const withAcknowledged = params['all'] === YES
  const rows = orderLines(data.lines).map(line => toRow(line, kept))
  const waiting = rows.filter(({ acknowledged }) => !acknowledged)
  const put = rows.length - waiting.length
  const shown = (withAcknowledged ? rows : waiting).filter(({ isFault }) => isFault || !onlyFaults)
  useEffect(() => memory.setCount(waiting.length), [memory, waiting.length])
  const columns = useMemo(() => nowColumns(symbols), [symbols])
  const list = useList({ items: shown, keyOf: rowKey, columns, initialKey: params['line'] })
  const chosen = useChosen(list)
  const place = useMemo(() => chosen && placeOf(chosen.target), [chosen])
  useCrumbs(['Now', onlyFaults && 'faults only'].map(name => name || undefined))
  useSubject(chosen?.thing.kind ?? '', chosen?.thing.record, place)
  const chosenKey = chosen?.key
  const projectId = chosen?.project?.id
  useEffect(() => {
    // Coming back finds the line again, and the numbers of the other screens open its project.
    if (chosenKey !== undefined) router.replace({ line: chosenKey, ...(projectId && { projectId }) })
  }, [chosenKey, projectId, router])
  const focused = params['pane'] === 'detail' ? 'detail' : 'list'
  useNowBindings(list, { data, onlyFaults, withAcknowledged, put })
  return (
    <Panes
      focused={focused}
      onFocus={pane => router.replace({ pane })}
      panes={[
        {
          id: 'list',
          weight: 5,
          render: focus => (
            <NowList
              list={list}
              data={data}
              focused={focus}
              put={put}
              notes={{ onlyFaults, withAcknowledged }}
            />
          ),
        },
        {
          id: 'detail',
          weight: 3,
          render: focus => <NowDetail row={chosen} data={data} focused={focus} />,
        },
      ]}
    />
  )
}

function useNowBindings(
  list: ListState<NowRow>,
  shown: { data: NowData; onlyFaults: boolean; withAcknowledged: boolean; put: number },
): void {
  const router = useRouter()
  const notify = useNotify()
  const { memory, kept } = useNowMemory()
  const choose = useProjectChooser()
  const { data } = shown
  const open = (): void => {
    const row = list.choose()
    if (!row) return
    router.replace({ line: row.key })
    const place = placeOf(row.target)
    if (place) router.go(place)
    else router.replace({ pane: 'detail' })
  }
  const acknowledge = (): void => {
    const marked = list.marked()
    const row = list.current()
    const rows = marked.length > 0 ? marked : row ? [row] : []
    const fresh = rows.filter(({ acknowledged }) => !acknowledged)
    if (fresh.length > 0) memory.acknowledge(fresh)
    else memory.recall(rows)
    list.marks.clear()
    notify(
      'ok',
      fresh.length > 0
        ? `Acknowledged ${plural(fresh.length, 'line')}: back as soon as anything about it changes.`
        : `${plural(rows.length, 'line')} no longer acknowledged.`,
    )
  }
  const none = unavailable('There is no line.')
  const some = list.items.length > 0
  useBindings(nowKeys, {
    open: some ? open : none,
    acknowledge: some ? acknowledge : none,
    acknowledged:
      shown.put > 0 || shown.withAcknowledged
        ? () => router.replace({ all: shown.withAcknowledged ? undefined : YES })
        : unavailable('Nothing is acknowledged.'),
    faults: () => router.replace({ faults: shown.onlyFaults ? undefined : YES }),
    projects: data.all
      ? () => choose({ all: data.all ?? [], chosen: kept.projects, onChosen: memory.chooseProjects })
      : unavailable('The projects have not been read yet.'),
  })
}
