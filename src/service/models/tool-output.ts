import { isPlainObject } from '../../api/contract/shapes.ts'

export type ToolOutput = { type: 'text' | 'error-text'; value: string }

/**
 * Converts an MCP result to text, because not every endpoint accepts other content. Binary data is replaced by its type
 * and size.
 */
export function toToolOutput(result: Record<string, unknown>): ToolOutput {
  const { content, structuredContent, isError } = result
  const texts = Array.isArray(content) ? content.map(describe) : []
  const isEmpty = texts.every(text => text === '')
  const value = isEmpty && structuredContent !== undefined ? asJson(structuredContent) : texts.join('\n')
  return { type: isError === true ? 'error-text' : 'text', value }
}

function describe(block: unknown): string {
  if (!isPlainObject(block)) return asJson(block)
  const { type, text, data, mimeType, resource } = block
  if (type === 'text' && typeof text === 'string') return text
  if (typeof data === 'string') return binary(mimeType, data)
  if (isPlainObject(resource)) {
    if (typeof resource['text'] === 'string') return resource['text']
    if (typeof resource['blob'] === 'string') return binary(resource['mimeType'], resource['blob'])
  }
  return asJson(block)
}

function binary(mimeType: unknown, base64: string): string {
  const kind = typeof mimeType === 'string' ? mimeType : 'binary data'
  return `[${kind}, ${Buffer.byteLength(base64, 'base64')} bytes]`
}

function asJson(value: unknown): string {
  return JSON.stringify(value) ?? ''
}
