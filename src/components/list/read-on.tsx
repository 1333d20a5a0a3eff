import type { ReactNode } from 'react'
import { unavailable } from '../../tui/keymap/binding.ts'
import { useBindings, useKeyName } from '../../tui/keymap/use-bindings.ts'
import { plural } from '../../tui/theme/format.ts'
import { BelowNotices } from '../below-notices.tsx'
import { readOnKeys } from './list-keys.ts'

/** A list that is read page by page, as far as its bounds go without a person. */
export type LongList = {
  hasMore: boolean
  isCut: boolean
  isStuck: boolean
  problem: unknown
  more: () => void
  readAhead: () => void
}

const STUCK = 'The list answered a cursor for the second time, so what follows cannot be read.'

/**
 * The key that reads a list further, while the pane is focused.
 * @param options.always also where the list has not stopped, since it is read on request alone
 */
export function useReadOn(pages: LongList, options: { focused: boolean; always?: boolean }): void {
  const { focused, always = false } = options
  const hasStopped = pages.hasMore && (pages.isCut || pages.problem !== undefined)
  const all = unavailable('All of the list is here.')
  const act = pages.isStuck ? unavailable(STUCK) : pages.more
  useBindings(readOnKeys, { more: pages.hasMore ? act : all }, { active: focused && (always || hasStopped) })
}

/** Why there are no rows, where that may be said: of a list that goes on only what was read of it is known. */
export function noneYet({ hasMore }: Pick<LongList, 'hasMore'>, why: string): string {
  return hasMore ? 'Nothing on the pages that were read; there are more.' : why
}

/** What the list says of a part: how many were read, and which key reads on. */
export function cutLabel({ isStuck }: Pick<LongList, 'isStuck'>, read: string, keyName: string): string {
  return isStuck ? `read ${read}, there is more. ${STUCK}` : `read ${read}, there is more; ${keyName} reads on`
}

/** A list below the line that says how far it was read, with the key that reads it further. */
export function BelowCut(props: {
  pages: LongList
  count: number
  noun: string
  focused: boolean
  /** The list is read on request alone. */
  always?: boolean
  children: ReactNode
}) {
  const { pages, count, noun, focused, always = false } = props
  const key = useKeyName()
  useReadOn(pages, { focused, always })
  const isPart = pages.hasMore && (always || pages.isCut)
  const notices = isPart ? [cutLabel(pages, plural(count, noun), key(readOnKeys, 'more'))] : []
  return <BelowNotices notices={notices}>{props.children}</BelowNotices>
}
