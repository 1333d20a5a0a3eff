import { Box, Text, type DOMElement } from 'ink'
import { useLayoutEffect, useReducer, useRef, useState } from 'react'
import { unavailable } from '../../tui/keymap/binding.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { clean, truncate, widthOf } from '../../tui/theme/text.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { useRegions } from '../regions.tsx'
import { useSize } from '../size.tsx'
import { useToasts } from '../toasts.tsx'
import { fieldKeys, fieldRowsKeys } from '../component-keys.ts'
import { cursorAt, edit, editedText, insert, withText, type EditAction, type EditedText } from './edit-text.ts'
import { besideRow, countFieldRows, fieldRows, type FieldLook, type FieldRow } from './field-rows.ts'

/** Maximum number of rows that a text of several lines shows at once. */
export const MOST_ROWS = 8
/** Columns around a field without a given width: a sign before it, and its frame. */
const BESIDE = 4

/** Returns the rows of a text that wraps in a field of this width. */
export function textRows(text: string, width: number): number {
  return countFieldRows(text, { width, rows: MOST_ROWS, lineBreak: ' ' })
}

/** A text being typed, with readline's keys; handles every printable key and every paste while it is shown. */
export function TextField(props: {
  value: string
  onChange: (value: string) => void
  onSubmit: (value: string) => void
  onCancel: () => void
  placeholder?: string
  mask?: string
  /** The text may have several lines, so pasted line breaks are kept. Otherwise they become spaces, with a message. */
  lines?: boolean
  /** Maximum columns of the field. */
  width?: number
  /** The text wraps instead of scrolling sideways. */
  wraps?: boolean
  /** Moves beyond the first or last row of a text of several rows. */
  onBeyond?: (by: 1 | -1) => void
  /** Handles a pasted text that means more than this field; returns whether it did. */
  onPaste?: ((text: string) => boolean) | undefined
  /** The text was prefilled: typing or pasting before any other key replaces it, and yank restores it. */
  isPrefilled?: boolean
}) {
  const { lines = false, wraps = false } = props
  const theme = useTheme()
  const size = useSize()
  const toasts = useToasts()
  const { current, change } = useEditedText(props.value, props.onChange)
  const replaces = useReplaced(props.isPrefilled === true && props.value !== '', props.value)
  const look: FieldLook = {
    width: Math.max(1, props.width ?? size.width - BESIDE),
    rows: wraps ? MOST_ROWS : 1,
    mask: props.mask,
    lineBreak: theme.symbols.lineBreak,
  }
  const does = (action: EditAction) => () => {
    replaces.end()
    change(state => edit(state, action))
  }
  const add = (text: string): void => {
    const isWhole = replaces.end()
    change(state => insert(isWhole ? { text: '', cursor: 0, killed: state.text } : state, text))
  }
  const breakLine = (): void => {
    replaces.end()
    change(state => insert(state, '\n'))
  }
  const take = (text: string): void => {
    if (props.onPaste?.(text)) return
    if (text === '') return
    const taken = lines ? text : text.replace(/^\n+|\n+$/g, '').replaceAll(/\n+/g, ' ')
    if (taken !== '') add(taken)
    if (taken.length > 0 && /[^\n]\n+[^\n]/.test(text) && !lines)
      toasts.show('warn', 'The pasted text had line breaks; they became spaces, since this is a single line.')
  }
  useBindings(
    fieldKeys,
    {
      submit: () => props.onSubmit(props.value),
      cancel: props.onCancel,
      left: does('left'),
      right: does('right'),
      wordLeft: does('wordLeft'),
      wordRight: does('wordRight'),
      lineStart: does('lineStart'),
      lineEnd: does('lineEnd'),
      erase: does('erase'),
      delete: does('delete'),
      clearWord: does('killWordLeft'),
      clearNextWord: does('killWordRight'),
      clear: does('killToStart'),
      clearToEnd: does('killToEnd'),
      putBack: does('yank'),
      lineBreak: lines ? breakLine : unavailable('This is a single line.'),
    },
    { text: take },
  )
  const shown = fieldRows(current.text, current.cursor, look)
  const box = useCaret(shown)
  if (current.text === '' && props.placeholder !== undefined)
    return (
      <Box ref={box}>
        <Placeholder text={props.placeholder} width={look.width} />
      </Box>
    )
  return (
    <Box flexDirection="column" flexShrink={0} ref={box}>
      {lines && shown.length > 1 && (
        <RowKeys
          look={look}
          onChange={by => {
            replaces.end()
            change(by)
          }}
          onBeyond={props.onBeyond}
        />
      )}
      {shown.map((row, index) => (
        <Row key={index} row={row} isSelected={replaces.now} />
      ))}
    </Box>
  )
}

