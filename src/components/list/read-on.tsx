import type { ReactNode } from 'react'
import { unavailable } from '../../tui/keymap/binding.ts'
import { useBindings, useKeyName } from '../../tui/keymap/use-bindings.ts'
import { formatCount, plural } from '../../lib/format.ts'
import { BelowNotices } from '../below-notices.tsx'
import { readOnKeys } from './list-keys.ts'

/** A list that is read page by page, up to the limit for reading without a request. */
export type LongList = {
  hasMore: boolean
  isCut: boolean
  isStuck: boolean
  problem: unknown
  /** Total number of rows, if the service returns it. */
  total?: number | undefined
  more: () => void
  readAhead: () => void
}

const STUCK = 'The service returned the same cursor twice, so the rest cannot be read.'

/**
 * Handles the key that continues a list, while its pane is focused.
 * @param options.always whether the key also works before the list has stopped, because it is read only on request
 */
export function useReadOn(pages: LongList, options: { focused: boolean; always?: boolean }): void {
  const { focused, always = false } = options
  const hasStopped = pages.hasMore && (pages.isCut || pages.problem !== undefined)
  const all = unavailable('The whole list is here.')
  const act = pages.isStuck ? unavailable(STUCK) : pages.more
  useBindings(readOnKeys, { more: pages.hasMore ? act : all }, { active: focused && (always || hasStopped) })
}

/** Says how much of a list was read, `20 findings of Swarms`, and which key reads more. */
export function cutLabel({ isStuck }: Pick<LongList, 'isStuck'>, read: string, keyName: string): string {
  return isStuck ? `read ${read}, there is more. ${STUCK}` : `read ${read}, there is more; ${keyName} reads on`
}

/** Returns `100 runs`, or `100 of 20,000 runs` if the service returns the total. */
function readLabel({ total }: Pick<LongList, 'total'>, count: number, noun: string): string {
  return total !== undefined && total > count ? `${formatCount(count)} of ${plural(total, noun)}` : plural(count, noun)
}

/** Shows a list below a line that says how much was read, with the key that reads more. */
export function BelowCut(props: {
  pages: LongList
  count: number
  noun: string
  focused: boolean
  /** The list is read only on request. */
  always?: boolean
  children: ReactNode
}) {
  const { pages, count, noun, focused, always = false } = props
  const key = useKeyName()
  useReadOn(pages, { focused, always })
  const isPart = pages.hasMore && (always || pages.isCut)
  const notices = isPart ? [cutLabel(pages, readLabel(pages, count, noun), key(readOnKeys, 'more'))] : []
  return <BelowNotices notices={notices}>{props.children}</BelowNotices>
}
