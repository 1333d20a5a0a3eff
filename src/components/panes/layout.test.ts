import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arrangementOf, paneBoxes, type PaneBox, type PaneShare } from './layout.ts'

const byWeight = (...weights: number[]): PaneShare[] => weights.map(weight => ({ weight }))
const panes = byWeight(3, 3, 5)

/** Draws the boxes, one character for ten columns by four rows; the letter of the focused pane is upper case. */
function draw(options: Parameters<typeof paneBoxes>[0]): string[] {
  const boxes = paneBoxes(options)
  const paneAt = (column: number, row: number): string => {
    const index = boxes.findIndex(box => box !== undefined && holds(box, column, row))
    const letter = 'abcde'[index] ?? '?'
    return index === options.focused ? letter.toUpperCase() : letter
  }
  return Array.from({ length: Math.floor(options.height / 4) }, (_, row) =>
    Array.from({ length: Math.floor(options.width / 10) }, (__, column) => paneAt(column * 10 + 5, row * 4 + 2)).join(
      '',
    ),
  )
}

function holds(box: PaneBox, column: number, row: number): boolean {
  return column >= box.left && column < box.left + box.width && row >= box.top && row < box.top + box.height
}

describe('panes', () => {
  test('show only the focused one at 80×24', () => {
    expect(draw({ width: 80, height: 21, panes, focused: 1 })).toEqual(Array(5).fill('BBBBBBBB'))
  })

  test('are two side by side from 100 columns, and three from 160', () => {
    expect(draw({ width: 120, height: 8, panes, focused: 0 })).toEqual(Array(2).fill('AAAAAAbbbbbb'))
    expect(draw({ width: 120, height: 8, panes, focused: 2 })).toEqual(Array(2).fill('bbbbCCCCCCCC'))
    expect(draw({ width: 200, height: 8, panes, focused: 0 })).toEqual(Array(2).fill('AAAAAbbbbbbccccccccc'))
  })

  test('are above each other if the screen is narrow and tall', () => {
    expect(draw({ width: 60, height: 32, panes, focused: 1 })).toEqual([
      ...Array(4).fill('aaaaaa'),
      ...Array(4).fill('BBBBBB'),
    ])
    expect(draw({ width: 60, height: 44, panes, focused: 0 })).toEqual([
      ...Array(3).fill('AAAAAA'),
      ...Array(3).fill('bbbbbb'),
      ...Array(5).fill('cccccc'),
    ])
  })

  test('show a short list whole above its neighbor even at 80×24, and a longer one on the whole screen', () => {
    const heights = (rows: number | undefined, focused = 0): (number | undefined)[] =>
      paneBoxes({ width: 80, height: 21, focused, panes: panes.map(pane => ({ ...pane, rows })) }).map(
        box => box?.height,
      )
    expect(heights(3)).toEqual([3, 18, undefined])
    expect(heights(9)).toEqual([9, 12, undefined])
    expect(heights(10)).toEqual([21, undefined, undefined])
    expect(heights(undefined)).toEqual([21, undefined, undefined])
    expect(heights(3, 1)).toEqual([undefined, 3, 18])
    expect(heights(3, 2)).toEqual([undefined, undefined, 21])
  })

  test('give a list no more rows than it needs if the screen is tall', () => {
    const heights = (...rows: (number | undefined)[]): (number | undefined)[] =>
      paneBoxes({ width: 60, height: 44, focused: 0, panes: rows.map(most => ({ weight: 1, rows: most })) }).map(
        box => box?.height,
      )
    expect(heights(5, 8, undefined)).toEqual([5, 8, 31])
    expect(heights(30, 30, undefined)).toEqual([14, 15, 15])
    expect(heights(30, undefined)).toEqual([30, 14])
    expect(heights(40, undefined)).toEqual([22, 22])
  })

  test('give a list of sentences the whole width of a tall screen that has no room for three panes', () => {
    const boxes = (width: number, height: number) =>
      paneBoxes({ width, height, focused: 0, isOfSentences: true, panes: [{ weight: 5, rows: 13 }, { weight: 3 }] })
    expect(boxes(120, 37).map(box => [box?.width, box?.height])).toEqual([
      [120, 13],
      [120, 24],
    ])
    expect(boxes(120, 27).map(box => box?.width)).toEqual([75, 45])
    expect(boxes(160, 37).map(box => box?.width)).toEqual([100, 60])
  })

  test('are never side by side in screen reader mode, however long lines may be', () => {
    const whole = (options: { height: number }): string[] =>
      draw({ width: 200, panes, focused: 1, neverBeside: true, ...options })
    expect(whole({ height: 20 })).toEqual(Array(5).fill('B'.repeat(20)))
    expect(whole({ height: 32 })).toEqual([...Array(4).fill('a'.repeat(20)), ...Array(4).fill('B'.repeat(20))])
  })

  test('show only the focused one when zoomed, whatever the size', () => {
    for (const [width, height] of [
      [80, 20],
      [60, 44],
      [200, 48],
    ] as const)
      expect(paneBoxes({ width, height, panes, focused: 2, zoomed: true })).toEqual([
        undefined,
        undefined,
        { top: 0, left: 0, width, height },
      ])
  })

  test('that are visible stay while the focus moves among them', () => {
    expect(draw({ width: 120, height: 4, panes, focused: 2, first: 1 })).toEqual(['bbbbCCCCCCCC'])
    expect(draw({ width: 120, height: 4, panes, focused: 1, first: 0 })).toEqual(['aaaaaaBBBBBB'])
    expect(draw({ width: 120, height: 4, panes, focused: 2, first: 0 })).toEqual(['bbbbCCCCCCCC'])
  })

  test('get the unused width of the others within limits if their names would be cut', () => {
    const widths = (width: number, ...columns: (number | undefined)[]): (number | undefined)[] =>
      paneBoxes({
        width,
        height: 20,
        focused: 0,
        panes: panes.map((pane, index) => ({ ...pane, ...(columns[index] && { needs: () => columns[index]! }) })),
      }).map(box => box?.width)
    expect(widths(200)).toEqual([54, 55, 91])
    expect(widths(200, 60)).toEqual([60, 54, 86])
    expect(widths(200, 999)).toEqual([79, 48, 73])
    expect(widths(200, 72)).toEqual([72, 50, 78])
    // Blank columns of a list are given away before columns that a text could use.
    expect(widths(200, 72, 44)).toEqual([72, 48, 80])
    expect(widths(160, 999)).toEqual([57, 44, 59])
    expect(widths(300, 50, undefined, 300)).toEqual([50, 66, 184])
    expect(widths(200, 999, 10)).toEqual([79, 48, 73])
    expect(widths(120, 65)).toEqual([60, 60, undefined])
    expect(widths(140, 999)).toEqual([80, 60, undefined])
    expect(widths(80, 999)).toEqual([80, undefined, undefined])
  })

  const pane = fc.record({
    weight: fc.integer({ min: 1, max: 9 }),
    needs: fc.option(
      fc.nat(300).map(columns => () => columns),
      { nil: undefined },
    ),
    rows: fc.option(fc.integer({ min: 3, max: 60 }), { nil: undefined }),
  })

  test('tile the area exactly, and include the focused one', () => {
    fc.assert(
      fc.property(
        fc.record({
          width: fc.integer({ min: 20, max: 400 }),
          height: fc.integer({ min: 12, max: 120 }),
          panes: fc.array(pane, { minLength: 1, maxLength: 5 }),
          first: fc.option(fc.nat(4), { nil: undefined }),
          zoomed: fc.boolean(),
        }),
        fc.nat(4),
        (options, at) => {
          const focused = at % options.panes.length
          const boxes = paneBoxes({ ...options, focused })
          expect(boxes[focused]).toBeDefined()
          const shown = boxes.filter(box => box !== undefined)
          expect(shown.length).toBeLessThanOrEqual(options.zoomed ? 1 : Math.max(2, arrangementOf(options).room))
          expect(shown.reduce((sum, box) => sum + box.width * box.height, 0)).toBe(options.width * options.height)
          let end = { top: 0, left: 0 }
          for (const box of shown) {
            expect([box.top, box.left]).toEqual([end.top, end.left])
            end =
              box.width === options.width
                ? { top: end.top + box.height, left: 0 }
                : { top: 0, left: end.left + box.width }
          }
        },
      ),
    )
  })

  test('cut no name while others have blanks, and keep four fifths of their share and 60 or 48 columns', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 400 }),
        fc.array(pane, { minLength: 2, maxLength: 3 }),
        (width, group) => {
          const widths = (those: readonly PaneShare[]): number[] =>
            paneBoxes({ width, height: 20, panes: those, focused: 0 }).flatMap(box => box?.width ?? [])
          const byWeightAlone = widths(group.map(({ weight }) => ({ weight })))
          const shown = group.slice(0, byWeightAlone.length)
          const all = widths(group).map((now, index) => {
            const need = group[index]!.needs?.()
            const before = byWeightAlone[index]!
            const kept = Math.max(shown.length > 2 ? 48 : 60, Math.ceil(before * 0.8))
            const least = Math.min(before, need === undefined ? kept : Math.max(need, 48))
            return { now, before, need, least }
          })
          expect(all.reduce((sum, { now }) => sum + now, 0)).toBe(width)
          for (const { now, before, need = 0, least } of all) {
            expect(now).toBeLessThanOrEqual(Math.max(before, need))
            expect(now).toBeGreaterThanOrEqual(least)
          }
          const isCut = all.some(({ now, need = 0 }) => now < need)
          if (isCut) for (const { now, need = 0, least } of all) expect(now < need || now === least).toBe(true)
        },
      ),
    )
  })
})
