import { useRef } from 'react'
import { unavailable, type KeyHandler, type Unavailable } from '../../tui/keymap/binding.ts'
import { clean, truncate } from '../../tui/theme/text.ts'
import { useCopy } from '../copy.tsx'
import type { Line } from '../viewer/source.ts'

/** Columns of an address in the message about copying it. */
const TOLD = 60

/** Copies the address of the link in a line; pressed again, that of the next link there. */
export function useAddressCopy(line: Line | undefined): KeyHandler | Unavailable {
  const copy = useCopy()
  const turn = useRef<{ line: Line | undefined; next: number }>({ line: undefined, next: 0 })
  const links = typeof line === 'object' && 'block' in line ? (line.links?.() ?? []) : []
  if (links.length === 0) return unavailable('There is no link at this line.')
  return () => {
    // Each access creates a new line object, so lines are compared by their text.
    const isSame = turn.current.line !== undefined && sameText(turn.current.line, line)
    const index = isSame ? turn.current.next % links.length : 0
    turn.current = { line, next: index + 1 }
    const address = links[index]!
    const which = links.length > 1 ? ` (${index + 1} of ${links.length})` : ''
    copy(address, `Copied ${truncate(clean(address), TOLD)}${which}.`)
  }
}

function sameText(one: Line, other: Line | undefined): boolean {
  if (typeof one !== 'object' || typeof other !== 'object') return false
  return 'block' in one && 'block' in other && one.text() === other.text()
}
