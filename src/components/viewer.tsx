import { Box, Text } from 'ink'
import { memo, useMemo, useState } from 'react'
import { viewerKeys } from './component-keys.ts'
import { useBindings } from '../app/keymap/use-bindings.ts'
import { clean, wrap } from '../app/theme/text.ts'
import { useTheme } from '../app/theme/theme-context.tsx'
import type { Tone } from '../app/theme/theme.ts'
import { useSize } from './size.tsx'

/** A line of a text: one tone, or several parts of different tones on one row that is cut, not wrapped. */
export type Line =
  | string
  | { text: string; tone?: Tone; indent?: number }
  | { parts: readonly { text: string; tone: Tone }[] }

type PaintedRow = { key: string; text: string }

const Row = memo(function Row(props: { text: string }) {
  return <Text wrap="truncate">{props.text}</Text>
})

/** Long text of which only the visible rows are drawn; wraps at the width it has. */
export function Viewer(props: { lines: readonly Line[]; focused: boolean }) {
  const theme = useTheme()
  const { width, height } = useSize()
  const [top, setTop] = useState(0)
  const rows = useMemo<PaintedRow[]>(
    () =>
      props.lines.flatMap((line, index) => {
        if (typeof line === 'object' && 'parts' in line) {
          const text = line.parts.map(part => theme.paint(part.tone, clean(part.text))).join('')
          return [{ key: `${index}`, text: ` ${text}` }]
        }
        const { text, tone = 'plain', indent = 0 } = typeof line === 'string' ? { text: line } : line
        const margin = ' '.repeat(indent + 1)
        return wrap(clean(text), Math.max(1, width - margin.length - 1)).map((part, piece) => ({
          key: `${index}.${piece}`,
          text: margin + theme.paint(tone, part),
        }))
      }),
    [props.lines, width, theme],
  )
  const latest = Math.max(0, rows.length - height)
  const at = Math.min(top, latest)
  const move = (by: number): void => setTop(now => Math.max(0, Math.min(latest, Math.min(now, latest) + by)))
  const page = Math.max(1, height - 1)
  useBindings(
    viewerKeys,
    {
      down: () => move(1),
      up: () => move(-1),
      pageDown: () => move(page),
      pageUp: () => move(-page),
      first: () => setTop(0),
      last: () => setTop(latest),
    },
    { active: props.focused },
  )
  return (
    <Box width={width} height={height}>
      <Box flexDirection="column" width={width - 1} height={height}>
        {rows.slice(at, at + height).map((row, offset) => (
          <Row key={offset} text={row.text} />
        ))}
      </Box>
      {rows.length > height && <Scrollbar at={at} shown={height} count={rows.length} />}
    </Box>
  )
}

/** Which rows of the thumb's track are filled, for a window of `shown` rows at `at` of `count`. */
export function thumbOf(options: { at: number; shown: number; count: number }): { from: number; to: number } {
  const { at, shown, count } = options
  const size = Math.max(1, Math.round((shown * shown) / count))
  const from = Math.round((at * (shown - size)) / Math.max(1, count - shown))
  return { from, to: from + size }
}

/** Says that there is more, and where one is. */
const Scrollbar = memo(function Scrollbar(props: { at: number; shown: number; count: number }) {
  const theme = useTheme()
  const { from, to } = thumbOf(props)
  const [full, empty] = theme.symbols.scroll
  const track = Array.from({ length: props.shown }, (_, row) => (row >= from && row < to ? full : empty))
  return <Text>{theme.paint('muted', track.join('\n'))}</Text>
})
