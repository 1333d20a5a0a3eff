import { useMemo, useState } from 'react'
import { restKeys, viewerKeys } from './component-keys.ts'
import { fieldLines, restHead, type Field } from './lines.ts'
import { unavailable } from '../tui/keymap/binding.ts'
import { useBindings, useKeyName } from '../tui/keymap/use-bindings.ts'
import type { PointedCell } from '../tui/terminal/pointer.ts'
import type { Theme } from '../tui/theme/theme.ts'
import { useTheme } from '../tui/theme/theme-context.tsx'
import { useMouseArea, WHEEL_ROWS } from './mouse-areas.tsx'
import { useTakenRows } from './companion.tsx'
import { useSize } from './size.tsx'
import { markMatches, markSelected, paintLines, paintMemory, rowWith } from './viewer/paint.ts'
import { compare, lastTop, moved, TOP, visible, within, type Position, type Rows } from './viewer/scroll.ts'
import { ScrolledRows } from './viewer/scrolled-rows.tsx'
import { lineCandidates } from './viewer/search.ts'
import { toSource, type Lines, copyText, type Line, type LineSource, type Span } from './viewer/source.ts'
import { useCopiedLines, useLineSelection } from './viewer/use-line-selection.ts'
import { useSearch } from './viewer/use-search.tsx'
import { MOST_MEASURED } from '../tui/theme/text.ts'
import { blank, cleanSpans, widthOfSpans } from './viewer/spans.ts'

export type { Line } from './viewer/source.ts'

/** A position in a picture made of lines; its line is not wrapped. */
export type PointedText = { line: number; column: number }

const NO_FIELDS: readonly Field[] = []

/** Columns left of a line. */
const MARGIN = 1

/**
 * Shows a long text of which only the visible lines are wrapped and drawn; it can be searched, and copied by lines or
 * as a whole. `rest` are secondary fields, folded into one line at the end that a key or a click unfolds; searching and
 * copying the whole include them. `onPoint` receives what the mouse is over or pressed, and undefined once it has left.
 */
export function Viewer(props: {
  lines: Lines
  rest?: readonly Field[]
  focused: boolean
  onPoint?: (at: PointedText | undefined) => void
}) {
  const { focused, onPoint, lines, rest = NO_FIELDS } = props
  const theme = useTheme()
  const size = useSize()
  const { width } = size
  const [wraps, setWraps] = useState(true)
  const folding = useRest(lines, rest, { theme, columns: width - 2, focused })
  const { source, fold, count } = folding
  const [memory] = useState(paintMemory)
  const painted = useMemo(
    () => paintLines(source, { theme, width, wraps }, memory),
    [source, theme, width, wraps, memory],
  )
  const rows: Rows = { count, rowsOf: line => painted.rows(line).length }
  useTakenRows(most => visible(rows, TOP, most).length)
  const [top, setTop] = useState<Position>(TOP)
  const show = (line: number, text?: string): void => {
    const row = text === undefined ? undefined : rowWith(painted.rows(line), text)
    const isShown = shown.some(position => position.line === line && (row ?? position.row) === position.row)
    if (line >= count) folding.unfold(true)
    if (!isShown) setTop(moved(rows, { line, row: row ?? 0 }, -2))
  }
  const selection = useLineSelection({ source: { ...source, count }, focused, show })
  const finder = useSearch({
    document: source,
    candidates: () => lineCandidates(source, at.line),
    show,
    active: focused && !selection.isOn,
  })
  const height = Math.max(1, size.height - (finder.shows ? 1 : 0))
  const at = within(rows, top, height)
  const shown = visible(rows, at, height)
  const fits = compare(at, TOP) === 0 && isLastRow(rows, shown.at(-1))
  const scroll = (by: number): void => {
    const last = lastTop(rows, height)
    setTop(now => earlier(moved(rows, within(rows, now, height), by), last))
  }
  const move = (by: number): void => (selection.isOn ? selection.move(selection.to + by) : scroll(by))
  const pointed = ({ row, column }: PointedCell): PointedText | undefined => {
    const position = shown[row]
    return position?.row === 0 ? { line: position.line, column: column - MARGIN } : undefined
  }
  useMouseArea({
    wheel: notches => scroll(notches * WHEEL_ROWS),
    press: at => {
      if (fold !== undefined && shown[at.row]?.line === fold) folding.unfold(count === fold + 1)
      onPoint?.(pointed(at))
    },
    ...(onPoint && { hover: at => onPoint(at && pointed(at)) }),
  })
  const page = Math.max(1, height - 1)
  const copy = useCopiedLines(source)
  const last = source.count - 1
  useBindings(
    viewerKeys,
    {
      down: () => move(1),
      up: () => move(-1),
      pageDown: () => move(page),
      pageUp: () => move(-page),
      first: () => (selection.isOn ? selection.move(0) : setTop(TOP)),
      last: () => (selection.isOn ? selection.move(last) : setTop(lastTop(rows, height))),
      search: finder.ask,
      select: source.count === 0 ? unavailable('There is no text.') : () => selection.begin(finder.place ?? at.line),
      copy: () => copy(0, last),
      wrap: () => setWraps(!wraps),
    },
    { active: focused },
  )
  useRestKeys(folding, focused, () => {
    // Shows as much of the unfolded fields as fits, starting at their head.
    setTop(earlier({ line: fold ?? 0, row: 0 }, lastTop({ ...rows, count: source.count }, height)))
  })
  const text = ({ line, row }: Position): string => {
    const plain = painted.rows(line)[row] ?? ''
    if (selection.holds(line)) return markSelected(theme, plain)
    return finder.wanted === '' ? plain : markMatches(theme, plain, finder.wanted)
  }
  return (
    <ScrolledRows
      rows={shown.map(text)}
      height={height}
      part={fits ? undefined : { at: at.line, lines: linesOf(shown), count }}
      finder={finder}
      focused={focused}
    />
  )
}

