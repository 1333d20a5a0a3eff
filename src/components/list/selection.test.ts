import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSelection, windowStart } from './selection.ts'

describe('the selection', () => {
  test('stays on its row while rows change around it', () => {
    const selection = createSelection()
    selection.setKeys(['a', 'b', 'c'])
    selection.move(1)
    selection.setKeys(['new', 'a', 'b', 'c'])
    expect([selection.key(), selection.index()]).toEqual(['b', 2])
  })

  test('is the first row until the person selects one', () => {
    const selection = createSelection()
    selection.setKeys(['a', 'b'])
    selection.setKeys(['failing', 'a', 'b'])
    expect(selection.key()).toBe('failing')
    selection.to(0)
    selection.setKeys(['worse', 'failing', 'a', 'b'])
    expect(selection.key()).toBe('failing')
  })

  test('follows the last row while that is selected, and otherwise stays on its row', () => {
    const selection = createSelection(undefined, true)
    selection.setKeys(['a', 'b'])
    expect(selection.key()).toBe('b')
    selection.setKeys(['b', 'c', 'd'])
    expect([selection.key(), selection.index()]).toEqual(['d', 2])
    selection.move(-1)
    selection.setKeys(['c', 'd', 'e'])
    expect(selection.key()).toBe('c')
    selection.to(2)
    selection.hold(true)
    selection.setKeys(['d', 'e', 'f'])
    expect(selection.key()).toBe('e')
  })

  test('moves to the nearest row if the selected one is removed', () => {
    const selection = createSelection()
    selection.setKeys(['a', 'b', 'c'])
    selection.to(2)
    selection.setKeys(['a', 'b'])
    expect(selection.key()).toBe('b')
  })

  test('does not move while the selected row is held, and moves to the nearest one when it is released', () => {
    const selection = createSelection()
    selection.setKeys(['a', 'b', 'c'])
    selection.to(1)
    selection.hold(true)
    selection.setKeys(['a', 'c'])
    expect([selection.key(), selection.index(), selection.isMissed()]).toEqual([undefined, -1, true])
    selection.setKeys(['a', 'b', 'c'])
    expect([selection.key(), selection.isMissed()]).toEqual(['b', false])
    selection.setKeys(['a', 'c'])
    selection.hold(false)
    expect([selection.key(), selection.isMissed()]).toEqual(['c', false])
  })

  test('never leaves a held row, whatever the rows become', () => {
    const rows = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'))
    fc.assert(
      fc.property(fc.array(rows, { maxLength: 8 }), changes => {
        const selection = createSelection()
        selection.setKeys(['a', 'b', 'c', 'd'])
        selection.to(2)
        selection.hold(true)
        for (const keys of changes) {
          selection.setKeys(keys)
          expect(selection.key()).toBe(keys.includes('c') ? 'c' : undefined)
        }
      }),
    )
  })

  test('waits for a row that has not appeared yet', () => {
    const selection = createSelection()
    selection.setKeys(['a', 'b'])
    selection.select('new')
    selection.setKeys(['a', 'b', 'c'])
    expect(selection.key()).toBe('a')
    selection.setKeys(['new', 'a', 'b', 'c'])
    expect(selection.key()).toBe('new')
  })

  test('stops waiting for a row when the person moves', () => {
    const selection = createSelection('later')
    selection.setKeys(['a', 'b'])
    selection.move(1)
    selection.setKeys(['later', 'a', 'b'])
    expect(selection.key()).toBe('b')
  })

  test('always points to an existing row', () => {
    const action = fc.oneof(
      fc.record({ keys: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e')) }),
      fc.record({ move: fc.integer({ min: -9, max: 9 }) }),
      fc.record({ select: fc.constantFrom('a', 'c', 'z') }),
    )
    fc.assert(
      fc.property(fc.array(action), actions => {
        const selection = createSelection()
        let keys: string[] = []
        for (const step of actions) {
          if ('keys' in step) selection.setKeys((keys = step.keys))
          else if ('move' in step) selection.move(step.move)
          else selection.select(step.select)
          if (keys.length > 0) expect(keys[selection.index()]).toBe(selection.key())
          else expect(selection.key()).toBeUndefined()
        }
      }),
    )
  })
})

test('the window always contains the selected row and never leaves the list', () => {
  fc.assert(
    fc.property(
      fc.nat(500),
      fc.nat(500),
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 1, max: 500 }),
      (previous, at, rows, count) => {
        const selected = at % count
        const start = windowStart({ previous, selected, rows, count })
        expect(start).toBeGreaterThanOrEqual(0)
        expect(selected).toBeGreaterThanOrEqual(start)
        expect(selected).toBeLessThan(start + rows)
        expect(start).toBeLessThanOrEqual(Math.max(0, count - rows))
      },
    ),
  )
})

test('the rows of another list start at the first one', () => {
  const selection = createSelection()
  selection.setKeys(['a', 'b', 'c'])
  selection.to(2)
  selection.restart()
  selection.setKeys(['d', 'e', 'f'])
  expect([selection.index(), selection.key()]).toEqual([0, 'd'])
})
