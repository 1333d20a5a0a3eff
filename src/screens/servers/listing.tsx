import { Box, Text } from 'ink'
import { useMemo } from 'react'
import type { Queries } from '../../api/client/cache/queries.ts'
import { LIST_BOUNDS } from '../../api/client/pages.ts'
import { formatCount } from '../../lib/format.ts'
import { truncate } from '../../tui/theme/text.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { List } from '../../components/list/list.tsx'
import { useReadOn } from '../../components/list/read-on.tsx'
import { useReadAhead } from '../../hooks/use-whole-list.ts'
import { useChosen } from '../../components/list/use-chosen.ts'
import type { Column } from '../../components/list/columns.ts'
import { noRow, useList, type ListState } from '../../components/list/use-list.ts'
import { Empty, PaneState } from '../../components/pane-state.tsx'
import { SizeProvider, useSize } from '../../components/size.tsx'
import { Viewer, type Line } from '../../components/viewer.tsx'
import { useApiPages, type ApiPages } from '../../hooks/use-api-pages.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { type KeyHandler, type Unavailable } from '../../tui/keymap/binding.ts'
import { useKeyName } from '../../tui/keymap/use-bindings.ts'
import { serversKeys } from './bindings.ts'
import { isOff, switchedOff } from './checks.ts'
import { LISTING_AGE, NO_ITEMS, type TabProps } from './tab.ts'
import { useChangedList } from './use-changed-list.ts'
import { useProcessAge } from './process-age.ts'
import { useLiveServer } from './use-live-server.ts'

/** Limits for reading a live listing automatically: each page is requested from its server. */
export const LISTING_BOUNDS = { ...LIST_BOUNDS, pages: 20 }
/** Minimum width for the selected item beside the list; otherwise it is below. */
const BESIDE_FROM = 88

/** Returns a unique key per item, even if a server lists a name twice: otherwise the selection could not pass it. */
export function useUniqueKeys<Item extends object>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
): (item: Item) => string {
  return useMemo(() => {
    const seen = new Map<string, number>()
    const keys = new Map<Item, string>()
    for (const item of items) {
      const name = nameOf(item)
      const before = seen.get(name) ?? 0
      seen.set(name, before + 1)
      keys.set(item, before === 0 ? name : `${name}\n${before}`)
    }
    return item => keys.get(item) ?? nameOf(item)
  }, [items, nameOf])
}

/** Reads what a server lists, again when the server reports a change. */
export function useListing<Item extends object>(
  { projectId, server }: TabProps,
  options: {
    name: 'tools' | 'prompts'
    queryOf: (queries: Queries) => Queries['servers']['tools' | 'prompts']
    keyOf: (item: Item) => string
    columns: readonly Column<Item>[]
  },
) {
  const { name, queryOf, keyOf, columns } = options
  const { queries } = useWorkspace()
  const listing = queryOf(queries).infinite({ projectId, serverId: server.id }, LISTING_AGE)
  const pages = useApiPages(listing, false, LISTING_BOUNDS) as ApiPages<Item>
  const { live } = useLiveServer(projectId, server.id)
  const changed = useChangedList(live, { serverId: server.id, list: name, reads: [listing.queryKey] })
  const note = [changed, useProcessAge(live, server)].filter(Boolean).join(', ')
  const items: readonly Item[] = pages.items ?? NO_ITEMS
  return {
    pages,
    note: note || undefined,
    server,
    list: useList({ items, keyOf: useUniqueKeys(items, keyOf), columns }),
  }
}

/** Returns a handler for the selected item of a listing. */
export function onChosen<Item>(list: ListState<Item>, noun: string) {
  return (act: (item: Item) => void | Promise<void>): KeyHandler | Unavailable => {
    if (list.items.length === 0) return noRow(list, noun)
    return () => {
      const item = list.current()
      return item && act(item)
    }
  }
}

type ListingProps<Item> = {
  pages: ApiPages<Item>
  list: ListState<Item>
  focused: boolean
  /** Message if the server lists none. */
  none: string
  /** Note after the count. */
  note?: string | undefined
  server: TabProps['server']
  /** Returns the text about the selected item; must be stable. */
  describe: (item: Item) => Line[]
}

/** Shows what a live server lists, with the description of the selected item. */
export function Listing<Item>(props: ListingProps<Item> & { loading: string }) {
  const { pages, list } = props
  useReadAhead(pages, true)
  useReadOn(pages, { focused: props.focused })
  const { error, problem } = pages
  const key = useKeyName()
  const next = `Press ${key(serversKeys, 'doctor')} to have the doctor check what it can do.`
  // The console may say why a program started by mcpdeck does not respond.
  const printed = props.server.url == null ? ` Press ${key(serversKeys, 'printed')} for what its program printed.` : ''
  const empty = { why: props.none, next }
  if (error?.code === 'FEATURE_NOT_SUPPORTED' && !pages.hasData) return <Empty {...empty} />
  const told = isOff(error)
    ? switchedOff(props.server.name, key(serversKeys, 'enabled'))
    : problem && { ...problem, next: problem.next + printed }
  return (
    <PaneState
      data={told ? { ...pages, problem: told } : pages}
      loading={props.loading}
      empty={list.total === 0 && !pages.hasMore ? empty : undefined}
    >
      <ListingBody {...props} />
    </PaneState>
  )
}

function ListingBody<Item>(props: ListingProps<Item>) {
  const { pages, list, describe } = props
  const { width, height } = useSize()
  const chosen = useChosen(list)
  const lines = useMemo(() => (chosen ? describe(chosen) : []), [chosen, describe])
  const beside = width >= BESIDE_FROM
  const listWidth = beside ? Math.floor(width * 0.45) : width
  const listHeight = beside ? Math.max(1, height - 1) : Math.max(3, Math.floor(height * 0.45))
  return (
    <Box flexDirection={beside ? 'row' : 'column'} width={width} height={height} overflow="hidden">
      <Box flexDirection="column" flexShrink={0}>
        <SizeProvider width={listWidth} height={listHeight}>
          <List list={list} focused={props.focused} empty={props.none} goesOn={pages.hasMore} />
        </SizeProvider>
        <CountLine
          width={listWidth}
          total={list.total}
          more={pages.hasMore}
          failed={!!pages.problem || pages.isStuck}
          note={props.note}
        />
      </Box>
      <SizeProvider
        width={beside ? width - listWidth : width}
        height={Math.max(1, beside ? height : height - listHeight - 1)}
      >
        <Viewer lines={lines} focused={false} />
      </SizeProvider>
    </Box>
  )
}

type CountProps = { width: number; total: number; more: boolean; failed: boolean; note: string | undefined }

function CountLine(props: CountProps) {
  const theme = useTheme()
  const rest = props.failed ? ', the rest could not be read' : props.more ? ', there are more' : ''
  const text = truncate(
    ` ${formatCount(props.total)} listed${rest}${props.note === undefined ? '' : `, ${props.note}`} `,
    props.width,
  )
  const rule = theme.symbols.lines.horizontal.repeat(props.width - text.length)
  return <Text wrap="truncate">{theme.paint('muted', text + rule)}</Text>
}
