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

/** Its rows are other objects with every draw, as where they are put together from several answers. */
function Rows(props: { passed: number }) {
  drawn()
  const rows = [...'abc'].map(id => ({ id, passed: props.passed }))
  const changes = useChanges(rows, { keyOf, columns, arriving: false })
  return <Text>{rows.map(row => (changes.of(row.id) ? '~' : '.')).join('')}</Text>
}

/** Lets React run its effects and draw what timers have set, second by second. */
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

test('rows that are made again and say the same never draw the list by themselves', async () => {
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

test('a change shows for its moment, and its end draws once', async () => {
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

test('where nobody is, the end of a change waits for what wakes the program anyway', async () => {
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
