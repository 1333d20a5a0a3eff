import { createHash } from 'node:crypto'
import { BOUNDS } from '../../lib/bounds.ts'
import { isLongNumber } from '../../lib/json.ts'
import { jsonText, printable } from '../../lib/printable.ts'
import {
  cleanStart,
  REDACTION_REACH,
  redactedFrom,
  redactedValue,
  withoutSecrets,
  type Own,
} from '../../lib/redaction/redaction.ts'
import { UsageError } from '../arguments/usage-error.ts'

/** Maximum bytes of the JSON of what one answer quotes: the answer has it twice, and stays below 25,000 tokens. */
const MOST = BOUNDS.mcpAnswer.most
/** Maximum number of places that an answer names as cut. */
const MOST_PLACES = 20
/** Maximum number of characters of a name of a field, and of a place that an answer names. */
const LONGEST_PLACE = 200
/** Number of characters with which a cursor tells one item from others. */
const MARK_LENGTH = 16
/** Bytes of JSON around a name and its value. */
const AROUND = 4

/** How long texts and lists may be, most generous first: a record is cut no more than it must be. */
const LEVELS = [
  { text: 8_000, entries: 400 },
  { text: 2_000, entries: 100 },
  { text: 600, entries: 40 },
  { text: 200, entries: 15 },
  { text: 80, entries: 5 },
] as const

/** Something from outside, fit to be quoted. `cut` has the JSON pointers of what is not whole. */
export type Quoted = { data: unknown; cut: readonly string[] }

/** An address that mcpdeck wrote itself: only secrets are removed from it, so that it still leads to its place. */
export class OwnAddress {
  readonly #text: string
  constructor(text: string) {
    this.#text = text
  }
  get text(): string {
    return this.#text
  }
}

/**
 * Makes a value from outside safe for a model, and small enough for one answer: secrets, addresses and home directories
 * are removed, unprintable characters become visible, and long texts and lists are cut.
 */
export function quoted(value: unknown, own: Own, most = MOST): Quoted {
  for (const level of LEVELS) {
    const found = walked(value, own, level, most)
    if (found && sizeOf(found.data) <= most) return found
  }
  const empty = typeof value === 'object' && value !== null ? {} : null
  return { data: Array.isArray(value) ? [] : empty, cut: [''] }
}

/** Quotes facts of which none may be left out: if they are too large together, each has its share. */
export function quotedFacts(facts: Readonly<Record<string, unknown>>, own: Own, most: number): Quoted {
  const whole = quoted(facts, own, most)
  const entries = Object.entries(facts)
  if (Object.keys(Object(whole.data)).length === entries.length) return whole
  const cut: string[] = []
  const data: Record<string, unknown> = {}
  let left = most
  for (const [at, [name, value]] of entries.entries()) {
    const found = quoted(value, own, Math.floor(left / (entries.length - at)) - AROUND - name.length)
    data[name] = found.data
    left -= sizeOf({ [name]: found.data })
    cut.push(...found.cut.map(path => `/${name}${path}`))
  }
  return { data, cut: fewPlaces(cut) }
}

/** Returns as many places as an answer names; the empty pointer, the whole, stands for those that are left out. */
function fewPlaces(places: readonly string[]): string[] {
  return places.length <= MOST_PLACES ? [...places] : [...places.slice(0, MOST_PLACES - 1), '']
}

