import type { ReactNode } from 'react'
import { usePlace, useRouter } from '../../tui/router/router-context.tsx'
import { clean } from '../../tui/theme/text.ts'
import { BelowNotices } from '../below-notices.tsx'
import { Accompanied } from '../companion.tsx'
import { DetailTabs } from '../detail-tabs.tsx'
import { recordView, type Field } from '../lines.ts'
import { Pane, type NoteState } from '../panes/pane.tsx'
import { Viewer } from '../viewer.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { useLevel } from './level.ts'

/** A tab of a detail pane, as data; `id` is its name in the place. */
export type DetailTab<Props> = {
  id: string
  title: string
  Content: (props: Props) => ReactNode
  /** The tab shown beside this one if the pane has room for both. */
  companion?: string
  /** Minimum rows, including the title, at which the tab is shown below another. For tabs whose first row says most. */
  least?: number
  /** Whether the companion needs so many requests that it is read only on demand if their rate is limited. */
  isCostly?: (props: Props) => boolean
}

/** Returns a tab of labels and values of the record; `technicalOf` gives its ids and other fields for programs. */
export function fieldsTab<Row>(
  title: string,
  fieldsOf: (row: Row) => readonly Field[],
  technicalOf: (row: Row) => readonly Field[] = () => [],
): DetailTab<{ row: Row; focused: boolean }> {
  return {
    id: title.toLowerCase(),
    title,
    Content: ({ row, focused }) => <Viewer {...recordView(fieldsOf(row), technicalOf(row))} focused={focused} />,
  }
}

/** Returns the named tab, or the first if there is none of that name. */
export function openTab<Tab extends { id: string }>(tabs: readonly Tab[], id: string | undefined): Tab | undefined {
  return tabs.find(tab => tab.id === id) ?? tabs[0]
}

/** Shows a pane with tabs. The place names the open tab; only that tab and its companion read data. */
export function TabbedPane<Props extends { focused: boolean }>(props: {
  title: string
  note?: string
  state?: NoteState
  tabs: readonly DetailTab<Props>[]
  /** The props of every tab. */
  content: Props
  notices?: readonly string[]
  /** Parameters of the place that other tabs do not use. */
  within?: readonly string[]
  /** Whether the tabs' keys work while another pane has the focus, because no other pane has tabs. */
  always?: boolean
}) {
  const { tabs, content, note, within = [], always = true } = props
  const router = useRouter()
  const level = useLevel()
  const { params } = usePlace()
  const current = openTab(tabs, params[level.tab])?.id ?? ''
  const left = Object.fromEntries(within.map(name => [name, undefined]))
  const open = (tab: string): void => router.replace({ [level.tab]: tab, ...left })
  // If the rate of requests is limited, moving through a list reads only the open tab.
  const isUnlimited = useWorkspace().budget.snapshot().unlimited
  const render = (tab: DetailTab<Props>): ReactNode => {
    const { id, Content, companion, isCostly } = tab
    const other = tabs.find(each => each.id === companion)
    const isWorthReading = isUnlimited || (content.focused && isCostly?.(content) !== true)
    const shown = isWorthReading &&
      other && {
        title: other.title,
        least: other.least,
        render: () => <other.Content {...content} focused={false} />,
        onOpen: () => open(other.id),
      }
    return (
      <Accompanied key={id} of={tab} companion={shown}>
        <Content {...content} />
      </Accompanied>
    )
  }
  return (
    <Pane
      title={clean(props.title)}
      state={props.state}
      focused={content.focused}
      {...(note !== undefined && { note })}
    >
      <BelowNotices notices={props.notices ?? []}>
        <DetailTabs
          current={current}
          active={always || content.focused}
          onChange={open}
          tabs={tabs.map(tab => ({ id: tab.id, title: tab.title, render: () => render(tab) }))}
        />
      </BelowNotices>
    </Pane>
  )
}
