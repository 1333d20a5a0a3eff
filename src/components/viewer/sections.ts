import type { OutlineNode } from './outline-tree.ts'
import type { Line } from './source.ts'

/** A heading with parts below it, unfolded. */
export function section(id: string, title: string, children: () => OutlineNode[]): OutlineNode {
  return { id, head: { text: title, tone: 'accent' }, children, isFlat: true, open: true }
}

/** A heading with lines below it, unfolded. */
export function lineSection(id: string, title: string, lines: readonly Line[]): OutlineNode {
  const body = linesNode(id, lines).body!
  return { id, head: { text: title, tone: 'accent' }, body, isFlat: true, open: true }
}

/** Lines by themselves. */
export function linesNode(id: string, lines: readonly Line[]): OutlineNode {
  return { id, body: () => ({ count: lines.length, at: index => lines[index] ?? '' }) }
}