/** Returns a quoted value; undefined if it takes too much at this level. */
function walked(value: unknown, own: Own, level: (typeof LEVELS)[number], most: number): Quoted | undefined {
  const cut = new Set<string>()
  const isLast = level === LEVELS.at(-1)
  let spent = 0
  const note = (path: string): void => {
    // A place that is too long to be named is named by what it is in.
    let place = path
    while (place.length > LONGEST_PLACE) place = place.slice(0, place.lastIndexOf('/'))
    cut.add(place)
  }
  const text = (whole: string, path: string, name: string): string => {
    const safe = safeText(whole, own, level.text, name)
    spent += sizeOf(safe.text)
    if (safe.isWhole) return safe.text
    note(path)
    return `${safe.text}…`
  }
  const within = (inner: unknown, path: string, name: string): unknown => {
    if (inner instanceof OwnAddress) {
      const address = printable(withoutSecrets(inner.text, own.known))
      spent += sizeOf(address)
      return address
    }
    if (typeof inner === 'string') return text(inner, path, name)
    if (typeof inner !== 'object' || inner === null || isLongNumber(inner)) return inner
    const kept: [string, unknown][] = []
    let isWhole = true
    for (const { key, shown, isCut } of fieldsOf(inner, own)) {
      // Beyond the limit the rest is not read: the next level begins.
      isWhole = kept.length < level.entries && !(isLast && spent > most / 2) && spent <= most
      if (!isWhole) break
      const label = Array.isArray(inner) ? name : key
      const place = `${path}/${pointerPart(shown)}`
      if (isCut) note(place)
      spent += AROUND + (Array.isArray(inner) ? 0 : sizeOf(shown))
      kept.push([shown, within((inner as Record<string, unknown>)[key], place, label)])
    }
    if (!isWhole) note(path)
    return Array.isArray(inner) ? kept.map(([, each]) => each) : Object.fromEntries(kept)
  }
  const data = within(value, '', '')
  return spent > most ? undefined : { data, cut: fewPlaces([...cut]) }
}

/** A field of a value from outside: `shown` is its name as answers and pointers have it, once in each object. */
type Field = { key: string; shown: string; isCut: boolean }

function* fieldsOf(value: object, own: Own): Generator<Field, void> {
  if (Array.isArray(value)) {
    for (const key of value.keys()) yield { key: String(key), shown: String(key), isCut: false }
    return
  }
  const taken = new Set<string>()
  for (const key of Object.keys(value)) {
    const { text, isWhole } = safeText(key, own, LONGEST_PLACE)
    let shown = text
    for (let twin = 2; taken.has(shown); twin += 1) shown = `${text} (${twin})`
    taken.add(shown)
    yield { key, shown, isCut: !isWhole }
  }
}

/** Returns the beginning of a text from outside, cleaned; secrets are recognized before the text is cut. */
function safeText(text: string, own: Own, most: number, name = ''): { text: string; isWhole: boolean } {
  const field = NAMING.test(name) ? 'id' : name
  const safe = cleanStart(text, most + 1, part => redactedValue(part, own, field), REDACTION_REACH)
  const isWhole = safe.length <= most && text.length <= most + REDACTION_REACH
  return { text: printable(safe.slice(0, most).toWellFormed()), isWhole }
}

/** Matches names of fields that identify a record, in which text that looks random is no secret. */
const NAMING = /(?:Ids?|caseKey|[tT]rial)$/

/** Returns a message of mcpdeck that may contain words from outside, cleaned and on as few lines as it has. */
export function safeMessage(text: string, own: Own): string {
  return safeText(text, own, 2_000).text
}

/** Returns the bytes of a value as JSON. */
function sizeOf(value: unknown): number {
  return Buffer.byteLength(jsonText(value))
}

function pointerPart(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

/**
 * Returns the value at a JSON pointer, such as `/cases/3/prompt`. Names of fields count as answers show them.
 * @throws UsageError if there is none
 */
export function atPointer(value: unknown, pointer: string, own: Own): unknown {
  if (pointer === '') return value
  if (!pointer.startsWith('/')) throw new UsageError('path is a JSON pointer, such as /cases/3/prompt.')
  let found = value
  for (const part of pointer.slice(1).split('/')) {
    const key = keyOf(found, part.replaceAll('~1', '/').replaceAll('~0', '~'), own)
    if (key === undefined) throw new UsageError('There is nothing at that path; leave path out to see what there is.')
    found = (found as Record<string, unknown>)[key]
  }
  return found
}

function keyOf(value: unknown, name: string, own: Own): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) return name !== 'length' && Object.hasOwn(value, name) ? name : undefined
  for (const { key, shown } of fieldsOf(value, own)) if (shown === name) return key
  return Object.hasOwn(value, name) ? name : undefined
}

/**
 * A place in a list or a text: how much comes before it, a mark of the last item if the items have ids, and of the read
 * that it belongs to.
 */
type Position = { before: number; last?: string | undefined; of?: string | undefined }

