import { Text } from 'ink'
import { widthOf } from '../tui/theme/text.ts'
import { useTheme } from '../tui/theme/theme-context.tsx'
import { useMouseArea } from './mouse-areas.tsx'
import { useSize } from './size.tsx'

/**
 * The tabs from `first` to before `end` fit a line, with so many columns between two; -1 where two share a blank, and
 * none but the current one has columns for brackets.
 */
type Shown = { first: number; end: number; gap: number }

/** Brackets around a tab, or the blanks in their place. */
const BRACKETS = 2
/** A margin on both sides, where a mark shows tabs beyond. */
const MARGINS = 2

/** As many tabs as fit, among them the current one; they stand closer where all of them would not fit else. */
export function shownTabs(titles: readonly string[], current: number, width: number): Shown {
  const widths = titles.map(title => widthOf(title) + BRACKETS)
  const all = widths.reduce((sum, each) => sum + each, 0)
  const room = width - MARGINS
  for (const gap of [1, 0, -1])
    if (all + gap * (titles.length - 1) <= width - 1) return { first: 0, end: titles.length, gap }
  let used = widths[current] ?? 0
  let [first, end] = [current, current + 1]
  // Those before it first: the line stays where it begins for as long as it can.
  while (first > 0 && used + widths[first - 1]! <= room) used += widths[(first -= 1)]!
  while (end < titles.length && used + widths[end]! <= room) used += widths[end++]!
  return { first, end, gap: 0 }
}

/** Each tab as it is written, the current one in brackets. */
export function written(titles: readonly string[], current: number, { gap }: Shown): string[] {
  return titles.map((title, index) => (index === current ? `[${title}]` : gap < 0 ? title : ` ${title} `))
}

/** Columns between two tabs as they are written. */
function between({ gap }: Shown): number {
  return Math.abs(gap)
}

/** The tab that stands at this column. */
function tabAt(tabs: readonly string[], shown: Shown, column: number): number | undefined {
  let left = 1
  for (let index = shown.first; index < shown.end; index += 1) {
    const right = left + widthOf(tabs[index]!)
    if (column >= left && column < right) return index
    left = right + between(shown)
  }
  return undefined
}

/** The keys at the end of the line; empty where they would come close to the tabs. */
function endOf(tabs: readonly string[], shown: Shown, { keys = '', width }: { keys?: string; width: number }): string {
  const used = tabs.reduce((sum, tab) => sum + widthOf(tab) + between(shown), 1)
  const space = width - 1 - used - widthOf(keys)
  return keys !== '' && space > 0 ? ' '.repeat(space) + keys : ''
}

/**
 * One line of tabs, the current one in brackets; a click opens one. `top` is its row in the area around it, `keys` says
 * at its end which keys change them, if there is room.
 */
export function TabLine(props: {
  titles: readonly string[]
  current: number
  top?: number
  keys?: string
  onChoose: (index: number) => void
}) {
  const theme = useTheme()
  const { width } = useSize()
  const { titles, current } = props
  const shown = shownTabs(titles, current, width)
  const tabs = written(titles, current, shown)
  useMouseArea(
    {
      press: ({ column }) => {
        const index = tabAt(tabs, shown, column)
        if (index !== undefined) props.onChoose(index)
      },
    },
    { top: props.top ?? 0, height: 1 },
  )
  const line = tabs
    .map((tab, index) => theme.paint(index === current ? 'selected' : 'muted', tab))
    .slice(shown.first, shown.end)
    .join(' '.repeat(between(shown)))
  const before = shown.first > 0 ? theme.paint('muted', '‹') : ' '
  const after = shown.end < titles.length ? theme.paint('muted', '›') : ''
  const keys = endOf(tabs, shown, { ...props, width })
  return <Text wrap="truncate">{`${before}${line}${after}${keys && theme.paint('muted', keys)}`}</Text>
}
