import { Box, Text } from 'ink'
import { memo, useMemo, useState } from 'react'
import { selectionKeys, textSearchKeys, viewerKeys } from './component-keys.ts'
import { unavailable } from '../app/keymap/binding.ts'
import { useBindings } from '../app/keymap/use-bindings.ts'
import { plural } from '../app/theme/format.ts'
import { clean } from '../app/theme/text.ts'
import { useTheme } from '../app/theme/theme-context.tsx'
import { useCopy } from './copy.tsx'
import { useMouseArea, WHEEL_ROWS } from './mouse-areas.tsx'
import { Prompt } from './prompt.tsx'
import { SizeProvider, useSize } from './size.tsx'
import { markMatches, markSelected, paintLines } from './viewer/paint.ts'
import { compare, lastTop, moved, TOP, visible, within, type Position, type Rows } from './viewer/scroll.ts'
import { plainText, search, toSource, type Found, type Lines, type LineSource } from './viewer/source.ts'

export type { Line } from './viewer/source.ts'

const Row = memo(function Row(props: { text: string }) {
  return <Text wrap="truncate">{props.text}</Text>
})

/** Lines that are being chosen for copying, from where it began to where it is now. */
type Selecting = { from: number; to: number }

/** Long text of which only the visible lines are wrapped and drawn; it can be searched, and copied by lines or whole. */
export function Viewer(props: { lines: Lines; focused: boolean }) {
  const { focused } = props
  const theme = useTheme()
  const size = useSize()
  const { width } = size
  const source = useMemo(() => toSource(props.lines), [props.lines])
  const painted = useMemo(() => paintLines(source, theme, width), [source, theme, width])
  const rows: Rows = { count: source.count, rowsOf: line => painted.rows(line).length }
  const [top, setTop] = useState<Position>(TOP)
  const [selecting, setSelecting] = useState<Selecting>()
  const finder = useSearch(source)
  const height = Math.max(1, size.height - (finder.shows ? 1 : 0))
  const at = within(rows, top, height)
  const shown = visible(rows, at, height)
  const fits = compare(at, TOP) === 0 && isLastRow(rows, shown.at(-1))
  const scroll = (by: number): void => {
    const last = lastTop(rows, height)
    setTop(now => earlier(moved(rows, within(rows, now, height), by), last))
  }
  const show = (line: number): void => {
    if (!shown.some(position => position.line === line)) setTop(moved(rows, { line, row: 0 }, -2))
  }
  const select = (to: number): void => {
    const line = Math.max(0, Math.min(source.count - 1, to))
    setSelecting(now => now && { ...now, to: line })
    show(line)
  }
  const move = (by: number): void => (selecting ? select(selecting.to + by) : scroll(by))
  useMouseArea({ wheel: notches => scroll(notches * WHEEL_ROWS) })
  const page = Math.max(1, height - 1)
  const copy = useCopiedLines(source)
  useBindings(
    viewerKeys,
    {
      down: () => move(1),
      up: () => move(-1),
      pageDown: () => move(page),
      pageUp: () => move(-page),
      first: () => (selecting ? select(0) : setTop(TOP)),
      last: () => (selecting ? select(source.count - 1) : setTop(lastTop(rows, height))),
      search: finder.ask,
      select:
        source.count === 0
          ? unavailable('There is no text.')
          : () => {
              const line = finder.line ?? at.line
              setSelecting({ from: line, to: line })
            },
      copy: () => copy(0, source.count - 1),
    },
    { active: focused },
  )
  useBindings(
    textSearchKeys,
    { next: () => finder.step(1, show), previous: () => finder.step(-1, show), end: finder.end },
    { active: focused && finder.found !== undefined && !selecting },
  )
  useBindings(
    selectionKeys,
    {
      copy() {
        if (selecting) copy(Math.min(selecting.from, selecting.to), Math.max(selecting.from, selecting.to))
        setSelecting(undefined)
      },
      cancel: () => setSelecting(undefined),
    },
    { active: focused && selecting !== undefined },
  )
  const text = ({ line, row }: Position): string => {
    const plain = painted.rows(line)[row] ?? ''
    if (isWithin(selecting, line)) return markSelected(theme, plain)
    return finder.found ? markMatches(theme, plain, finder.found.text) : plain
  }
  return (
    <Box flexDirection="column" width={width} height={size.height}>
      <Box width={width} height={height}>
        <Box flexDirection="column" width={width - 1} height={height}>
          {shown.map((position, offset) => (
            <Row key={offset} text={text(position)} />
          ))}
        </Box>
        {!fits && <Scrollbar at={at.line} lines={linesOf(shown)} rows={height} count={source.count} />}
      </Box>
      {finder.shows && (
        <SizeProvider width={width} height={1} top={height}>
          <SearchLine finder={finder} focused={focused} onAccept={() => finder.accept(at.line, show)} />
        </SizeProvider>
      )}
    </Box>
  )
}

