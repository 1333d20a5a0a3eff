import { describe, expect, test } from 'vitest'
import type { Column } from './columns.ts'
import { createTexts, parseFilter, search } from './filter.ts'

type Row = { name: string; state: string; address: string }
const columns: Column<Row>[] = [
  { id: 'name', title: 'Server', width: 10, cell: row => row.name },
  { id: 'latest', title: 'Last run', width: 10, cell: row => row.state },
  { id: 'address', title: 'Address', width: 'flex', cell: row => row.address },
]
const rows: Row[] = [
  { name: 'alpha', state: 'failed', address: 'http://one' },
  { name: 'beta', state: 'passed', address: 'http://two failed' },
  { name: 'gamma ray', state: 'failed', address: 'stdio' },
]

/** Runs a search to its end and returns the result. */
function found<Item extends object>(items: readonly Item[], columns: readonly Column<Item>[], filter: string) {
  const steps = search(items, parseFilter(filter, columns), createTexts(columns))
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

function find(filter: string): string[] {
  return found(rows, columns, filter).items.map(row => row.name)
}

describe('a filter of a list', () => {
  test.each([
    ['', ['alpha', 'beta', 'gamma ray']],
    ['failed', ['alpha', 'beta', 'gamma ray']],
    ['!failed', []],
    ['!stdio', ['alpha', 'beta']],
    ['last-run:failed', ['alpha', 'gamma ray']],
    ['latest:failed', ['alpha', 'gamma ray']],
    ['la:FAILED', ['alpha', 'gamma ray']],
    ['!last-run:failed', ['beta']],
    ['last-run:failed !server:alpha', ['gamma ray']],
    ['last-run:failed amm', ['gamma ray']],
    ['last-run:', ['alpha', 'beta', 'gamma ray']],
    ['gamma ray', ['gamma ray']],
    ['stdio gamma', ['gamma ray']],
    ['gara', ['gamma ray']],
    ['gmry', []],
    ['gr', ['gamma ray']],
    ['amr', []],
    ['http://two', ['beta']],
  ])('“%s” finds %j', (filter, names) => {
    expect(find(filter)).toEqual(names)
    expect(parseFilter(filter, columns).problem).toBeUndefined()
  })

  test('finds every name with these letters in order, however many, and selects the best match', () => {
    const names = [...Array.from({ length: 30 }, (_, row) => `gamma ${row} x ray`), 'gamma ray']
    const { items, best } = found(
      names.map(name => ({ name, state: '', address: '' })),
      columns,
      'gara',
    )
    expect(items).toHaveLength(names.length)
    expect(best?.name).toBe('gamma ray')
  })

  test('names the columns if one is unknown, and then searches for the text as typed', () => {
    const { problem, words } = parseFilter('colour:red', columns)
    expect(problem).toBe('There is no column “colour”; there are server, last-run, address.')
    expect(words).toBe('colour:red')
  })
})
