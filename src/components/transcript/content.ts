import { clean } from '../../tui/theme/text.ts'
import type { Symbols } from '../../tui/theme/theme.ts'
import { jsonNode, openDepth } from '../json/json-tree.ts'
import { markdown } from '../markdown/document.ts'
import type { BlockReader } from '../markdown/lexer.ts'
import type { OutlineNode } from '../viewer/outline-tree.ts'
import { textSource } from '../viewer/source.ts'
import { isPlainObject, parseInner, type JsonObject } from '../../lib/json.ts'
import { binaryOf, blobOf } from './binary-content.ts'
import { mediaNode } from './media.ts'

/** How Markdown text is shown, the symbols for its layout, and its parser if there is no thread. */
export type ContentLook = { symbols: Symbols; rendered: boolean; reader?: BlockReader }

/**
 * Maximum length of Markdown within a document; longer text is shown as source. A separate Markdown text of any length
 * is laid out.
 */
export const MOST_MARKDOWN = 2_000_000
/** Maximum length of JSON text that is laid out; longer text is shown as received. */
const MOST_JSON = 500_000
const MOST_WORDS = 300

/**
 * Returns text as parts of a document: Markdown and JSON laid out, everything else line by line. JSON is copied as
 * received.
 */
export function textNodes(text: string, format: 'markdown' | 'plain', id: string, look: ContentLook): OutlineNode[] {
  const json = format === 'plain' && look.rendered ? jsonIn(text) : undefined
  if (json) return [{ ...jsonNode(json, { id, open: openDepth(json) }), copy: () => text }]
  if (format === 'plain' || !look.rendered || text.length > MOST_MARKDOWN)
    return [{ id, body: () => textSource(text), copy: () => text }]
  const document = markdown(text, look.symbols, id, look.reader)
  document.scan(Infinity)
  return [...document.roots()]
}

/** Parses a text as an object or list. Returns undefined for other texts, and for texts over the limit. */
function jsonIn(text: string): object | undefined {
  if (text.length > MOST_JSON || !/^\s*[[{]/.test(text)) return undefined
  try {
    return parseInner(text) as object
  } catch {
    return undefined
  }
}

/** Whether a media type, or the file name in an address, says that a text is Markdown. */
export function isMarkdown(mimeType: unknown, uri?: unknown): boolean {
  if (typeof mimeType === 'string' && mimeType !== '') {
    const [type = ''] = mimeType.split(';')
    if (/^text\/(?:x-)?markdown$/i.test(type.trim())) return true
    // Servers that declare everything as plain text still have file names.
    if (!/^text\/plain$/i.test(type.trim())) return false
  }
  return typeof uri === 'string' && /\.(?:md|markdown|mdx)(?:[?#].*)?$/i.test(uri)
}

/** Returns MCP content blocks: text as text, pictures drawn, sounds as type and size, everything else as JSON. */
export function contentNodes(blocks: readonly unknown[], id: string, look: ContentLook): OutlineNode[] {
  if (blocks.length === 0) return [note(`${id}/none`, 'none')]
  return blocks.flatMap((block, index) => blockNodes(block, `${id}/${index}`, look))
}

export function blockNodes(block: unknown, id: string, look: ContentLook): OutlineNode[] {
  if (typeof block === 'string') return textNodes(block, 'plain', id, look)
  if (!isPlainObject(block)) return [jsonNode(block, { id, open: 2 })]
  const { type, text, mimeType, resource } = block
  if (type === 'text' && typeof text === 'string')
    return textNodes(text, isMarkdown(mimeType) ? 'markdown' : 'plain', id, look)
  const binary = type === 'resource' ? undefined : binaryOf(block)
  if (binary) return [mediaNode(id, block, binary)]
  if (type === 'resource' && isPlainObject(resource)) return resourceNodes(resource, id, look)
  if (type === 'resource_link' && typeof block['uri'] === 'string') {
    const { uri, name } = block
    const words = typeof name === 'string' ? ` ${name}` : ''
    return [{ ...note(id, shortened(`link to ${uri}${words}`)), copy: () => clean(uri), raw: () => block }]
  }
  return [jsonNode(block, { id, open: 2 })]
}

/** Returns the contents of a resource: its address, then the text, or type and size of other content. */
export function resourceNodes(content: JsonObject, id: string, look: ContentLook): OutlineNode[] {
  const { uri, mimeType, text } = content
  const address: OutlineNode[] =
    typeof uri === 'string' ? [{ ...note(`${id}/uri`, shortened(uri)), copy: () => clean(uri) }] : []
  if (typeof text === 'string')
    return [...address, ...textNodes(text, isMarkdown(mimeType, uri) ? 'markdown' : 'plain', id, look)]
  const binary = blobOf(content)
  if (binary) return [...address, mediaNode(id, content, binary)]
  return [...address, jsonNode(content, { id, open: 2 })]
}

/** Returns a node of one line. */
function note(id: string, text: string): OutlineNode {
  return { id, head: { text, tone: 'accent' } }
}

function shortened(text: string): string {
  return text.length <= MOST_WORDS ? text : `${text.slice(0, MOST_WORDS)}… ${text.length - MOST_WORDS} more characters`
}
