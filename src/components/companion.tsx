import { Box, Text } from 'ink'
import { createContext, useContext, useLayoutEffect, useMemo, useState, type ReactNode } from 'react'
import { formatCount } from '../lib/format.ts'
import { clean, truncate, widthOf } from '../tui/theme/text.ts'
import { useTheme } from '../tui/theme/theme-context.tsx'
import { MouseFocus } from './mouse-areas.tsx'
import { FootContext } from './panes/joints.ts'
import { SizeProvider, useArea, type Size } from './size.tsx'

/** Minimum columns of a pane that shows a companion at its right; a narrower pane shows it below. */
const BESIDE_FROM = 130
/** Minimum number of rows of a companion below, including its title, unless it needs fewer. */
const LEAST_BELOW = 10

/** An area whose content reports how many rows it fills; `row` is its position on the screen. */
type Room = { row: number; height: number; take: (rows: number) => void; leave?: () => void }

export const RoomContext = createContext<Room | undefined>(undefined)

/**
 * Reports how many rows the content fills, so that what is around or below it can use the rest; `count` stops counting
 * at `most`.
 */
export function useTakenRows(count: (most: number) => number): void {
  const room = useContext(RoomContext)
  const { row } = useArea()
  const taken = room && row - room.row + count(room.height)
  useLayoutEffect(() => {
    if (taken !== undefined) room?.take(taken)
    return room?.leave
  }, [room, taken])
}

/** Reports at least this many rows for its content, because of what is beside it. */
export function LeastRows(props: { rows: number; children: ReactNode }) {
  const { rows } = props
  const room = useContext(RoomContext)
  const { row } = useArea()
  const raised = useMemo(
    () => room && { ...room, take: (taken: number) => room.take(Math.max(taken, row - room.row + rows)) },
    [room, row, rows],
  )
  return <RoomContext value={raised}>{props.children}</RoomContext>
}

/**
 * For each kind of content, the most rows it took at one width. What is below it keeps this distance, so that it does
 * not move from row to row.
 */
const mostTaken = new WeakMap<object, { width: number; rows: number }>()

/** Returns the part of an area for the content if there is a companion; undefined if there is no room for one. */
function shareOf(size: Size, taken: number | undefined, most: number, least: number): Size | undefined {
  const { width, height } = size
  if (width >= BESIDE_FROM) return { width: Math.floor(width / 2), height }
  const fits = (rows: number): boolean => rows + least <= height
  if (taken === undefined || !fits(taken)) return undefined
  return { width, height: fits(most) ? Math.max(taken, most) : taken }
}

export type CompanionSpec = {
  title: string
  render: () => ReactNode
  onOpen: () => void
  /** Minimum number of rows below, including its title. */
  least?: number | undefined
}

/**
 * Shows content with a companion that is also worth seeing, if there is room for both: beside it in a wide pane, below
 * it in a tall one. Keys go to the content; a click opens the companion.
 * @param props.of what the content is an example of, such as the declaration of its tab
 */
export function Accompanied(props: { of: object; companion: CompanionSpec | false | undefined; children: ReactNode }) {
  const { of, companion } = props
  const least = (companion && companion.least) || LEAST_BELOW
  const { plain } = useTheme()
  const { width, height, row } = useArea()
  const known = mostTaken.get(of)
  const most = known?.width === width ? known.rows : 0
  // The number of rows reported at another width does not apply to this one.
  const [said, setSaid] = useState({ width, rows: 0 })
  const taken = (said.width === width && said.rows) || most || undefined
  const room = useMemo<Room>(() => {
    const take = (rows: number): void => {
      const before = mostTaken.get(of)
      const largest = before?.width === width && before.rows + least <= height ? before.rows : 0
      if (rows + least <= height) mostTaken.set(of, { width, rows: Math.max(largest, rows) })
      // Content that is shorter than earlier content changes nothing, and causes no render.
      setSaid(now => {
        const isShorter = now.width === width && rows <= now.rows && now.rows + least <= height
        return isShorter ? now : { width, rows }
      })
    }
    return { row, height, take }
  }, [of, width, height, row, least])
  const share = plain || !companion ? undefined : shareOf({ width, height }, taken, most, least)
  const content = share ?? { width, height }
  const isBeside = content.width < width
  return (
    <Box flexDirection={isBeside ? 'row' : 'column'} width={width} height={height}>
      <RoomContext value={plain || isBeside || !companion ? undefined : room}>
        <SizeProvider {...content}>
          <Box {...content} flexDirection="column" flexShrink={0}>
            {props.children}
          </Box>
        </SizeProvider>
      </RoomContext>
      {share && companion && (
        <SizeProvider
          {...(isBeside
            ? { width: width - share.width, height, left: share.width }
            : { width, height: height - share.height, top: share.height })}
        >
          <MouseFocus onFocus={companion.onOpen}>
            <Companion title={companion.title} isBeside={isBeside}>
              {companion.render()}
            </Companion>
          </MouseFocus>
        </SizeProvider>
      )}
    </Box>
  )
}

/**
 * Shows a companion under its title, with a line to the content at its left. It handles no keys, so the title says how
 * many rows of a list are below its end.
 */
function Companion(props: { title: string; isBeside: boolean; children: ReactNode }) {
  const theme = useTheme()
  const { width, height, row, column } = useArea()
  const { horizontal, vertical, corners } = theme.symbols.lines
  const left = props.isBeside ? 1 : 0
  const inner = { width: width - left, height: height - 1 }
  const [taken, setTaken] = useState(0)
  const room = useMemo<Room>(
    () => ({ row: row + 1, height: inner.height, take: setTaken, leave: () => setTaken(0) }),
    [row, inner.height],
  )
  const onFoot = useContext(FootContext)
  useLayoutEffect(() => {
    if (!props.isBeside) return undefined
    onFoot?.(column)
    return () => onFoot?.(undefined)
  }, [onFoot, props.isBeside, column])
  const hidden = taken > inner.height ? ` ${formatCount(taken - inner.height)} more ${horizontal}` : ''
  // A blank at both ends, like the text below: the line belongs to the content of the frame.
  const start = (left > 0 ? corners[0] : ' ') + horizontal
  const title = truncate(clean(props.title), Math.max(0, width - widthOf(start) - 3 - widthOf(hidden)))
  const rest = horizontal.repeat(Math.max(0, width - widthOf(title + start + hidden) - 3))
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Text wrap="truncate">
        {theme.paint('border', `${start} `) +
          theme.paint('muted', title) +
          theme.paint('border', ` ${rest}`) +
          theme.paint('muted', hidden)}
      </Text>
      <Box width={width} height={inner.height}>
        {left > 0 && (
          <Text>{Array.from({ length: inner.height }, () => theme.paint('border', vertical)).join('\n')}</Text>
        )}
        <RoomContext value={room}>
          <SizeProvider {...inner} top={1} left={left}>
            <Box {...inner} flexDirection="column" overflow="hidden">
              {props.children}
            </Box>
          </SizeProvider>
        </RoomContext>
      </Box>
    </Box>
  )
}