/** A text with its hidden lines. `fold` is the line that folds them, and `count` the number of visible lines. */
type Folding = { source: LineSource; fold?: number; count: number; unfold: (isUnfolded: boolean) => void }

function useRest(
  lines: Lines,
  rest: readonly Field[],
  { theme, columns, focused }: { theme: Theme; columns: number; focused: boolean },
): Folding {
  const [isUnfolded, unfold] = useState(false)
  const key = useKeyName()
  const hint = focused ? key(restKeys, isUnfolded ? 'hide' : 'show') : undefined
  const { source, fold } = useMemo(
    () => withRest(lines, rest, { theme, columns, isUnfolded, hint }),
    [lines, rest, theme, columns, isUnfolded, hint],
  )
  const count = fold === undefined || isUnfolded ? source.count : fold + 1
  return { source, ...(fold !== undefined && { fold }), count, unfold }
}

function useRestKeys({ fold, unfold }: Folding, focused: boolean, onShow: () => void): void {
  useBindings(
    restKeys,
    {
      show() {
        unfold(true)
        onShow()
      },
      hide: () => unfold(false),
    },
    { active: focused && fold !== undefined },
  )
}

/**
 * Returns the text followed by the secondary fields `rest`, and the index of the line that folds them; without such
 * fields there is no such line.
 */
function withRest(
  lines: Lines,
  rest: readonly Field[],
  look: { theme: Theme; columns: number; isUnfolded: boolean; hint: string | undefined },
): { source: LineSource; fold?: number } {
  const { theme, columns, isUnfolded, hint } = look
  const paired = (each: Lines): Lines => (theme.plain ? each : pairFields(each, columns))
  const first = toSource(paired(lines))
  if (rest.length === 0) return { source: first }
  const { text } = restHead(rest, isUnfolded, hint)
  const sign = isUnfolded ? theme.symbols.unfolded : theme.symbols.folded
  // Copying the whole includes the text, not the hint of the line.
  const head: Line = { parts: [{ text: `${sign} ${text}`, tone: 'muted' }], copy: restHead(rest).text }
  const behind = toSource(paired(['', head, ...fieldLines(rest, 2)]))
  const { count } = first
  return {
    source: { count: count + behind.count, at: index => (index < count ? first.at(index) : behind.at(index - count)) },
    fold: count + 1,
  }
}

function earlier(a: Position, b: Position): Position {
  return compare(a, b) > 0 ? b : a
}

function isLastRow(rows: Rows, position: Position | undefined): boolean {
  if (!position) return true
  return position.line === rows.count - 1 && position.row === rows.rowsOf(position.line) - 1
}

function linesOf(shown: readonly Position[]): number {
  return new Set(shown.map(position => position.line)).size
}

/** With fewer columns each field has its own row. */
const PAIRS_FROM = 92
/** Longer texts have a row for each field: finding pairs requires measuring every line. */
const MOST_PAIRED = 2_000
/** Columns between two fields. */
const GAP = 3
/** Maximum columns to the second field, however wide the pane, so that it is easy to see. */
const MOST_APART = 48

/** Returns the lines with neighboring fields side by side, if both fit in their half of the columns. */
export function pairFields(lines: Lines, columns: number): Lines {
  if (columns < PAIRS_FROM || !isArray(lines) || lines.length > MOST_PAIRED) return lines
  const half = Math.min(Math.floor(columns / 2), MOST_APART)
  const paired: Line[] = []
  for (let index = 0; index < lines.length; index += 1) {
    const [line, next] = [lines[index]!, lines[index + 1]]
    const left = fieldWithin(line, half - GAP)
    const right = left && fieldWithin(next, columns - half)
    if (!left || !right) {
      paired.push(line)
      continue
    }
    const parts = [...left, blank(half - widthOfSpans(left)), ...right]
    paired.push({ parts, copy: `${copyText(line)}\n${copyText(next!)}` })
    index += 1
  }
  return paired
}

function isArray(lines: Lines): lines is readonly Line[] {
  return Array.isArray(lines)
}

/** Returns a label with its value, if the line is one and fits. */
function fieldWithin(line: Line | undefined, columns: number): readonly Span[] | undefined {
  if (typeof line !== 'object' || !('spans' in line) || line.below === undefined || line.isAlone) return undefined
  const all = [...(line.lead ?? []), ...line.spans]
  if (all.some(({ text }) => text.length > MOST_MEASURED)) return undefined
  const spans = cleanSpans(all)
  return widthOfSpans(spans) <= columns ? spans : undefined
}
