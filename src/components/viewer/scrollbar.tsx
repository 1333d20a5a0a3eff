import { Text } from 'ink'
import { memo } from 'react'
import { useTheme } from '../../tui/theme/theme-context.tsx'

/** Says that there is more, and where one is, counted in lines. */
export const Scrollbar = memo(function Scrollbar(props: { at: number; lines: number; rows: number; count: number }) {
  const theme = useTheme()
  const size = Math.max(1, Math.min(props.rows, Math.round((props.rows * props.lines) / props.count)))
  const from = Math.round((props.at * (props.rows - size)) / Math.max(1, props.count - props.lines))
  const first = Math.min(from, props.rows - size)
  const [full, empty] = theme.symbols.scroll
  const track = Array.from({ length: props.rows }, (_, row) => (row >= first && row < first + size ? full : empty))
  return <Text>{theme.paint('muted', track.join('\n'))}</Text>
})
