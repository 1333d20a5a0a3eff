import { useState } from 'react'
import { unavailable } from '../../tui/keymap/binding.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { sourceKeys } from '../component-keys.ts'
import { OutlineRows, useOutline } from '../viewer/outline.tsx'
import { Viewer } from '../viewer.tsx'
import { useAddressCopy } from './use-address-copy.ts'
import { useMarkdown } from './use-markdown.ts'

/** A Markdown text laid out for reading, or as it is written; headings fold what stands below them. */
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
  return <OutlineRows picture={view.picture} />
}
