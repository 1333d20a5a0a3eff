import {
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  parseAllDocuments,
  visit,
  type Document,
  type Node,
  type Scalar,
} from 'yaml'
import { BOUNDS } from '../bounds.ts'
import { exactNumber, numberProblem } from '../json.ts'
import { printable } from '../printable.ts'
import { createPlaces, type TextPlace } from '../text-place.ts'
import { offsetOf } from './yaml-places.ts'

/** One thing that is wrong in a text, or in another file that the text names. */
export type TextProblem = TextPlace & { message: string; file?: string }
/** The parsed value, or everything that is wrong with the text. */
export type Read<T> = { ok: true; value: T } | { ok: false; problems: readonly TextProblem[] }
/** One document of a text: its value, and the position of each part. */
export type YamlDocument = {
  value: unknown
  at: (path: readonly PropertyKey[], onKey?: boolean) => TextPlace
  /** Returns how a part came from a row of a table: what was written, and the row's number, counted from 1. */
  origin?: (path: readonly PropertyKey[]) => RowOrigin | undefined
}
export type RowOrigin = { path: readonly PropertyKey[]; row: number; rows: number }

/** Maximum length of text in bytes. A hundred of the largest cases that a service accepts need less. */
export const MAX_TEXT_BYTES = BOUNDS.editedText.most
/** Maximum expansion by aliases. They are for a few shared steps, not for turning a short text into a huge one. */
const MAX_ALIASES = 100
/** Maximum number of aliases in a document. For each, the parser searches all nodes before it. */
const MOST_ALIASES = 1000
/** Maximum nesting, far deeper than any case, and far below the parser's own limit. */
const MAX_DEPTH = BOUNDS.editedLevels.most
/** Maximum number of reported faults. A text with more is probably not meant to be this kind of document. */
export const MOST_PROBLEMS = 100
const NEWLINE = 0x0a

/**
 * Decodes bytes as text. Binary data, other encodings and text that is too long are refused, with the line where the
 * problem starts.
 */
export function readText(bytes: Uint8Array): Read<string> {
  if (bytes.length > MAX_TEXT_BYTES)
    return refused(
      bytes,
      MAX_TEXT_BYTES,
      `The text is longer than ${MAX_TEXT_BYTES / 1024 / 1024} MiB; the rest from here on is too much.`,
    )
  const zero = bytes.indexOf(0)
  if (zero >= 0) return refused(bytes, zero, 'This is binary data, not text.')
  try {
    return { ok: true, value: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return refused(bytes, firstBroken(bytes), 'This is not UTF-8.')
  }
}

function refused(bytes: Uint8Array, offset: number, message: string): Read<never> {
  let line = 1
  let start = 0
  for (let at = bytes.indexOf(NEWLINE); at >= 0 && at < offset; at = bytes.indexOf(NEWLINE, at + 1)) {
    line += 1
    start = at + 1
  }
  return { ok: false, problems: [{ line, column: offset - start + 1, message }] }
}

/** Returns the offset of the first bytes that are not UTF-8, found by the replacement character of lenient decoding. */
function firstBroken(bytes: Uint8Array): number {
  const lenient = new TextDecoder('utf-8').decode(bytes)
  for (let at = lenient.indexOf('\uFFFD'); at >= 0; at = lenient.indexOf('\uFFFD', at + 1)) {
    const offset = Buffer.byteLength(lenient.slice(0, at))
    // A replacement character that was written on purpose is encoded as these three bytes.
    if (!(bytes[offset] === 0xef && bytes[offset + 1] === 0xbf && bytes[offset + 2] === 0xbd)) return offset
  }
  return bytes.length
}

export type YamlOptions = {
  /** Whether integers beyond 2^53 become bigints, as in {@link parseWritten}; otherwise they are refused. */
  keepsLong?: boolean
}

/**
 * Parses the documents of a YAML text. Only what JSON can express is accepted: tags, keys that are not strings, numbers
 * that JSON does not have, duplicate keys and too many aliases are refused with their line. Empty documents are left
 * out.
 */
export function readYaml(text: string, options: YamlOptions = {}): Read<readonly YamlDocument[]> {
  const placeAt = createPlaces(text)
  const problemAt = (offset: number, message: string): TextProblem => ({
    ...placeAt(offset),
    message: printable(message),
  })
  const failed = (problems: readonly TextProblem[]): Read<never> => ({ ok: false, problems })
  const deep = depthProblem(text)
  if (deep !== undefined) return failed([problemAt(deep, `This is nested deeper than ${MAX_DEPTH} levels.`)])
  try {
    const parsed = parseAllDocuments(text, {
      prettyErrors: false,
      logLevel: 'silent',
      stringKeys: false,
      // The parser would compare each key with all before it, which `oddities` does not.
      uniqueKeys: false,
    })
    const documents = 'empty' in parsed ? [] : parsed
    const broken = documents.flatMap(document => [
      ...[...document.errors, ...document.warnings]
        // Every tag is refused below, whether it is known or not.
        .filter(({ code }) => code !== 'TAG_RESOLVE_FAILED')
        .map(({ pos, message }) => ({ offset: pos[0], message: parserWords(message) })),
      ...oddities(document, options),
    ])
    if (broken.length > 0)
      return failed(broken.slice(0, MOST_PROBLEMS).map(({ offset, message }) => problemAt(offset, message)))
    return {
      ok: true,
      value: documents
        .filter(({ contents }) => contents !== null && !(isScalar(contents) && contents.value === null))
        .map(document => ({
          value: document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown,
          at: (path, onKey = false) => placeAt(offsetOf(document.contents, path, onKey)),
        })),
    }
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    const alias = /alias/i.test(words) ? text.search(/\*[^\s,\]}]/) : 0
    return failed([problemAt(Math.max(0, alias), parserWords(words))])
  }
}

