import { Box, Text } from 'ink'
import { memo } from 'react'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { SizeProvider, useSize } from '../size.tsx'
import { SearchLine, type Finder } from './use-search.tsx'

/** Shows that there is more, and the current position in lines. */
const Scrollbar = memo(function Scrollbar(props: { at: number; lines: number; rows: number; count: number }) {
  const theme = useTheme()
  const size = Math.max(1, Math.min(props.rows, Math.round((props.rows * props.lines) / props.count)))
  const from = Math.round((props.at * (props.rows - size)) / Math.max(1, props.count - props.lines))
  const first = Math.min(from, props.rows - size)
  const [full, empty] = theme.symbols.scroll
  const track = Array.from({ length: props.rows }, (_, row) => (row >= first && row < first + size ? full : empty))
  return <Text>{theme.paint('muted', track.join('\n'))}</Text>
})

/** One composed row; redrawn only when its text changes. */
const Row = memo(function Row(props: { text: string }) {
  return <Text wrap="truncate">{props.text}</Text>
})

/** Shows the visible rows of a text with its scrollbar, and the search below them. */
export function ScrolledRows(props: {
  rows: readonly string[]
  /** Number of rows that fit. */
  height: number
  /** Position of the rows in the whole text, in lines; absent if all of it is visible. */
  part: { at: number; lines: number; count: number } | undefined
  finder: Finder<unknown>
  focused: boolean
}) {
  const { rows, height, part, finder, focused } = props
  const { width, height: whole } = useSize()
  return (
    <Box flexDirection="column" width={width} height={whole}>
      <Box width={width} height={height}>
        <Box flexDirection="column" width={width - 1} height={height}>
          {rows.map((row, offset) => (
            <Row key={offset} text={row} />
          ))}
        </Box>
        {part && <Scrollbar {...part} rows={height} />}
      </Box>
      {finder.shows && (
        <SizeProvider width={width} height={1} top={height}>
          <SearchLine finder={finder} focused={focused} />
        </SizeProvider>
      )}
    </Box>
  )
}
