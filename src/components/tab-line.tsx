import { Text } from 'ink'
import { widthOf } from '../tui/theme/text.ts'
import { useTheme } from '../tui/theme/theme-context.tsx'
import { useMouseArea } from './mouse-areas.tsx'
import { useSize } from './size.tsx'

/**
 * The tabs from `first` to before `end` fit in a line, with this many columns between two; -1 if neighbors share a
 * blank, and only the current one has room for brackets.
 */
type Shown = { first: number; end: number; gap: number }

/** Columns of the brackets around a tab, or of the blanks in their place. */
const BRACKETS = 2
/** Columns of the margins at both sides, in which a mark shows hidden tabs. */
const MARGINS = 2

/** Returns as many tabs as fit, including the current one; they are closer together if that makes all of them fit. */
export function shownTabs(titles: readonly string[], current: number, width: number): Shown {
  const widths = titles.map(title => widthOf(title) + BRACKETS)
  const all = widths.reduce((sum, each) => sum + each, 0)
  const room = width - MARGINS
  for (const gap of [1, 0, -1])
    if (all + gap * (titles.length - 1) <= width - 1) return { first: 0, end: titles.length, gap }
  let used = widths[current] ?? 0
  let [first, end] = [current, current + 1]
  // Earlier tabs come first: the line keeps its start as long as possible.
  while (first > 0 && used + widths[first - 1]! <= room) used += widths[(first -= 1)]!
  while (end < titles.length && used + widths[end]! <= room) used += widths[end++]!
  return { first, end, gap: 0 }
}

/** Returns the text of each tab, the current one in brackets. */
export function written(titles: readonly string[], current: number, { gap }: Shown): string[] {
  return titles.map((title, index) => (index === current ? `[${title}]` : gap < 0 ? title : ` ${title} `))
}

/** Returns the columns between two tab texts. */
function between({ gap }: Shown): number {
  return Math.abs(gap)
}

/** Returns the tab at this column. */
function tabAt(tabs: readonly string[], shown: Shown, column: number): number | undefined {
  let left = 1
  for (let index = shown.first; index < shown.end; index += 1) {
    const right = left + widthOf(tabs[index]!)
    if (column >= left && column < right) return index
    left = right + between(shown)
  }
  return undefined
}

/** Returns the keys at the end of the line; empty if they would be close to the tabs. */
function endOf(tabs: readonly string[], shown: Shown, { keys = '', width }: { keys?: string; width: number }): string {
  const used = tabs.reduce((sum, tab) => sum + widthOf(tab) + between(shown), 1)
  const space = width - 1 - used - widthOf(keys)
  return keys !== '' && space > 0 ? ' '.repeat(space) + keys : ''
}

/**
 * Shows one line of tabs, the current one in brackets; a click opens one. `top` is its row in the surrounding area,
 * `keys` names the keys that change tabs, if there is room.
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
