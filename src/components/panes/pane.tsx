import { Box, Text } from 'ink'
import { memo, type ReactNode } from 'react'
import { clean, fit, truncate, widthOf } from '../../tui/theme/text.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Theme } from '../../tui/theme/theme.ts'
import { SizeProvider, useSize } from '../size.tsx'
import { useZoomed } from './zoom.ts'

/** A note that would be cut shorter than this is left out. */
const LEAST_NOTE = 6

/**
 * Top edge with the title in it: `╭ ▌Runs 3 of 128 ──── sorted by age ─╮`; the focused pane has a pointer, not only a
 * colour.
 */
export function paneEdge(
  theme: Theme,
  options: { title: string; note?: string; focused: boolean; width: number },
): string {
  const { lines, pointer } = theme.symbols
  const { focused, width } = options
  const edge = focused ? 'borderFocused' : 'border'
  const mark = focused ? pointer : ' '
  const title = truncate(clean(options.title), Math.max(0, width - 6))
  const room = width - widthOf(title) - 5
  const note = options.note && room >= LEAST_NOTE + 4 ? ` ${truncate(clean(options.note), room - 4)} ` : ''
  const fill = lines.horizontal.repeat(Math.max(0, room - widthOf(note) - (note ? 1 : 0)))
  const tail = note ? lines.horizontal : ''
  return (
    theme.paint(edge, `${lines.corners[0]}${mark}`) +
    theme.paint(focused ? 'strong' : 'plain', title) +
    theme.paint(edge, ` ${fill}`) +
    theme.paint('muted', note) +
    theme.paint(edge, `${tail}${lines.horizontal}${lines.corners[1]}`)
  )
}

const Side = memo(function Side(props: { text: string; height: number }) {
  return <Text>{Array.from({ length: props.height }, () => props.text).join('\n')}</Text>
})

/** A bordered part of the screen with its title, count and an optional note such as the sort order. */
export function Pane(props: { title: string; count?: string; note?: string; focused: boolean; children: ReactNode }) {
  const theme = useTheme()
  const { width, height } = useSize()
  const { lines } = theme.symbols
  const edge = props.focused ? 'borderFocused' : 'border'
  const title = props.count ? `${props.title} ${props.count}` : props.title
  const notes = [props.note, useZoomed() && 'zoomed'].filter(Boolean)
  const inner = { width: Math.max(0, width - 2), height: Math.max(0, height - 2) }
  const bottom = lines.corners[2] + fit('', inner.width).replaceAll(' ', lines.horizontal) + lines.corners[3]
  const side = theme.paint(edge, lines.vertical)
  return (
    <Box flexDirection="column" width={width} height={height} flexShrink={0}>
      <Text wrap="truncate">
        {paneEdge(theme, {
          title,
          focused: props.focused,
          width,
          ...(notes.length > 0 && { note: notes.join(` ${theme.symbols.bullet} `) }),
        })}
      </Text>
      <Box height={inner.height}>
        <Side text={side} height={inner.height} />
        <Box width={inner.width} height={inner.height} flexDirection="column" overflow="hidden">
          <SizeProvider {...inner} top={1} left={1}>
            {props.children}
          </SizeProvider>
        </Box>
        <Side text={side} height={inner.height} />
      </Box>
      <Text wrap="truncate">{theme.paint(edge, bottom)}</Text>
    </Box>
  )
}
