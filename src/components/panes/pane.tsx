import { Box, Text } from 'ink'
import { memo, useState, type ReactNode } from 'react'
import { clean, truncate, widthOf } from '../../tui/theme/text.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Theme, Tone } from '../../tui/theme/theme.ts'
import { SizeProvider, useArea } from '../size.tsx'
import { FootContext, useJoints, type Joints } from './joints.ts'
import { useZoomed } from './zoom.ts'

/** The state at the start of a note, in the same tone as in the list. */
export type NoteState = { text: string; tone: Tone }

/** Minimum columns of a note; it is left out rather than cut shorter. */
const LEAST_NOTE = 6

/**
 * Returns the top edge with the title: `╭ ▌Runs 3 of 128 ──── sorted by age ─╮`; the focused pane has a pointer in
 * addition to a color.
 */
function topEdge(
  theme: Theme,
  options: {
    title: string
    note?: string
    state?: NoteState | undefined
    focused: boolean
    width: number
    joints: Joints
  },
): string {
  const { lines, pointer } = theme.symbols
  const { focused, width, joints } = options
  const edge = edgeTone(focused || joints.above?.focused)
  const start = joints.left ? '' : joints.above ? lines.tees[2] : lines.corners[0]
  const end = joints.right ? lines.tees[0] : joints.above ? lines.tees[3] : lines.corners[1]
  const mark = focused ? pointer : ' '
  const around = start.length + 4
  const title = truncate(clean(options.title), Math.max(0, width - around - 1))
  const room = width - widthOf(title) - around
  const note = options.note && room >= LEAST_NOTE + 4 ? ` ${truncate(clean(options.note), room - 4)} ` : ''
  const stateEnd = options.state ? clean(options.state.text).length + 1 : 0
  const fill = lines.horizontal.repeat(Math.max(0, room - widthOf(note) - (note ? 1 : 0)))
  const tail = note ? lines.horizontal : ''
  return (
    theme.paint(edge, start + mark) +
    theme.paint(focused ? 'strong' : 'plain', title) +
    theme.paint(edge, ` ${fill}`) +
    theme.paint(options.state?.tone ?? 'muted', note.slice(0, stateEnd)) +
    theme.paint('muted', note.slice(stateEnd)) +
    theme.paint(edge, tail + lines.horizontal) +
    theme.paint(edgeTone(focused || joints.right?.focused), end)
  )
}

function edgeTone(focused: boolean | undefined): Tone {
  return focused ? 'borderFocused' : 'border'
}

const Side = memo(function Side(props: { text: string; height: number }) {
  return <Text>{Array.from({ length: props.height }, () => props.text).join('\n')}</Text>
})

/**
 * Shows a bordered part of the screen with its title, count and an optional note such as the sort order. It shares a
 * border with each neighbor.
 */
export function Pane(props: {
  title: string
  count?: string
  note?: string
  state?: NoteState | undefined
  focused: boolean
  children: ReactNode
}) {
  const theme = useTheme()
  const joints = useJoints()
  const { width, height, column } = useArea()
  const { lines } = theme.symbols
  const [foot, setFoot] = useState<number>()
  const focused = props.focused && !joints.covered
  const left = joints.left ? 0 : 1
  const title = props.count ? `${props.title} ${props.count}` : props.title
  const notes = [props.note, useZoomed() && 'zoomed'].filter(Boolean)
  const inner = { width: Math.max(0, width - left - 1), height: Math.max(0, height - (joints.below ? 1 : 2)) }
  const before = foot === undefined ? inner.width : Math.min(inner.width, foot - column - left)
  const rest = before < inner.width ? lines.tees[1] + lines.horizontal.repeat(inner.width - before - 1) : ''
  const bottom = (joints.left ? '' : lines.corners[2]) + lines.horizontal.repeat(before) + rest
  const end = joints.right ? lines.tees[1] : lines.corners[3]
  const right = edgeTone(focused || joints.right?.focused)
  return (
    <Box flexDirection="column" width={width} height={height} flexShrink={0}>
      <Text wrap="truncate">
        {topEdge(theme, {
          title,
          state: props.state,
          focused,
          width,
          joints,
          ...(notes.length > 0 && { note: notes.join(` ${theme.symbols.bullet} `) }),
        })}
      </Text>
      <Box height={inner.height}>
        {left > 0 && <Side text={theme.paint(edgeTone(focused), lines.vertical)} height={inner.height} />}
        <Box width={inner.width} height={inner.height} flexDirection="column" overflow="hidden">
          <FootContext value={setFoot}>
            <SizeProvider {...inner} top={1} left={left}>
              {props.children}
            </SizeProvider>
          </FootContext>
        </Box>
        <Side text={theme.paint(right, lines.vertical)} height={inner.height} />
      </Box>
      {!joints.below && <Text wrap="truncate">{theme.paint(edgeTone(focused), bottom) + theme.paint(right, end)}</Text>}
    </Box>
  )
}