function earlier(a: Position, b: Position): Position {
  return compare(a, b) > 0 ? b : a
}

function isLastRow(rows: Rows, position: Position | undefined): boolean {
  if (!position) return true
  return position.line === rows.count - 1 && position.row === rows.rowsOf(position.line) - 1
}

function isWithin(selecting: Selecting | undefined, line: number): boolean {
  if (!selecting) return false
  return line >= Math.min(selecting.from, selecting.to) && line <= Math.max(selecting.from, selecting.to)
}

function linesOf(shown: readonly Position[]): number {
  return new Set(shown.map(position => position.line)).size
}

/** Copies lines, both ends included. */
function useCopiedLines(source: LineSource): (from: number, to: number) => void {
  const copy = useCopy()
  return (from, to) => {
    const lines = Array.from({ length: to - from + 1 }, (_, offset) => plainText(source.at(from + offset)))
    copy(lines.join('\n'), `Copied ${plural(lines.length, 'line')}.`)
  }
}

type Finder = {
  /** A line of the viewer is about the search. */
  shows: boolean
  asking: boolean
  typed: string
  type(text: string): void
  found: Found | undefined
  /** Which of the lines found is the current one, and the line itself. */
  index: number
  line: number | undefined
  ask(): void
  accept(from: number, show: (line: number) => void): void
  step(by: number, show: (line: number) => void): void
  end(): void
}

/** What is searched for in a text, and which of the lines found one is at. */
function useSearch(source: LineSource): Finder {
  const [asking, setAsking] = useState(false)
  const [typed, type] = useState('')
  const [wanted, want] = useState('')
  const [index, setIndex] = useState(0)
  const found = useMemo(() => (wanted === '' ? undefined : search(source, wanted)), [source, wanted])
  const count = found?.lines.length ?? 0
  const at = Math.min(index, Math.max(0, count - 1))
  const end = (): void => {
    want('')
    type('')
    setAsking(false)
  }
  return {
    shows: asking || found !== undefined,
    asking,
    typed,
    type,
    found,
    index: at,
    line: found?.lines[at],
    ask: () => setAsking(true),
    accept(from, show) {
      setAsking(false)
      want(typed)
      if (typed === '') return
      const { lines } = search(source, typed)
      const next = lines.findIndex(line => line >= from)
      setIndex(Math.max(0, next))
      const line = lines[Math.max(0, next)]
      if (line !== undefined) show(line)
    },
    step(by, show) {
      if (!found || count === 0) return
      const next = (at + by + count) % count
      setIndex(next)
      show(found.lines[next]!)
    },
    end,
  }
}

function SearchLine(props: { finder: Finder; focused: boolean; onAccept: () => void }) {
  const { finder } = props
  const theme = useTheme()
  if (finder.asking && props.focused)
    return (
      <Prompt value={finder.typed} onChange={finder.type} onAccept={props.onAccept} onLeave={finder.end} />
    )
  const { found } = finder
  if (!found) return null
  const count = `${found.lines.length}${found.isCut ? ' and more' : ''}`
  const told = found.lines.length === 0 ? 'not found' : `${finder.index + 1} of ${count}`
  return <Text wrap="truncate">{` ${theme.paint('accent', `/${clean(found.text)}`)}  ${told}`}</Text>
}

/** Says that there is more, and where one is, counted in lines. */
const Scrollbar = memo(function Scrollbar(props: { at: number; lines: number; rows: number; count: number }) {
  const theme = useTheme()
  const size = Math.max(1, Math.min(props.rows, Math.round((props.rows * props.lines) / props.count)))
  const from = Math.round((props.at * (props.rows - size)) / Math.max(1, props.count - props.lines))
  const first = Math.min(from, props.rows - size)
  const [full, empty] = theme.symbols.scroll
  const track = Array.from({ length: props.rows }, (_, row) =>
    row >= first && row < first + size ? full : empty,
  )
  return <Text>{theme.paint('muted', track.join('\n'))}</Text>
})
