import { useState } from 'react'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { plural } from '../../lib/format.ts'
import { selectionKeys } from '../component-keys.ts'
import { useCopy } from '../copy.tsx'
import { copyText, type LineSource } from './source.ts'

export type LineSelection = {
  isOn: boolean
  /** The line that moving changes. */
  to: number
  holds(line: number): boolean
  begin(line: number): void
  /** Moves the end of the selection to this line, or to the nearest one that exists. */
  move(line: number): void
}

/** Selects lines for copying, from the start line to the current one. */
export function useLineSelection(options: {
  source: LineSource
  focused: boolean
  show: (line: number) => void
}): LineSelection {
  const { source, show } = options
  const [range, setRange] = useState<{ from: number; to: number }>()
  const copy = useCopiedLines(source)
  const [first, last] = range ? [Math.min(range.from, range.to), Math.max(range.from, range.to)] : [0, -1]
  useBindings(
    selectionKeys,
    {
      copy() {
        if (range) copy(first, last)
        setRange(undefined)
      },
      cancel: () => setRange(undefined),
    },
    { active: options.focused && range !== undefined },
  )
  return {
    isOn: range !== undefined,
    to: range?.to ?? 0,
    holds: line => line >= first && line <= last,
    begin: line => setRange({ from: line, to: line }),
    move(wanted) {
      const line = Math.max(0, Math.min(source.count - 1, wanted))
      setRange(now => now && { ...now, to: line })
      show(line)
    },
  }
}

/** Copies lines, including both ends. */
export function useCopiedLines(source: LineSource): (from: number, to: number) => void {
  const copy = useCopy()
  return (from, to) => {
    const lines = Array.from({ length: to - from + 1 }, (_, offset) => copyText(source.at(from + offset)))
    copy(lines.join('\n'), `Copied ${plural(lines.length, 'line')}.`, 'text')
  }
}
