import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import { clean, wrap } from '../tui/theme/text.ts'
import { useTheme } from '../tui/theme/theme-context.tsx'
import { SizeProvider, useSize } from './size.tsx'

/** Maximum number of rows that notices take above a pane's content. */
const MOST_ROWS = 4

/** Shows a pane's content, below warnings about it. */
export function BelowNotices(props: { notices: readonly string[]; children: ReactNode }) {
  const { paint, symbols } = useTheme()
  const { width, height } = useSize()
  const rows = props.notices
    .flatMap(text => wrap(clean(`${symbols.warn} ${text}`), width))
    .slice(0, MOST_ROWS)
    .slice(0, Math.max(0, height - 1))
  return (
    <Box flexDirection="column" width={width} height={height}>
      {rows.map((row, index) => (
        <Text key={index} wrap="truncate-end">
          {paint('warn', row)}
        </Text>
      ))}
      <SizeProvider width={width} height={height - rows.length} top={rows.length}>
        {props.children}
      </SizeProvider>
    </Box>
  )
}
