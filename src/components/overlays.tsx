import { OverlayBoundary } from './boundary.tsx'
import { Box, Text } from 'ink'
import {
  createContext,
  useContext,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from 'react'
import { OverlayScope } from '../tui/keymap/keymap-context.tsx'
import { useTheme } from '../tui/theme/theme-context.tsx'
import { MouseCover } from './mouse-areas.tsx'
import { Pane } from './panes/pane.tsx'
import { RoomContext } from './companion.tsx'
import { useRegions } from './regions.tsx'
import { SizeProvider, useArea, type Area, type Size } from './size.tsx'

type Entry = {
  id: number
  title: string
  /** Wanted columns, if available. */
  width: number
  /** Wanted rows, if available; by default all rows. With `content`, the content reports how many. */
  height?: number | 'content' | ((available: Size) => number)
  content: ReactNode
  /** Handles keys without showing anything. */
  bare?: boolean
}

/** Content that opens above the page; it receives a function that closes it. */
type Dialog<End> = Omit<Entry, 'id' | 'content'> & { content: (end: End) => ReactNode }

export type Overlays = {
  /** Shows content above the page until the returned function is called. */
  open(dialog: Dialog<() => void>): () => void
  /** Shows content until it calls back with an answer; resolves to the answer. */
  ask<T>(dialog: Dialog<(answer: T) => void>): Promise<T>
  /** Closes an entry, as the function returned by opening it does. */
  close(id: number): void
  entries(): readonly Entry[]
  subscribe(listener: () => void): () => void
}

/** @param onOpen called before something opens */
export function createOverlays(onOpen?: () => void): Overlays {
  let entries: readonly Entry[] = []
  let next = 1
  const listeners = new Set<() => void>()
  const set = (value: readonly Entry[]): void => {
    entries = value
    for (const listener of listeners) listener()
  }
  const close = (id: number): void => set(entries.filter(other => other.id !== id))
  const open: Overlays['open'] = dialog => {
    const id = next
    next += 1
    onOpen?.()
    const end = (): void => close(id)
    set([...entries, { ...dialog, id, content: dialog.content(end) }])
    return end
  }
  return {
    open,
    ask: <T,>({ content, ...dialog }: Dialog<(answer: T) => void>) => {
      const { promise, resolve } = Promise.withResolvers<T>()
      const answer = (end: () => void) => (value: T) => {
        end()
        resolve(value)
      }
      open({ ...dialog, content: end => content(answer(end)) })
      return promise
    },
    close,
    entries: () => entries,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const OverlaysContext = createContext<Overlays | undefined>(undefined)

export function OverlaysProvider(props: { onOpen?: () => void; children: ReactNode }) {
  const [overlays] = useState(() => createOverlays(props.onOpen))
  return <OverlaysContext.Provider value={overlays}>{props.children}</OverlaysContext.Provider>
}

export function useOverlays(): Overlays {
  const overlays = useContext(OverlaysContext)
  if (!overlays) throw new Error('OverlaysProvider is missing')
  return overlays
}

/** Whether something visible is open above the page. */
export function useIsCovered(): boolean {
  const overlays = useOverlays()
  return useSyncExternalStore(overlays.subscribe, () => overlays.entries().some(({ bare }) => !bare))
}

/** Draws the open overlays above its parent's content; each handles its own keys. */
export function OverlayHost() {
  const overlays = useOverlays()
  const entries = useSyncExternalStore(overlays.subscribe, overlays.entries)
  const top = entries.findLast(({ bare }) => !bare)
  return entries.map((entry, index) =>
    entry.bare ? (
      <OverlayScope key={entry.id} depth={index + 1}>
        {entry.content}
      </OverlayScope>
    ) : (
      <OverlayFrame key={entry.id} entry={entry} depth={index + 1} isTop={entry === top} />
    ),
  )
}

/** Minimum columns at both sides of an overlay: fewer would show little more than the border of what is behind it. */
const LEAST_BESIDE = 8

function OverlayFrame(props: { entry: Entry; depth: number; isTop: boolean }) {
  const overlays = useOverlays()
  const available = useArea()
  const theme = useTheme()
  const { entry, isTop } = props
  const width = theme.plain || available.width - entry.width < LEAST_BESIDE ? available.width : entry.width
  const [filled, setFilled] = useState<number>()
  // A screen reader would read what is behind as a part of it.
  const rows = theme.plain ? undefined : rowsOf(entry.height, { width, height: available.height }, filled)
  const size = { width, height: Math.min(rows ?? available.height, available.height) }
  const left = Math.floor((available.width - size.width) / 2)
  const top = useSteadyTop(available.height, rows === undefined ? undefined : size.height)
  const row = available.row + top
  const room = useMemo(
    () => ({ row, height: available.height - EDGES, take: (taken: number) => setFilled(taken + EDGES / 2) }),
    [row, available.height],
  )
  useQuietPage(isTop, available, { row, column: available.column + left, ...size })
  const blank = useMemo(
    () => Array.from({ length: size.height }, () => ' '.repeat(size.width)).join('\n'),
    [size.width, size.height],
  )
  return (
    <Box position="absolute" top={top} left={left} width={size.width} height={size.height}>
      <Box position="absolute" top={0} left={0}>
        <Text>{theme.paint('plain', blank)}</Text>
      </Box>
      <Box position="absolute" top={0} left={0}>
        <OverlayScope depth={props.depth}>
          <SizeProvider {...size} top={top} left={left}>
            <MouseCover>
              <Pane title={entry.title} focused={isTop || theme.plain}>
                <RoomContext value={entry.height === 'content' ? room : undefined}>
                  <OverlayBoundary close={() => overlays.close(entry.id)}>{entry.content}</OverlayBoundary>
                </RoomContext>
              </Pane>
            </MouseCover>
          </SizeProvider>
        </OverlayScope>
      </Box>
    </Box>
  )
}

/** Rows of the top and bottom edge of an overlay. */
const EDGES = 2

/** Returns the rows of an overlay; undefined until the content has reported its rows. */
function rowsOf(height: Entry['height'], available: Size, filled: number | undefined): number | undefined {
  if (height === undefined) return available.height
  if (height === 'content') return filled
  return typeof height === 'number' ? height : height(available)
}

/** Returns the top row of an overlay: it keeps its first position as long as it fits below that. */
function useSteadyTop(available: number, rows: number | undefined): number {
  const began = useRef<{ available: number; top: number }>(undefined)
  if (rows === undefined) return 0
  if (began.current?.available !== available) began.current = { available, top: Math.floor((available - rows) / 3) }
  began.current.top = Math.min(began.current.top, available - rows)
  return began.current.top
}

/** Draws the page behind the topmost overlay in one muted color, if colors are supported. */
function useQuietPage(isTop: boolean, page: Area, above: Area): void {
  const regions = useRegions()
  const { paint } = useTheme()
  const areas = [page, above].map(({ row, column, width, height }) => [row, column, width, height]).flat()
  useLayoutEffect(() => {
    if (!isTop) return undefined
    const [row = 0, column = 0, width = 0, height = 0, ...rest] = areas
    const [topRow = 0, leftColumn = 0, columns = 0, rows = 0] = rest
    regions?.quiet({
      // The last row contains a notice.
      page: { row, column, width, height: height - 1 },
      above: { row: topRow, column: leftColumn, width: columns, height: rows },
      look: paint('muted', 'x'),
      kept: [paint('border', 'x')],
    })
    return () => regions?.quiet(undefined)
    // oxlint-disable-next-line react/exhaustive-deps -- the areas are new objects with each draw
  }, [isTop, regions, paint, ...areas])
}
