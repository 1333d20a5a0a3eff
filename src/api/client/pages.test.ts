import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contract } from '../contract/contract.ts'
import { LIST_BOUNDS, pagesOf, type ListBounds } from './pages.ts'

type Page = { items: { id: string; name: string; enabled: boolean; transportType: string }[]; nextCursor?: string }
const list = contract.servers.list

/** Reads a list whose pages each have a new cursor, and returns what was read and how it ended. */
async function walk(
  pageAt: (nth: number) => Page['items'],
  options: { count?: number; bounds?: ListBounds; size?: number },
) {
  const { count = Infinity, bounds, size = 10 } = options
  let nth = 0
  const read = { pages: 0, items: 0, code: undefined as string | undefined }
  const fetchPage = () => {
    nth += 1
    const items = pageAt(nth)
    return Promise.resolve({ value: { items, ...(nth < count && { nextCursor: `c${nth}` }) }, size })
  }
  try {
    for await (const page of pagesOf(list, { projectId: 'p' }, fetchPage as never, bounds)) {
      read.pages += 1
      read.items += (page as Page).items.length
    }
  } catch (error) {
    read.code = (error as { code?: string }).code
  }
  return { ...read, fetched: nth }
}

const item = (id: string) => ({ id, name: id, enabled: true, transportType: 'http' })

test('an endless list is read up to the limits, and says that there is more', async () => {
  const endless = await walk(nth => [item(`i${nth}`)], {})
  expect(endless).toEqual({
    pages: LIST_BOUNDS.pages,
    items: LIST_BOUNDS.pages,
    code: 'endless-list',
    fetched: LIST_BOUNDS.pages,
  })
  const wide = await walk(nth => Array.from({ length: 7_000 }, (_, at) => item(`${nth}-${at}`)), {})
  expect(wide).toMatchObject({ items: 21_000, code: 'endless-list' })
  const large = await walk(nth => [item(`i${nth}`)], { size: LIST_BOUNDS.text / 2 })
  expect(large).toMatchObject({ pages: 2, code: 'endless-list' })
})

test('pages without new items end the list, whatever their cursors say', async () => {
  for (const pageAt of [() => [], () => [item('same')]])
    expect(await walk(pageAt, {})).toMatchObject({ code: 'repeated-cursor' })
  expect((await walk(() => [], {})).pages).toBe(LIST_BOUNDS.idlePages)
})

test('a list within the limits or exactly at one is read completely', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }), async (count, most) => {
      const bounds = { pages: most, items: Infinity, text: Infinity }
      const read = await walk(nth => [item(`i${nth}`)], { count, bounds })
      expect(read).toEqual(
        count <= most
          ? { pages: count, items: count, code: undefined, fetched: count }
          : { pages: most, items: most, code: 'endless-list', fetched: most },
      )
    }),
  )
})
