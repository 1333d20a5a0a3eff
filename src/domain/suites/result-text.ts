import { isPlainObject } from '../../api/contract/shapes.ts'

/** Returns the text blocks of an MCP result, in order. A trial without a model uses them as its final text. */
export function textOfResult({ content }: { content?: unknown }): string {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : []
  const texts = blocks.flatMap(block =>
    isPlainObject(block) && block['type'] === 'text' && typeof block['text'] === 'string' ? [block['text']] : [],
  )
  return texts.join('\n')
}
