import { Text } from 'ink'
import { widthOf } from '../app/theme/text.ts'
import { useTheme } from '../app/theme/theme-context.tsx'
import { useMouseArea } from './mouse-areas.tsx'
import { useSize } from './size.tsx'

/** The tab whose name, with the brackets around it, stands at this column. */
function tabAt(titles: readonly string[], gap: number, column: number): number | undefined {
  let left = 1
  for (const [index, title] of titles.entries()) {
    const right = left + widthOf(title) + 2
    if (column >= left && column < right) return index
    left = right + gap
  }
  return undefined
}

/** One line of tabs, the current one in brackets; a click opens one. `top` is its row in the area around it. */
export function TabLine(props: {
  titles: readonly string[]
  current: number
  top?: number
  onChoose: (index: number) => void
}) {
  const theme = useTheme()
  const { width } = useSize()
  // A space between two tabs is given up where all of them would not fit.
  const wide = props.titles.reduce((sum, title) => sum + widthOf(title) + 3, 0)
  const gap = wide <= width ? 1 : 0
  useMouseArea(
    {
      press: ({ column }) => {
        const index = tabAt(props.titles, gap, column)
        if (index !== undefined) props.onChoose(index)
      },
    },
    { top: props.top ?? 0, height: 1 },
  )
  const line = props.titles
    .map((title, index) =>
      index === props.current ? theme.paint('selected', `[${title}]`) : theme.paint('muted', ` ${title} `),
    )
    .join(' '.repeat(gap))
  return <Text wrap="truncate">{` ${line}`}</Text>
}
