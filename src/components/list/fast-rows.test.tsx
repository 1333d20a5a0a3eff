import { render } from 'ink-testing-library'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createDispatcher, type Dispatcher } from '../../tui/keymap/dispatcher.ts'
import { KeymapProvider } from '../../tui/keymap/keymap-context.tsx'
import type { Region } from '../../tui/terminal/region.ts'
import { createTheme } from '../../tui/theme/theme.ts'
import { ThemeProvider } from '../../tui/theme/theme-context.tsx'
import { OverlaysProvider } from '../overlays.tsx'
import { SizeProvider } from '../size.tsx'
import { createToasts, ToastsProvider } from '../toasts.tsx'
import type { Column } from './columns.ts'
import { List } from './list.tsx'
import { RegionsProvider } from '../regions.tsx'
import { useList } from './use-list.ts'
import { reactSettled } from '../../tui/keymap/react-settled.ts'

type Row = { id: string; runs: number }
const columns: readonly Column<Row>[] = [
  { id: 'id', title: 'Id', width: 'flex', cell: row => row.id },
  { id: 'runs', title: 'Runs', width: 7, align: 'right', cell: row => String(row.runs), count: row => row.runs },
]
const keyOf = (row: Row): string => row.id
const many: readonly Row[] = Array.from({ length: 10_000 }, (_, index) => ({ id: `row-${index}`, runs: 5 }))
const theme = createTheme({ level: 0, ascii: false })
const toasts = createToasts()
const SIZE = { width: 60, height: 11 }

let dispatcher: Dispatcher
let painted: readonly string[]
let composed: number
let show: (items: readonly Row[]) => void
let frame: () => string
let unmount: () => void

/** A screen that records the rows that are painted without Ink. */
const regions = {
  region: (): Region => ({
    paint: lines => {
      painted = lines
    },
    move: () => undefined,
    hide: () => undefined,
    close: () => undefined,
  }),
  asks: false,
  caret: () => () => undefined,
  control: () => undefined,
  onReply: () => undefined,
  onEnter: () => undefined,
  quiet: () => undefined,
}

function Rows(props: { items: readonly Row[] }) {
  const list = useList({ items: props.items, keyOf, columns: counting })
  return <List list={list} focused empty="none" />
}

/** The columns with a count of how often a row is composed. */
const counting: readonly Column<Row>[] = columns.map(column => ({
  ...column,
  cell: (row: Row) => {
    composed += 1
    return column.cell(row)
  },
}))

function tree(items: readonly Row[]) {
  return (
    <ThemeProvider theme={theme}>
      <KeymapProvider dispatcher={dispatcher} feed={() => undefined}>
        <OverlaysProvider>
          <RegionsProvider regions={regions}>
            <SizeProvider {...SIZE}>
              <ToastsProvider toasts={toasts}>
                <Rows items={items} />
              </ToastsProvider>
            </SizeProvider>
          </RegionsProvider>
        </OverlaysProvider>
      </KeymapProvider>
    </ThemeProvider>
  )
}

const press = async (...names: string[]): Promise<void> => {
  await dispatcher.press(names.map(name => ({ name, sequence: name })))
  await reactSettled()
}

beforeEach(async () => {
  composed = 0
  painted = []
  dispatcher = createDispatcher({ settle: reactSettled, report: () => undefined })
  const instance = render(tree(many))
  show = items => instance.rerender(tree(items))
  frame = () => instance.lastFrame() ?? ''
  unmount = instance.unmount
  await press('j', 'k')
})
afterEach(() => unmount())

test('a mark is painted at once without Ink, and stays while the selection moves', async () => {
  await press('space')
  expect(painted[0]).toMatch(/^◈row-0 .*◆$/)
  await press('j', 'j')
  expect(painted[0]).toMatch(/^◆row-0 .*◆$/)
  expect(painted[2]).toMatch(/^▌row-2 .* $/)
})

test('a row that changed in an answer is painted without Ink, with how much its count grew', async () => {
  await press('j')
  show(many.map((row, index) => (index === 3 ? { ...row, runs: 7 } : row)))
  await reactSettled()
  expect(painted[3]).toMatch(/^ row-3 .*\+2 7 ~$/)
  expect(painted[4]).toMatch(/^ row-4 .*5  $/)
})

test('a key, a mark and an answer compose only the visible ones of 10,000 rows', async () => {
  composed = 0
  await press('j', 'space', 'k')
  expect(composed).toBeLessThan(150)
  composed = 0
  show(many.map((row, index) => (index === 5000 ? { ...row, runs: 9 } : row)))
  await reactSettled()
  expect(composed).toBeLessThan(150)
})

test('while 20,000 rows are filtered, keys are handled and matches are shown', async () => {
  // Time passes only while cells are read, 0.05 ms for each.
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => composed / 20)
  show([...many, ...many.map((row, index) => ({ ...row, id: `row-1${String(index).padStart(4, '0')}` }))])
  await press('/')
  composed = 0
  await press('-')
  await press('9')
  expect(frame()).toMatch(/\/-9 *\n.*\n▌row-9 /)
  expect(composed).toBeLessThan(20_000)
  const isLooking = (): boolean => composed < 2 * 20_000
  while (isLooking()) await reactSettled()
  await press('9', '9', '9')
  expect(frame()).toMatch(/\/-9999 *\n.*\n▌row-9999 /)
  // Each row has two cells, and the rows that were drawn compose theirs again.
  expect(composed).toBeLessThan(2 * 20_000 + 1_000)
  clock.mockRestore()
})