/** Writes a position as the cursor that the next call repeats. */
function cursorAt({ before, last, of }: Position): string {
  return Buffer.from(JSON.stringify({ before, last, of })).toString('base64url')
}

/** Reads a cursor. @throws UsageError for anything that no answer contained */
export function positionOf(cursor: string | undefined): Position {
  if (cursor === undefined) return { before: 0 }
  try {
    const read: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const { before, last, of } = Object(read) as Record<string, unknown>
    if (Number.isSafeInteger(before) && Number(before) >= 0 && isMark(last) && isMark(of))
      return { before: Number(before), last, of }
  } catch {
    // The sentence below says what to do.
  }
  throw new UsageError('This cursor is of no earlier answer. Leave it out to start at the beginning.')
}

function isMark(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string'
}

/** Returns what a cursor has of an id, which may have words from outside. */
function markOf(id: string | undefined): string | undefined {
  return id === undefined ? undefined : createHash('sha256').update(id).digest('base64url').slice(0, MARK_LENGTH)
}

/** A page of a list. `next` is the cursor of the rest; undefined at the end. `cut` points into the whole list. */
export type ListPage = { items: readonly unknown[]; next: string | undefined; cut: readonly string[] }

/** Where a page begins, and what it may have. */
type ListLimits = {
  cursor?: string | undefined
  /** Maximum number of items. */
  most?: number | undefined
  bytes?: number
  /** Mark of the read that the list belongs to, for its cursor. */
  of?: string
  /** Returns what identifies an item; by default its `id`. */
  identify?: (item: unknown) => string | undefined
  /** Makes what is quoted of an item that is not skipped; undefined leaves it out. */
  prepare?: (item: unknown) => Promise<unknown>
}

/**
 * Takes as many items of a list as an answer may quote.
 * @throws UsageError if the item before the cursor is gone, since what follows it is then unknown
 */
export async function listPage(
  source: AsyncIterable<unknown> | Iterable<unknown>,
  own: Own,
  { cursor, most = Infinity, bytes = MOST, of, identify = idOf, prepare }: ListLimits,
): Promise<ListPage> {
  const { before, last } = positionOf(cursor)
  const items: unknown[] = []
  let [seen, size] = [0, 0]
  let isReached = before === 0
  let latest = last
  const cut: string[] = []
  for await (const raw of source) {
    const mark = markOf(identify(raw))
    seen += 1
    if (!isReached) {
      isReached = last === undefined ? seen === before : mark === last
      continue
    }
    const item = prepare ? await prepare(raw) : raw
    if (item !== undefined) {
      const found = quoted(item, own, bytes)
      const taken = sizeOf(found.data) + 1
      if (items.length >= most || (items.length > 0 && size + taken > bytes))
        return { items, next: cursorAt({ before: seen - 1, last: latest, of }), cut: fewPlaces(cut) }
      cut.push(...found.cut.map(path => `/${seen - 1}${path}`))
      items.push(found.data)
      size += taken
    }
    latest = mark
  }
  if (!isReached) throw new UsageError('The list changed since that cursor. Leave it out to start at the beginning.')
  return { items, next: undefined, cut: fewPlaces(cut) }
}

function idOf(item: unknown): string | undefined {
  const { id } = Object(item) as { id?: unknown }
  return typeof id === 'string' ? id : undefined
}

/** A page of a text. */
export type TextPage = { text: string; next: string | undefined }

/** Takes as much of a text as an answer may quote. Its cursor counts in the text as it is outside. */
export function textPage(whole: string, own: Own, cursor?: string): TextPage {
  const { before } = positionOf(cursor)
  const partOf = redactedFrom(whole, before, MOST, own)
  const read = (length: number): { text: string; end: number } => {
    const isWithinPair = /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(whole.slice(before + length - 1, before + length + 1))
    const { text, end } = partOf(isWithinPair ? length + 1 : length)
    return { text: printable(text), end }
  }
  let length = MOST
  let page = read(length)
  for (let over = sizeOf(page.text) - MOST; over > 0 && length > 1; over = sizeOf(page.text) - MOST) {
    length -= Math.min(length - 1, Math.max(1, Math.floor(over / 6)))
    page = read(length)
  }
  return { text: page.text, next: page.end < whole.length ? cursorAt({ before: page.end }) : undefined }
}
