import { Box, Text } from 'ink'
import { memo } from 'react'
import { SizeProvider, useSize } from '../size.tsx'
import { Scrollbar } from './scrollbar.tsx'
import { SearchLine, type Finder } from './use-search.tsx'

/** One composed row; drawn again only when its text changes. */
const Row = memo(function Row(props: { text: string }) {
  return <Text wrap="truncate">{props.text}</Text>
})

/** The visible rows of a text with its scrollbar, and the search below them. */
export function ScrolledRows(props: {
  rows: readonly string[]
  /** How many rows have room. */
  height: number
  /** Where the rows are in the whole text, in lines; absent where all of it is visible. */
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
