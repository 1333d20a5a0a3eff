import { Text } from 'ink'
import { render } from 'ink-testing-library'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { gatherNews } from '../../lib/clock.ts'
import type { Column } from './columns.ts'
import { useChanges } from './use-changes.ts'
import { reactSettled } from '../../tui/keymap/react-settled.ts'

type Row = { id: string; passed: number }

const columns: readonly Column<Row>[] = [{ id: 'passed', title: 'Passed', width: 6, cell: row => String(row.passed) }]
const keyOf = (row: Row): string => row.id

const drawn = vi.fn<() => void>()

/** Creates new row objects with every render, as a list does that combines several answers. */
function Rows(props: { passed: number }) {
  drawn()
  const rows = [...'abc'].map(id => ({ id, passed: props.passed }))
  const changes = useChanges(rows, { keyOf, columns, arriving: false })
  return <Text>{rows.map(row => (changes.of(row.id) ? '~' : '.')).join('')}</Text>
}

/** Lets React run its effects and render after timers, second by second. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    await reactSettled()
    await vi.advanceTimersByTimeAsync(1000)
  }
  await reactSettled()
}

beforeEach(() => {
  drawn.mockClear()
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
})
afterEach(() => void vi.useRealTimers())

test('rows that are rebuilt with the same content do not render the list again', async () => {
  const { rerender, unmount } = render(<Rows passed={1} />)
  for (let poll = 0; poll < 5; poll += 1) {
    rerender(<Rows passed={1} />)
    await pass(1)
  }
  const before = drawn.mock.calls.length
  await pass(60)
  expect(drawn.mock.calls.length).toBe(before)
  unmount()
})

test('a change is shown for a moment, and its end renders once', async () => {
  const { rerender, lastFrame, unmount } = render(<Rows passed={1} />)
  rerender(<Rows passed={2} />)
  await reactSettled()
  expect(lastFrame()).toBe('~~~')
  const before = drawn.mock.calls.length
  await pass(60)
  expect(lastFrame()).toBe('...')
  expect(drawn.mock.calls.length).toBe(before + 1)
  unmount()
})

test('while nobody is there, the end of a change waits for the next wake of the program', async () => {
  gatherNews(100)
  onTestFinished(() => gatherNews(0))
  const { rerender, lastFrame, unmount } = render(<Rows passed={1} />)
  rerender(<Rows passed={2} />)
  const before = drawn.mock.calls.length
  await pass(29)
  expect(lastFrame()).toBe('~~~')
  await pass(22)
  expect(lastFrame()).toBe('...')
  expect(drawn.mock.calls.length).toBe(before + 1)
  unmount()
})
