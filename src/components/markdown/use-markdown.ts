import { useEffect, useMemo, useReducer } from 'react'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { OutlineNode } from '../viewer/outline-tree.ts'
import { markdown } from './document.ts'

/** Characters that are read before the first frame, and between two keys. */
const FIRST = 200_000
const SLICE = 500_000

/** The parts of a Markdown text: the beginning at once, the whole as soon as it was read between keys. */
export function useMarkdown(text: string): readonly OutlineNode[] {
  const { symbols } = useTheme()
  const document = useMemo(() => {
    const begun = markdown(text, symbols)
    begun.scan(FIRST)
    return begun
  }, [text, symbols])
  const [read, tellRead] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    if (document.isDone) return undefined
    let next = setImmediate(function work() {
      document.scan(SLICE)
      if (document.isDone) tellRead()
      else next = setImmediate(work)
    })
    return () => clearImmediate(next)
  }, [document])
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- `read` says that there are more roots
  return useMemo(() => document.roots(), [document, read])
}
