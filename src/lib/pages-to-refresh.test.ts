import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { pagesToRefresh } from './pages-to-refresh.ts'

/** Creates pages that were read in order. */
function pagesOf(states: readonly boolean[]) {
  return states.map((isOpen, index) => ({ index, isOpen, readAt: index }))
}

type Page = ReturnType<typeof pagesOf>[number]

/** Runs one round: returns the chosen pages, and the list after it with new objects for the pages that were read. */
function round(pages: readonly Page[], most: number) {
  const chosen = pagesToRefresh(pages, { isOpen: page => page.isOpen, readAt: page => page.readAt, most })
  let last = Math.max(-1, ...pages.map(({ readAt }) => readAt))
  const after = pages.map(page => (chosen.has(page) ? { ...page, readAt: (last += 1) } : page))
  return { chosen: [...chosen].map(({ index }) => index), after }
}

test('a round reads only open pages, up to its limit, and all of them if the limit allows', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean()), fc.integer({ min: 1, max: 9 }), (states, most) => {
      const { chosen } = round(pagesOf(states), most)
      const open = states.flatMap((isOpen, index) => (isOpen ? [index] : []))
      expect(chosen.every(index => open.includes(index))).toBe(true)
      expect(chosen).toHaveLength(Math.min(most, open.length))
    }),
  )
})

test('every open page gets its turn, and the first ones are read every time', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 9 }), (count, most) => {
      let pages: readonly Page[] = pagesOf(Array<boolean>(count).fill(true))
      const read = new Set<number>()
      for (let rounds = 0; rounds < count; rounds += 1) {
        const { chosen, after } = round(pages, most)
        const always = Math.min(count, Math.floor((most * 3) / 4))
        expect(chosen).toEqual(expect.arrayContaining(Array.from({ length: always }, (_, index) => index)))
        for (const index of chosen) read.add(index)
        pages = after
      }
      expect(read.size).toBe(count)
    }),
  )
})