function parserWords(words: string): string {
  return `This cannot be read as YAML: ${words.trim().replace(/\.$/, '')}.`
}

/** Returns the offset where brackets or indentation are nested too deeply. The parser's stack would overflow there. */
function depthProblem(text: string): number | undefined {
  let depth = 0
  const dashes = /(?:- ){65}/.exec(text)
  if (dashes) return dashes.index
  for (const { 0: bracket, index } of text.matchAll(/[[{\]}]/g)) {
    depth = bracket === '[' || bracket === '{' ? depth + 1 : Math.max(0, depth - 1)
    // Brackets inside strings count too, so this limit is far above the real one.
    if (depth > 16 * MAX_DEPTH) return index
  }
  return undefined
}

/** Finds what YAML can express and JSON cannot. */
function oddities(document: Document, { keepsLong }: YamlOptions): { offset: number; message: string }[] {
  const found: { offset: number; message: string }[] = []
  /** The latest node of each anchor so far, to which an alias refers. */
  const anchored = new Map<string, Node>()
  let aliases = 0
  const say = (node: unknown, message: string): void => {
    found.push({ offset: (isNode(node) ? node.range?.[0] : undefined) ?? 0, message })
  }
  visit(document, {
    Node(key, node, path) {
      if (found.length >= MOST_PROBLEMS) return visit.BREAK
      if ('anchor' in node && node.anchor !== undefined) anchored.set(node.anchor, node)
      for (const twin of twinKeys(node)) say(twin, `The name ${String(twin.value)} is here twice.`)
      if (isCollection(node) && path.filter(isCollection).length >= MAX_DEPTH) {
        say(node, `This is nested deeper than ${MAX_DEPTH} levels.`)
        return visit.BREAK
      }
      if ('tag' in node && node.tag !== undefined && !isAlias(node))
        say(node, `The tag ${node.tag} is not taken; write the value as it is.`)
      if (isAlias(node) && (aliases += 1) > MOST_ALIASES) {
        say(node, `There are more than ${MOST_ALIASES} aliases; write out what they stand for.`)
        return visit.BREAK
      }
      if (isAlias(node) && path.includes(anchored.get(node.source)!))
        say(node, `The block ${node.source} holds itself.`)
      if (key === 'key' && !(isScalar(node) && typeof node.value === 'string'))
        say(node, 'A name in front of a colon must be a text; put it in quotes.')
      const problem = key === 'key' ? undefined : numberProblemOf(node, keepsLong)
      if (problem) say(node, `This number ${problem}.`)
      return undefined
    },
  })
  return found
}

/** Returns why a number differs from what was written. With `keepsLong`, a long integer becomes a bigint instead. */
function numberProblemOf(node: unknown, keepsLong = false): string | undefined {
  if (!isScalar(node) || typeof node.value !== 'number') return undefined
  if (keepsLong) node.value = exactNumber(node.value, node.source)
  return typeof node.value === 'number' ? numberProblem(node.value, node.source ?? '') : undefined
}

/** Returns keys that occur earlier in the same block. */
function twinKeys(node: unknown): Scalar[] {
  if (!isMap(node)) return []
  const seen = new Set<unknown>()
  return node.items.flatMap(({ key }) => {
    if (!isScalar(key)) return []
    if (seen.has(key.value)) return [key]
    seen.add(key.value)
    return []
  })
}
