import { Box, Text } from 'ink'
import { useMemo, useRef, useState } from 'react'
import { windowStart } from '../../components/list/selection.ts'
import { useMouseArea, WHEEL_ROWS } from '../../components/mouse-areas.tsx'
import { useSize } from '../../components/size.tsx'
import { TextField } from '../../components/text-field/text-field.tsx'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { fit, truncate, widthOf } from '../../tui/theme/text.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Theme } from '../../tui/theme/theme.ts'
import { paletteKeys } from './app-keys.ts'
import { rankEntries, type PaletteEntry } from './palette-entries.ts'

/** Rows above the results: the field and a rule. */
const HEAD = 2

/** Finds places, things and actions by a few letters. `locate` makes an entry of a pasted locator or address. */
export function Palette(props: {
  entries: readonly PaletteEntry[]
  locate: (text: string) => PaletteEntry | undefined
  onClose: () => void
}) {
  const theme = useTheme()
  const { width, height } = useSize()
  const [query, setQuery] = useState('')
  const [selected, setSelected] = useState(0)
  const shown = useMemo(() => {
    const located = props.locate(query)
    return [...(located ? [located] : []), ...rankEntries(props.entries, query)]
  }, [props, query])
  const index = Math.min(selected, Math.max(0, shown.length - 1))
  const rows = Math.max(1, height - HEAD)
  const last = Math.max(0, shown.length - 1)
  const move = (by: number): void => setSelected(now => Math.max(0, Math.min(last, Math.min(now, last) + by)))
  const choose = (chosen: number): void => {
    const entry = shown[chosen]
    if (!entry) return
    props.onClose()
    entry.choose()
  }
  useBindings(paletteKeys, {
    next: () => move(1),
    previous: () => move(-1),
    pageDown: () => move(rows - 1),
    pageUp: () => move(1 - rows),
  })
  const start = useRef(0)
  start.current = windowStart({ previous: start.current, selected: index, rows, count: shown.length })
  useMouseArea(
    { press: ({ row }) => choose(start.current + row), wheel: notches => move(notches * WHEEL_ROWS) },
    { top: HEAD, height: rows },
  )
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Box paddingLeft={1} height={1}>
        <TextField
          value={query}
          onChange={text => {
            setQuery(text)
            setSelected(0)
          }}
          onSubmit={() => choose(index)}
          onCancel={props.onClose}
          width={width - 2}
          placeholder="a place, a name, an action, or a locator"
        />
      </Box>
      <Text>{theme.paint('border', theme.symbols.lines.horizontal.repeat(width))}</Text>
      {shown.length === 0 && <Text>{theme.paint('muted', ' Nothing fits.')}</Text>}
      {shown.slice(start.current, start.current + rows).map((entry, offset) => (
        <Text key={entry.id} wrap="truncate">
          {entryLine(theme, entry, { width, isSelected: start.current + offset === index })}
        </Text>
      ))}
    </Box>
  )
}

function entryLine(
  theme: Theme,
  entry: PaletteEntry,
  { width, isSelected }: { width: number; isSelected: boolean },
): string {
  const detail = truncate(entry.detail, Math.floor(width / 3))
  // The reason goes before what it would do: that is what is wanted then.
  const [name = ''] = entry.text.split(' · ')
  const text = entry.unavailable === undefined ? entry.text : `${name} (${entry.unavailable})`
  const pointer = isSelected ? theme.symbols.pointer : ' '
  const room = Math.max(0, width - widthOf(detail) - 3)
  const line = `${pointer}${fit(text, room)} `
  if (isSelected) return theme.paint('selected', `${line}${detail} `)
  return theme.paint(entry.unavailable === undefined ? 'plain' : 'muted', line) + theme.paint('key', detail)
}
