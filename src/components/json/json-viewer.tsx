import { Box, Text } from 'ink'
import { useMemo, useRef, useState } from 'react'
import { useBindings } from '../../app/keymap/use-bindings.ts'
import { clean, truncate } from '../../app/theme/text.ts'
import { useTheme } from '../../app/theme/theme-context.tsx'
import type { Theme } from '../../app/theme/theme.ts'
import { useCopy } from '../copy.tsx'
import { windowStart } from '../list/selection.ts'
import { useMouseArea, WHEEL_ROWS } from '../mouse-areas.tsx'
import { useOverlays } from '../overlays.tsx'
import { useSize } from '../size.tsx'
import { isFolded, revealed, toggled, type Folding } from './folding.ts'
import { jsonKeys, jsonOverlayKeys } from './json-keys.ts'
import { JsonSearchLine, useJsonSearch } from './json-search.tsx'
import { foldable, jsonRows, openDepth, valueAt, type JsonRow } from './json-tree.ts'

const WIDTH = 100

/** JSON whose values can be folded; it opens as deep as it stays short. */
export function JsonViewer(props: { value: unknown; focused: boolean }) {
  const { value } = props
  const theme = useTheme()
  const size = useSize()
  const { width } = size
  const [folding, setFolding] = useState<Folding>(() => ({
    all: true,
    except: new Set(foldable(value, openDepth(value) - 1)),
  }))
  const rows = useMemo(() => jsonRows(value, path => isFolded(folding, path)), [value, folding])
  const [chosen, setChosen] = useState(0)
  const last = rows.length - 1
  const index = Math.min(chosen, last)
  const move = (by: number): void => setChosen(now => Math.max(0, Math.min(last, Math.min(now, last) + by)))
  const show = (path: string): void => {
    const next = revealed(folding, path)
    setFolding(next)
    setChosen(jsonRows(value, other => isFolded(next, other)).findIndex(row => row.path === path))
  }
  const search = useJsonSearch({ value, focused: props.focused, show })
  const height = Math.max(1, size.height - (search.shows ? 1 : 0))
  const start = useRef(0)
  start.current = windowStart({ previous: start.current, selected: index, rows: height, count: rows.length })
  const copy = useCopy()
  const copyValue = (item: unknown): void => copy(JSON.stringify(item, null, 2), 'Copied the JSON.')
  const fold = (): void => {
    const row = rows[index]
    if (row?.folded === undefined && row?.text.match(/^[\]}]/) === null) return
    setFolding(toggled(folding, row!.path))
    setChosen(rows.findIndex(candidate => candidate.path === row!.path))
  }
  const foldEvery = (all: boolean): void => {
    // The whole stays open, or nothing would be left to look at.
    setFolding({ all, except: new Set(all ? [''] : []) })
    setChosen(0)
  }
  const page = Math.max(1, height - 1)
  useMouseArea({
    press: ({ row }) => setChosen(Math.min(last, start.current + row)),
    wheel: notches => move(notches * WHEEL_ROWS),
  })
  useBindings(
    jsonKeys,
    {
      down: () => move(1),
      up: () => move(-1),
      pageDown: () => move(page),
      pageUp: () => move(-page),
      first: () => setChosen(0),
      last: () => setChosen(last),
      fold,
      foldAll: () => foldEvery(true),
      unfoldAll: () => foldEvery(false),
      search: search.ask,
      copy: () => copyValue(valueAt(value, rows[index]!.path)),
      copyAll: () => copyValue(value),
    },
    { active: props.focused },
  )
  return (
    <Box flexDirection="column" width={width} height={size.height}>
      {rows.slice(start.current, start.current + height).map((row, offset) => (
        <Text key={offset} wrap="truncate">
          {rowText(theme, row, { width, isChosen: start.current + offset === index })}
        </Text>
      ))}
      {search.shows && <JsonSearchLine search={search} />}
    </Box>
  )
}

function rowText(theme: Theme, row: JsonRow, look: { width: number; isChosen: boolean }): string {
  const { symbols } = theme
  const sign = row.folded === undefined ? ' ' : row.folded ? symbols.folded : symbols.unfolded
  const text = truncate(clean(`${'  '.repeat(row.depth)}${sign} ${row.text}`), Math.max(0, look.width - 1))
  if (look.isChosen) return theme.paint('selected', symbols.pointer + text)
  return ` ${theme.paint(row.folded ? 'muted' : 'plain', text)}`
}

/** Shows a value as JSON above the page until it is closed. */
export function useJsonOverlay(): (title: string, value: unknown) => void {
  const overlays = useOverlays()
  return (title, value) => {
    const close = overlays.open({
      title: clean(title),
      size: available => ({ width: Math.min(WIDTH, available.width), height: available.height }),
      content: <JsonOverlay value={value} onClose={() => close()} />,
    })
  }
}

function JsonOverlay(props: { value: unknown; onClose: () => void }) {
  useBindings(jsonOverlayKeys, { close: props.onClose })
  return <JsonViewer value={props.value} focused />
}
