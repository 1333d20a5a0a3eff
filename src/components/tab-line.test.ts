import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shownTabs, written } from './tab-line.tsx'

const screens = ['1 Now', '2 Projects', '3 Servers', '4 Runs', '5 Findings', '6 Scenarios', '7 Swarms', '8 Notebook']

test('all tabs are shown if they fit, and move close together before any is left out', () => {
  expect(shownTabs(screens, 0, 120)).toEqual({ first: 0, end: 8, gap: 1 })
  expect(shownTabs(screens, 0, 80)).toEqual({ first: 0, end: 8, gap: -1 })
  expect(shownTabs(screens, 0, 86)).toEqual({ first: 0, end: 8, gap: 0 })
})

test.each([80, 86, 120])('the current tab has a blank on both sides at %i columns', width => {
  for (const [index, title] of screens.entries()) {
    const shown = shownTabs(screens, index, width)
    const line = ` ${written(screens, index, shown).join(' '.repeat(Math.abs(shown.gap)))} `
    expect(line).toContain(` [${title}] `)
    expect(line.trimEnd().length).toBeLessThanOrEqual(width)
  }
})

test('the current tab is shown, with those before it', () => {
  expect(shownTabs(screens, 0, 60)).toEqual({ first: 0, end: 5, gap: 0 })
  expect(shownTabs(screens, 7, 60)).toEqual({ first: 3, end: 8, gap: 0 })
})

test('whatever the titles and the width, the current tab is shown and the tabs fit', () => {
  const titles = fc.array(fc.string({ maxLength: 12, unit: 'grapheme-ascii' }), { minLength: 1, maxLength: 9 })
  fc.assert(
    fc.property(titles, fc.nat(), fc.integer({ min: 16, max: 90 }), (all, at, width) => {
      const current = at % all.length
      const { first, end, gap } = shownTabs(all, current, width)
      expect(first <= current && current < end).toBe(true)
      const used = all.slice(first, end).reduce((sum, title) => sum + title.length + 2, 0)
      const margins = end - first === all.length ? 1 : 2
      expect(used + gap * (end - first - 1) + margins).toBeLessThanOrEqual(width)
    }),
  )
})
