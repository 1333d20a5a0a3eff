import { useEffect, useMemo, useRef, useState } from 'react'
import { yieldToInput } from '../../lib/yield-to-input.ts'
import type { Column } from './columns.ts'
import { createTexts, type Found, parseFilter, search } from './filter.ts'

/** Maximum time of one part of a search, in milliseconds. */
const SLICE_MS = 5
/** Minimum number of rows in the first part, however slow the machine is, so that short lists do not show a search. */
const FIRST_ROWS = 300

/** The result of a search; partial while the search runs. */
type Picture<Item> = Found<Item> & { isWhole: boolean }

/** Runs a search part by part. */
function createSlices<Item>(steps: ReturnType<typeof search<Item>>) {
  let certain: readonly Item[] = []
  let found: Found<Item> | undefined
  return {
    next(leastRows = 1): void {
      const end = performance.now() + SLICE_MS
      for (let row = 1; !found; row += 1) {
        const { done, value } = steps.next()
        if (done) found = value
        else certain = value
        if (row >= leastRows && performance.now() > end) return
      }
    },
    isWhole: () => found !== undefined,
    certain: () => certain.length,
    picture: (): Picture<Item> =>
      found ? { ...found, isWhole: true } : { items: [...certain], best: certain[0], isWhole: false },
  }
}

/**
 * Returns the rows that match a filter. In a long list they are found in parts, so that keys are handled in between;
 * for the next answer the filter keeps its result until the new rows are searched.
 */
export function useFilter<Item extends object>(items: readonly Item[], columns: readonly Column<Item>[], text: string) {
  const isFiltering = text !== ''
  const textOf = useMemo(() => (isFiltering ? createTexts(columns) : undefined), [columns, isFiltering])
  const parsed = useMemo(() => parseFilter(text, columns), [text, columns])
  const begun = useMemo(() => {
    if (!textOf) return undefined
    const slices = createSlices(search(items, parsed, textOf))
    slices.next(FIRST_ROWS)
    return { slices, first: slices.picture() }
  }, [items, parsed, textOf])
  const [later, setLater] = useState<{ of: typeof begun; picture: Picture<Item> }>()
  useEffect(() => {
    if (!begun) return undefined
    const { slices, first } = begun
    let isOver = first.isWhole
    const goOn = async (): Promise<void> => {
      for (let drawn = first.items.length; ;) {
        await yieldToInput()
        if (isOver) return
        slices.next()
        isOver = slices.isWhole()
        // Drawing takes longer than searching, so the result is drawn again only once it has twice as many rows.
        if (!isOver && slices.certain() <= 2 * drawn) continue
        drawn = slices.certain()
        setLater({ of: begun, picture: slices.picture() })
      }
    }
    goOn().catch((error: unknown) =>
      setLater(() => {
        throw error
      }),
    )
    return () => {
      isOver = true
    }
  }, [begun])
  const now = later?.of === begun ? later?.picture : begun?.first
  const whole = useRef<{ text: string; picture: Picture<Item> }>(undefined)
  if (!now || now.isWhole) whole.current = now && { text, picture: now }
  const before = whole.current?.text === text ? whole.current.picture : undefined
  const picture = now && !now.isWhole && before && sharesRow(before.items, items) ? before : now
  return {
    shown: picture?.items ?? items,
    best: picture?.best,
    problem: parsed.problem,
    isSearching: picture !== undefined && !picture.isWhole,
  }
}

/** Whether any row is also one of the items, so that both are answers of the same list. */
function sharesRow<Item>(rows: readonly Item[], items: readonly Item[]): boolean {
  const known = new Set(rows)
  return items.some(item => known.has(item))
}
