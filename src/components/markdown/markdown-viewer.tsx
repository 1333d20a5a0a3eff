import { useState, useEffect, useMemo, useReducer } from 'react'
import { unavailable } from '../../tui/keymap/binding.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { sourceKeys } from '../component-keys.ts'
import { useOutline } from '../outline.tsx'
import { ScrolledRows } from '../viewer/scrolled-rows.tsx'
import { Viewer } from '../viewer.tsx'
import { useAddressCopy } from './use-address-copy.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { OutlineNode } from '../viewer/outline-tree.ts'
import { markdown } from './document.ts'

/** Characters that are parsed before the first frame, and between two keys. */
const FIRST = 200_000

const SLICE = 500_000

/** Shows a Markdown text laid out for reading, or as source; headings fold what is below them. */
export function MarkdownViewer(props: { text: string; focused: boolean }) {
  const [isSource, setSource] = useState(false)
  const toggle = (): void => setSource(!isSource)
  return isSource ? <Source {...props} onToggle={toggle} /> : <Rendered {...props} onToggle={toggle} />
}

type Shown = { text: string; focused: boolean; onToggle: () => void }

function Source({ text, focused, onToggle }: Shown) {
  useBindings(
    sourceKeys,
    { source: onToggle, copyAddress: unavailable('Addresses are copied from the rendered text.') },
    { active: focused },
  )
  return <Viewer lines={text} focused={focused} />
}

function Rendered({ text, focused, onToggle }: Shown) {
  const roots = useMarkdown(text)
  const view = useOutline({ roots, focused, copyAll: () => text, whole: 'the whole as it is written' })
  const copyAddress = useAddressCopy(view.here?.line)
  useBindings(sourceKeys, { source: onToggle, copyAddress }, { active: focused })
  return <ScrolledRows {...view.picture} />
}

/** Returns the parts of a Markdown text: the beginning at once, the rest as soon as it was parsed between keys. */
function useMarkdown(text: string): readonly OutlineNode[] {
  const { symbols } = useTheme()
  const document = useMemo(() => {
    const begun = markdown(text, symbols)
    begun.scan(FIRST)
    return begun
  }, [text, symbols])
  const [read, countRead] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    if (document.isDone) return undefined
    let next = setImmediate(function work() {
      document.scan(SLICE)
      if (document.isDone) countRead()
      else next = setImmediate(work)
    })
    return () => clearImmediate(next)
  }, [document])
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- `read` says that there are more roots
  return useMemo(() => document.roots(), [document, read])
}
