import { useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { unavailable } from '../tui/keymap/binding.ts'
import { useBindings } from '../tui/keymap/use-bindings.ts'
import { formatCount } from '../lib/format.ts'
import type { Theme } from '../tui/theme/theme.ts'
import { useTheme } from '../tui/theme/theme-context.tsx'
import { foldKeys, restKeys, viewerKeys } from './component-keys.ts'
import { useCopy } from './copy.tsx'
import { useMouseArea, WHEEL_ROWS } from './mouse-areas.tsx'
import { useSize } from './size.tsx'
import { useToasts } from './toasts.tsx'
import { useArrivals } from './viewer/arrivals.ts'
import {
  AS_GIVEN,
  lineAt,
  MOST_UNFOLDED,
  outline,
  outlineCandidates,
  revealed,
  toggled,
  type BinaryContent,
  type Entry,
  type Outline,
  type OutlineNode,
  type Place,
} from './viewer/outline-tree.ts'
import type { Look, PictureLook } from './viewer/look.ts'
import { markMatches, markSelected, paintLine, rowWith } from './viewer/paint.ts'
import { compare, lastTop, moved, TOP, visible, within, type Position, type Rows } from './viewer/scroll.ts'
import type { ScrolledRows } from './viewer/scrolled-rows.tsx'
import { copyText, type Line, type LineSource } from './viewer/source.ts'
import { useLineSelection } from './viewer/use-line-selection.ts'
import { useFileActs } from './use-file-acts.ts'
import { useSearch } from './viewer/use-search.tsx'
import { createGraphics, type Graphics, type PictureScreen } from '../tui/picture/graphics.ts'
import { useRegions } from './regions.tsx'

/** Columns of the sign before a foldable line, and of each indentation. */
const STEP = 2

/** The current position in a document. */
export type Here = { node: OutlineNode; line: Line }

export type OutlineView = {
  /** Undefined in a document without lines. */
  here: Here | undefined
  /** Unfolds the nodes around a place and moves there. */
  show(place: Place): void
  /** Returns how many rows the document has as currently folded, counted up to `most`. */
  filled(most: number): number
  picture: Parameters<typeof ScrolledRows>[0]
}

export type OutlineOptions = {
  roots: readonly OutlineNode[]
  focused: boolean
  /** Returns the whole document for copying. */
  copyAll: () => string
  /** Name of what is copied: `the document`. */
  whole: string
  /** The only picture, sound or file in the answer. It can be opened without selecting its row. */
  file?: BinaryContent | undefined
  /** Only secondary parts are folded, and the caller handles selecting a line. */
  isFlat?: boolean
}

/**
 * Returns the view of a document of foldable parts, of which only the visible lines are wrapped and drawn. Its nodes
 * say what starts unfolded. It keeps its folding when the document is passed again, and also searches folded parts.
 */
export function useOutline(options: OutlineOptions): OutlineView {
  const { roots, focused } = options
  const theme = useTheme()
  const size = useSize()
  const { width } = size
  const [wraps, setWraps] = useState(true)
  const [chosen, setChosen] = useState<Position>(TOP)
  const choose = (line: number, row = 0): void => setChosen({ line, row })
  const arrivals = useArrivals()
  const pictures = usePictures(size.height - 1)
  const rowsOf = useMemo(
    () => createRows({ theme, width, wraps, pictures }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- what arrived has other rows
    [theme, width, wraps, pictures, arrivals],
  )
  const folds = useFolds(roots, { choose, rowsOf })
  const { shown } = folds
  const paintedRows = (line: number): readonly string[] => {
    const { entry, offset } = shown.at(line)
    return rowsOf(entry, offset)
  }
  const rows: Rows = { count: shown.count, rowsOf: line => paintedRows(line).length }
  const at = clamped(rows, chosen)
  const found = shown.count > 0 ? shown.at(at.line) : undefined
  const lineOf = (line: number): Line => {
    const { entry, offset } = shown.at(line)
    return entry.lines.at(offset)
  }
  const source: LineSource = { count: shown.count, at: lineOf }
  const selection = useLineSelection({ source, focused, show: line => choose(line) })
  const finder = useSearch<Place>({
    document: roots,
    candidates: () =>
      outlineCandidates(roots, found && { id: found.entry.node.id, part: found.entry.part, offset: found.offset }),
    show: folds.show,
    active: focused && !selection.isOn,
  })
  const height = Math.max(1, size.height - (finder.shows ? 1 : 0))
  const start = useRef<Position>(TOP)
  start.current = topAround(rows, { at, previous: start.current, height })
  const window = visible(rows, start.current, height)
  const move = (by: number): void => {
    if (selection.isOn) selection.move(selection.to + by)
    else setChosen(moved(rows, at, by))
  }
  useMouseArea({
    press: ({ row }) => {
      const position = window[row]
      if (!position) return
      setChosen(position)
      const { entry } = shown.at(position.line)
      if (entry.folded !== undefined) folds.toggle(entry)
    },
    wheel: notches => move(notches * WHEEL_ROWS),
  })
  useMoving(options, {
    move,
    page: Math.max(1, height - 1),
    first: () => (selection.isOn ? selection.move(0) : setChosen(TOP)),
    last: () => (selection.isOn ? selection.move(shown.count - 1) : setChosen(lastTop(rows, 1))),
    search: finder.ask,
    select: found && (() => selection.begin(at.line)),
    wrap: () => setWraps(!wraps),
  })
  useFolding(folds, { focused: focused && !options.isFlat, found })
  useBindings(
    restKeys,
    { show: () => folds.toggleAll(true), hide: () => folds.toggleAll(false) },
    { active: focused && options.isFlat === true && folds.shown.canFold },
  )
  useFileActs(found?.entry.node.file ?? options.file, focused)
  const line = found?.entry.lines.at(found.offset)
  const drawn = (position: Position): string => {
    const row = paintedRows(position.line)[position.row] ?? ''
    const isChosen = focused && compare(position, at) === 0
    if (isChosen || selection.holds(position.line)) {
      const { entry } = shown.at(position.line)
      // The colors of a picture carry its content, so the row is not recolored.
      return entry.node.file && entry.part === 'body' ? theme.symbols.pointer + row.slice(1) : markSelected(theme, row)
    }
    return finder.wanted === '' ? row : markMatches(theme, row, finder.wanted)
  }
  const [first, last] = [start.current.line, window.at(-1)?.line ?? 0]
  const end = window.at(-1)
  const isToEnd = end === undefined || (last >= shown.count - 1 && end.row >= rows.rowsOf(last) - 1)
  const isWhole = compare(start.current, TOP) === 0 && isToEnd
  const part = isWhole ? undefined : { at: first, lines: last - first + 1, count: Math.max(1, shown.count) }
  return {
    here: found && line !== undefined ? { node: found.entry.node, line } : undefined,
    show: folds.show,
    filled: most => visible(rows, TOP, most).length,
    picture: { rows: window.map(drawn), height, part, finder, focused },
  }
}

type Found = ReturnType<Outline['at']>

type Folds = {
  shown: Outline
  /** Unfolds the nodes around a place and moves there; to the row with the text if one is searched. */
  show(place: Place, text?: string): void
  /** Folds the parent of the entry, or unfolds it, and moves to its head. */
  toggle(entry: Entry): void
  toggleAll(open: boolean): void
}

/** Returns which nodes of a document are folded, and what is visible. */
function useFolds(
  roots: readonly OutlineNode[],
  { choose, rowsOf }: { choose: (line: number, row?: number) => void; rowsOf: ReturnType<typeof createRows> },
): Folds {
  const toasts = useToasts()
  const [folding, setFolding] = useState(AS_GIVEN)
  const shown = useMemo(() => outline(roots, folding), [roots, folding])
  return {
    shown,
    show(place, text) {
      const next = revealed(folding, place)
      setFolding(next)
      const then = outline(roots, next)
      const line = lineAt(then, place)
      if (line === undefined) return
      const { entry, offset } = then.at(line)
      choose(line, text === undefined ? 0 : rowWith(rowsOf(entry, offset), text))
    },
    toggle(entry) {
      const head = headOf(entry)
      if (!head) return
      setFolding(toggled(folding, head.node.id, head.folded === true))
      choose(shown.lineOf(shown.entries.indexOf(head)))
    },
    toggleAll(open) {
      const next = { all: open, except: new Map<string, boolean>() }
      setFolding(next)
      choose(0)
      if (outline(roots, next).isCut)
        toasts.show('warn', `Unfolded ${formatCount(MOST_UNFOLDED)} parts; the rest can be unfolded one by one.`)
    },
  }
}

function useMoving(
  { focused, copyAll, whole }: OutlineOptions,
  act: Record<'first' | 'last' | 'search' | 'wrap', () => void> & {
    move: (by: number) => void
    page: number
    select: (() => void) | undefined
  },
): void {
  const copy = useCopy()
  useBindings(
    viewerKeys,
    {
      down: () => act.move(1),
      up: () => act.move(-1),
      pageDown: () => act.move(act.page),
      pageUp: () => act.move(-act.page),
      first: act.first,
      last: act.last,
      search: act.search,
      select: act.select ?? NO_TEXT,
      copy: act.select ? () => copy(copyAll(), `Copied ${whole}.`, 'text') : NO_TEXT,
      wrap: act.wrap,
    },
    { active: focused },
  )
}

function useFolding(folds: Folds, { focused, found }: { focused: boolean; found: Found | undefined }): void {
  const copy = useCopy()
  const { canFold } = folds.shown
  useBindings(
    foldKeys,
    {
      fold: found && headOf(found.entry) ? () => folds.toggle(found.entry) : NOTHING_TO_FOLD,
      foldAll: canFold ? () => folds.toggleAll(false) : NOTHING_TO_FOLD,
      unfoldAll: canFold ? () => folds.toggleAll(true) : NOTHING_TO_FOLD,
      copy: found
        ? () => {
            const { entry, offset } = found
            const own = entry.part === 'body' ? undefined : entry.node.copy
            copy(own ? own() : copyText(entry.lines.at(offset)), 'Copied what is at the line.', 'text')
          }
        : NO_TEXT,
    },
    { active: focused },
  )
}

const NO_TEXT = unavailable('There is no text.')
const NOTHING_TO_FOLD = unavailable('There is nothing at the line that can be folded.')

/** Returns the entry with the fold sign for this one: itself, or its parent. */
function headOf(entry: Entry): Entry | undefined {
  if (entry.folded !== undefined) return entry
  return entry.parent && headOf(entry.parent)
}

/** Clamps a position to the current document. */
function clamped(rows: Rows, { line, row }: Position): Position {
  if (rows.count === 0) return TOP
  if (line >= rows.count) return lastTop(rows, 1)
  return { line, row: Math.min(row, rows.rowsOf(line) - 1) }
}

/** Returns the first row of a window that contains the current row, scrolling as little as possible. */
function topAround(
  rows: Rows,
  { at, previous, height }: { at: Position; previous: Position; height: number },
): Position {
  const top = within(rows, previous, height)
  if (compare(at, top) < 0) return at
  const last = visible(rows, top, height).at(-1)
  if (!last || compare(at, last) <= 0) return top
  return moved(rows, at, 1 - height)
}

/** Returns the rows of an entry's lines, wrapped on first use and cached while the entry is visible. */
function createRows({ theme, width, ...look }: Look) {
  const cached = new WeakMap<Entry, Map<number, readonly string[]>>()
  return (entry: Entry, offset: number): readonly string[] => {
    const own = cached.get(entry) ?? new Map<number, readonly string[]>()
    cached.set(entry, own)
    const known = own.get(offset)
    if (known) return known
    if (own.size > KEPT_ROWS) own.clear()
    // Deep nesting must leave columns for the text.
    const margin = Math.min(entry.depth * STEP, Math.floor(width / 3)) + STEP
    const rows = paintLine(entry.lines.at(offset), { theme, ...look, width: Math.max(3, width - margin) })
    const drawn = rows.map((row, index) => ` ${marginOf(theme, entry, margin, index)}${row.slice(1)}`)
    own.set(offset, drawn)
    return drawn
  }
}

const KEPT_ROWS = 2000

function marginOf(theme: Theme, entry: Entry, columns: number, index: number): string {
  if (entry.folded === undefined || index > 0) return ' '.repeat(columns)
  const sign = entry.folded ? theme.symbols.folded : theme.symbols.unfolded
  return `${' '.repeat(columns - STEP)}${theme.paint('muted', sign)} `
}

const ofScreens = new WeakMap<PictureScreen, Graphics>()
const never = (): (() => void) => () => {}
const zero = (): number => 0

function graphicsOf(screen: PictureScreen): Graphics {
  const known = ofScreens.get(screen) ?? createGraphics(screen)
  ofScreens.set(screen, known)
  return known
}

/** Returns how pictures are drawn, with at most that many rows; changes once the terminal reports what it supports. */
function usePictures(rows: number): PictureLook {
  const screen = useRegions()
  const graphics = screen && graphicsOf(screen)
  const version = useSyncExternalStore(graphics?.subscribe ?? never, graphics?.version ?? zero)
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- what the terminal draws changes without another object
  return useMemo(() => ({ rows: Math.max(1, rows), graphics }), [rows, graphics, version])
}
