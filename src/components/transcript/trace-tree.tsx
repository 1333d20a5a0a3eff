import { jsonText } from '../../lib/printable.ts'
import { useMemo, useState } from 'react'
import { unavailable, type KeyHandler, type Unavailable } from '../../tui/keymap/binding.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { sourceKeys } from '../component-keys.ts'
import { useJsonOverlay } from '../json/json-viewer.tsx'
import { useAddressCopy } from '../markdown/use-address-copy.ts'
import type { OutlineNode } from '../viewer/outline-tree.ts'
import { useSize } from '../size.tsx'
import { useOutline } from '../outline.tsx'
import { ScrolledRows } from '../viewer/scrolled-rows.tsx'
import { section } from '../viewer/sections.ts'
import { traceKeys } from './trace-keys.ts'
import { axisHead, barColumns, isError, traceNodes, trailsOf, type Trace, type TraceNode } from './trace-nodes.ts'
import { transcriptNodes } from './transcript-nodes.ts'

const STEPS = 'steps'

/** Shows a trace as a tree with a time bar for each part, then its conversation. */
export function TraceTree(props: {
  trace: Trace
  focused: boolean
  /** Nodes above the tree. */
  before?: readonly OutlineNode[]
  /** Nodes between the tree and the conversation. */
  after?: readonly OutlineNode[]
}) {
  const { trace, focused, before, after } = props
  const { symbols } = useTheme()
  const [isRendered, setRendered] = useState(true)
  const { width } = useSize()
  const bar = barColumns(width)
  const roots = useMemo(
    () => traceRoots({ trace, before, after }, { symbols, rendered: isRendered, bar }),
    [trace, before, after, symbols, isRendered, bar],
  )
  const trails = useMemo(() => trailsOf(trace, { id: STEPS, up: undefined }), [trace])
  const view = useOutline({ roots, focused, copyAll: () => jsonText(trace.raw, 2), whole: 'the trace as JSON' })
  const openJson = useJsonOverlay()
  const copyAddress = useAddressCopy(view.here?.line)
  const errors = useMemo(() => indexesOf(trails, isError), [trails])
  const calls = useMemo(() => indexesOf(trails, node => node.call !== undefined), [trails])
  const jump = (by: 1 | -1, found: readonly number[], none: string): KeyHandler | Unavailable => {
    if (found.length === 0) return unavailable(none)
    return () => {
      const here = view.here?.node.id ?? ''
      const at = trails.findLastIndex(({ node }) => here === node.id || here.startsWith(`${node.id}/`))
      const next = by > 0 ? found.find(index => index > at) : found.findLast(index => index < at)
      const { trail } = trails[next ?? found.at(by > 0 ? 0 : -1)!]!
      view.show({ trail, part: 'head', offset: 0 })
    }
  }
  useBindings(
    traceKeys,
    {
      nextError: jump(1, errors, 'Nothing in this trace went wrong.'),
      previousError: jump(-1, errors, 'Nothing in this trace went wrong.'),
      nextCall: jump(1, calls, 'No tool was called.'),
      previousCall: jump(-1, calls, 'No tool was called.'),
      raw() {
        const raw = view.here?.node.raw
        if (raw) openJson('As recorded', raw())
        else openJson('Trace as recorded', trace.raw)
      },
    },
    { active: focused },
  )
  useBindings(sourceKeys, { source: () => setRendered(!isRendered), copyAddress }, { active: focused })
  return <ScrolledRows {...view.picture} />
}

function indexesOf(trails: ReturnType<typeof trailsOf>, wanted: (node: TraceNode) => boolean): number[] {
  return trails.flatMap(({ node }, index) => (wanted(node) ? [index] : []))
}

function traceRoots(
  {
    trace,
    before = [],
    after = [],
  }: { trace: Trace; before: readonly OutlineNode[] | undefined; after: readonly OutlineNode[] | undefined },
  look: Parameters<typeof traceNodes>[1],
): OutlineNode[] {
  const { messages } = trace
  return [
    ...before,
    ...(trace.nodes.length === 0 ? [] : [stepsOf(trace, look)]),
    ...after,
    ...(messages.length === 0
      ? []
      : [section('conversation', `Messages ${messages.length}`, () => transcriptNodes(messages, look))]),
  ]
}

function stepsOf(trace: Trace, look: Parameters<typeof traceNodes>[1]): OutlineNode {
  const title = 'Steps'
  return { ...section(STEPS, title, () => traceNodes(trace, look)), head: axisHead(title, trace, look) }
}
