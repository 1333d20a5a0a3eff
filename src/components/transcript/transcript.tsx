import { useMemo, useState } from 'react'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { sourceKeys } from '../component-keys.ts'
import { restNodes, type Field } from '../lines.ts'
import { useAddressCopy } from '../markdown/use-address-copy.ts'
import type { OutlineNode } from '../viewer/outline-tree.ts'
import { useOutline } from '../outline.tsx'
import { ScrolledRows } from '../viewer/scrolled-rows.tsx'
import { section } from '../viewer/sections.ts'
import { transcriptNodes } from './transcript-nodes.ts'
import type { TranscriptRow } from './transcript-rows.ts'

const NO_FIELDS: readonly Field[] = []

/** Shows a conversation: messages with their text laid out, tool calls with arguments and results folded. */
export function Transcript(props: {
  rows: readonly TranscriptRow[]
  focused: boolean
  /** Nodes above the messages, which then have a heading. */
  before?: readonly OutlineNode[]
  /** Ids and other fields of the conversation, folded below it. */
  rest?: readonly Field[]
}) {
  const { rows, focused, before, rest = NO_FIELDS } = props
  const { symbols } = useTheme()
  const [isRendered, setRendered] = useState(true)
  const messages = useMemo(() => transcriptNodes(rows, { symbols, rendered: isRendered }), [rows, symbols, isRendered])
  const roots = useMemo(
    () => [...(before ? [...before, section('messages', 'Messages', () => messages)] : messages), ...restNodes(rest)],
    [messages, before, rest],
  )
  const view = useOutline({
    roots,
    focused,
    copyAll: () => messages.map(message => message.copy?.() ?? '').join('\n\n'),
    whole: 'the conversation',
  })
  const copyAddress = useAddressCopy(view.here?.line)
  useBindings(sourceKeys, { source: () => setRendered(!isRendered), copyAddress }, { active: focused })
  return <ScrolledRows {...view.picture} />
}
