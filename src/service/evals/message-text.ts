import { isPlainObject } from '../core/canonical.ts'

/** What a message says: plain text, or the text parts of one that has several. */
export function messageText(content: unknown): string {
  if (typeof content === 'string') return content
  const parts = Array.isArray(content) ? (content as unknown[]) : []
  return parts
    .flatMap(part => (isPlainObject(part) && typeof part['text'] === 'string' ? [part['text']] : []))
    .join('\n')
}
