import { existsSync } from 'node:fs'
import { join, parse, resolve } from 'node:path'
import { binaryOf, byteLength, type BinaryBlock } from '../../components/transcript/binary-content.ts'
import { writeUnlessThere } from '../../lib/files/write-unless-there.ts'
import { isSameJson } from '../../domain/json/same-json.ts'
import { parseExact } from '../../lib/json.ts'
import { clean, jsonText } from '../../lib/printable.ts'
import { isSameType, mediaTypeOf } from '../../lib/untrusted/media-type.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { say } from '../output/prose.ts'

/** Where the bytes of a result are written; `force` replaces an existing file. */
export type FileOptions = { output?: string; force?: boolean }

/** Refuses an existing file before anything is sent. @throws UsageError */
export function checkOutput({ output, force = false }: FileOptions): void {
  const file = output === undefined ? undefined : resolve(output)
  if (file !== undefined && !force && existsSync(file)) throw isThere(file)
}

/**
 * Writes the pictures, sounds and files of a result, readable only by their owner, if requested.
 * @returns whether everything requested was written
 * @throws UsageError naming the file that was not written
 */
export async function writeBinaries(contents: readonly unknown[], { output, force }: FileOptions): Promise<boolean> {
  if (output === undefined) return true
  const binaries = contents.flatMap(content => binaryOf(content) ?? [])
  if (binaries.length === 0) say('Nothing was written: no picture, sound or file came back.')
  for (const [index, binary] of binaries.entries()) {
    const file = numbered(resolve(output), index)
    const refusal = writeUnlessThere(file, Buffer.from(binary.data, 'base64'), force ?? false)
    if (refusal === 'exists') throw isThere(file)
    if (refusal) throw new UsageError(`${file} was not written: ${refusal.reason}.`)
    const { mime } = await mediaTypeOf(binary.data)
    const isOther = mime !== undefined && !isSameType(mime, binary.mimeType ?? '')
    say(`Wrote ${file}: ${clean(factsOf(binary))}${isOther ? `, by its bytes ${mime}` : ''}.`)
  }
  return binaries.length > 0
}

function isThere(file: string): UsageError {
  return new UsageError(`${file} already exists; --force replaces it.`)
}

/** Returns names such as `logo.png`, `logo-2.png`. */
function numbered(file: string, index: number): string {
  const { dir, name, ext } = parse(file)
  return index === 0 ? file : join(dir, `${name}-${index + 1}${ext}`)
}

function factsOf({ kind, mimeType, name, data }: BinaryBlock): string {
  return [kind, mimeType, name, `${byteLength(data)} bytes`].filter(fact => fact !== undefined).join(' ')
}

/** Returns a piece of content as text; other content is described by its type and size. */
export function contentText(content: object): string {
  const { type, text, uri, resource } = content as Record<string, unknown>
  if (typeof text === 'string') return text
  const binary = binaryOf(content)
  if (binary) return `[${factsOf(binary)}]`
  if (typeof resource === 'object' && resource !== null) return contentText({ ...resource, type })
  if (type === 'resource_link') return linkText(content)
  return `[${[type ?? 'content', uri].filter(fact => typeof fact === 'string').join(' ')}]`
}

/** Describes a link by its title, else its name, and the server's description of the target. */
function linkText(link: object): string {
  const { uri, name, title, mimeType, size, description } = link as Record<string, unknown>
  const bytes = typeof size === 'number' ? `${size} bytes` : undefined
  const facts = [title ?? name, mimeType, bytes, description].filter(fact => typeof fact === 'string' && fact !== '')
  return `[resource_link ${String(uri)}${facts.length > 0 ? `: ${facts.join(', ')}` : ''}]`
}

/** Returns structured content unless a text of the result already says the same; undefined if there is none. */
export function structuredText(contents: readonly string[], structured: unknown): string | undefined {
  if (structured === undefined) return undefined
  return contents.some(text => isSameJson(jsonOf(text), structured)) ? undefined : jsonText(structured, 2)
}

function jsonOf(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    return undefined
  }
}
