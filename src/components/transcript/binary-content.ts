import type { BinaryContent } from '../viewer/outline-tree.ts'

/** Bytes in the contents of a result, and the server's word for them: image, audio, blob. */
export type BinaryBlock = BinaryContent & { kind: string }

/** Returns the bytes in an MCP content block, if it has any: of an image, a sound, or a resource with a blob. */
export function binaryOf(block: unknown): BinaryBlock | undefined {
  if (typeof block !== 'object' || block === null) return undefined
  const { type, data, mimeType, resource } = block as Record<string, unknown>
  if ((type === 'image' || type === 'audio') && typeof data === 'string')
    return { kind: type, data, mimeType: textOf(mimeType) }
  return type === 'resource' ? blobOf(resource) : undefined
}

/** Returns the bytes of a resource. */
export function blobOf(resource: unknown): BinaryBlock | undefined {
  if (typeof resource !== 'object' || resource === null) return undefined
  const { blob, mimeType, uri } = resource as Record<string, unknown>
  if (typeof blob !== 'string') return undefined
  return { kind: 'blob', data: blob, mimeType: textOf(mimeType), name: textOf(uri) }
}

export function byteLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding)
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