/** Returns the text with its cursor, which several keys may change before the next render. */
function useEditedText(value: string, onChange: (text: string) => void) {
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const state = useRef<EditedText>(undefined)
  const shown = state.current ?? editedText(value)
  const current = shown.text === value ? shown : withText(shown, value)
  useLayoutEffect(() => {
    state.current = current
  })
  const change: Change = by => {
    const before = state.current ?? current
    const now = by(before)
    state.current = now
    redraw()
    if (now.text !== before.text) onChange(now.text)
  }
  return { current, change }
}

/** Tells the terminal where the cursor of these rows is; returns the ref for the box that contains them. */
function useCaret(rows: readonly FieldRow[]) {
  const regions = useRegions()
  const box = useRef<DOMElement>(null)
  const shown = useRef(rows)
  useLayoutEffect(() => {
    shown.current = rows
  })
  useLayoutEffect(
    () =>
      regions?.caret(() => {
        const row = shown.current.findIndex(({ at }) => at !== undefined)
        const place = box.current && placeOf(box.current)
        return place && row !== -1
          ? { row: place.row + row, column: place.column + widthOf(shown.current[row]!.before) }
          : undefined
      }),
    [regions],
  )
  return box
}

/** Returns an element's position on the screen, from the layout of all its parents. */
function placeOf(element: DOMElement): { row: number; column: number } {
  let [row, column] = [0, 0]
  for (let at: DOMElement | undefined = element; at; at = at.parentNode) {
    row += at.yogaNode?.getComputedTop() ?? 0
    column += at.yogaNode?.getComputedLeft() ?? 0
  }
  return { row, column }
}

type Change = (by: (state: EditedText) => EditedText) => void

/** Whether typing replaces the text, until the first key; keys may arrive faster than renders. */
function useReplaced(isPrefilled: boolean, value: string) {
  const [begun] = useState({ isPrefilled, value })
  const ended = useRef(!begun.isPrefilled)
  // An accepted suggestion is no longer the prefilled text.
  if (value !== begun.value) ended.current = true
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  return {
    now: !ended.current,
    /** Ends the replacement; returns whether it was active. */
    end(): boolean {
      const was = !ended.current
      ended.current = true
      if (was) redraw()
      return was
    },
  }
}

/** Handles up and down in a text of several rows before they leave the field; renders nothing. */
function RowKeys(props: { look: FieldLook; onChange: Change; onBeyond: ((by: 1 | -1) => void) | undefined }) {
  const move = (by: 1 | -1) => () =>
    props.onChange(state => {
      const to = besideRow(state.text, state.cursor, props.look, by)
      if (to === undefined) props.onBeyond?.(by)
      return to === undefined ? state : cursorAt(state, to)
    })
  useBindings(fieldRowsKeys, { up: move(-1), down: move(1) })
  return null
}

function Row({ row, isSelected }: { row: FieldRow; isSelected: boolean }) {
  const theme = useTheme()
  const painted = (text: string): string => (isSelected ? theme.paint('selected', text) : text)
  return (
    <Text wrap="truncate">
      {painted(row.before)}
      {row.at !== undefined && theme.paint('cursor', row.at)}
      {painted(row.after)}
    </Text>
  )
}

function Placeholder(props: { text: string; width: number }) {
  const theme = useTheme()
  const text = truncate(clean(props.text), props.width)
  return (
    <Text wrap="truncate">
      {theme.paint('cursor', text.slice(0, 1))}
      {theme.paint('muted', text.slice(1))}
    </Text>
  )
}
