import type { OutlineNode } from './outline-tree.ts'
import type { Line } from './source.ts'

/** Returns an unfolded heading with parts below it. */
export function section(id: string, title: string, children: () => OutlineNode[]): OutlineNode {
  return { id, head: { text: title, tone: 'accent' }, children, isFlat: true, open: true }
}

/** Returns an unfolded heading with lines below it. */
export function lineSection(id: string, title: string, lines: readonly Line[]): OutlineNode {
  const body = linesNode(id, lines).body!
  return { id, head: { text: title, tone: 'accent' }, body, isFlat: true, open: true }
}

/** Returns a node of lines without a heading. */
export function linesNode(id: string, lines: readonly Line[]): OutlineNode {
  return { id, body: () => ({ count: lines.length, at: index => lines[index] ?? '' }) }
}
