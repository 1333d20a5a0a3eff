import { BOUNDS } from '../../lib/bounds.ts'
import { isLongNumber } from '../../lib/json.ts'
import { jsonText, printable } from '../../lib/printable.ts'
import { REDACTION_REACH, redactedValue, withoutSecrets, type Own } from '../../lib/redaction/redaction.ts'
import { UsageError } from '../arguments/usage-error.ts'

/** Maximum bytes of the JSON of what one answer quotes: the answer has it twice, and stays below 25,000 tokens. */
const MOST = BOUNDS.mcpAnswer.most
/** Maximum number of places that an answer names as cut. */
const MOST_PLACES = 20
/** Maximum number of characters of a name of a field, and of a place that an answer names. */
const LONGEST_PLACE = 200
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

/**
 * Makes a value from outside safe for a model, and small enough for one answer: secrets, addresses and home directories
 * are removed, unprintable characters become visible, and long texts and lists are cut.
 */
export function quoted(value: unknown, own: Own, most = MOST): Quoted {
  for (const level of LEVELS) {
    const found = walked(value, own, level, most)
    if (found && sizeOf(found.data) <= most) return found
  }
  return { data: null, cut: [''] }
}

/** Returns a quoted value; undefined if it takes too much at this level. */
function walked(value: unknown, own: Own, level: (typeof LEVELS)[number], most: number): Quoted | undefined {
  const cut: string[] = []
  const isLast = level === LEVELS.at(-1)
  let spent = 0
  const note = (path: string): void => {
    if (cut.length < MOST_PLACES && path.length <= LONGEST_PLACE) cut.push(path)
  }
  const text = (whole: string, path: string, name: string): string => {
    const safe = safeText(whole, own, level.text, name)
    spent += sizeOf(safe)
    if (whole.length <= level.text) return safe
    note(path)
    return `${safe}…`
  }
  const within = (inner: unknown, path: string, name: string): unknown => {
    if (typeof inner === 'string') return text(inner, path, name)
    if (typeof inner !== 'object' || inner === null || isLongNumber(inner)) return inner
    const kept: [string, unknown][] = []
    const entries = Object.entries(inner as Record<string, unknown>)
    for (const [key, each] of entries) {
      if (kept.length >= level.entries || (isLast && spent > most / 2)) break
      // Beyond the limit the rest is not read: the next level begins.
      if (spent > most) break
      const label = Array.isArray(inner) ? name : key
      const shown = printable(key.slice(0, LONGEST_PLACE).toWellFormed())
      spent += AROUND + (Array.isArray(inner) ? 0 : sizeOf(shown))
      kept.push([shown, within(each, `${path}/${pointerPart(key)}`, label)])
    }
    if (kept.length < entries.length) note(path)
    return Array.isArray(inner) ? kept.map(([, each]) => each) : Object.fromEntries(kept)
  }
  const data = within(value, '', '')
  return spent > most ? undefined : { data, cut }
}

/** Returns the beginning of a text from outside, cleaned; secrets are recognized before the text is cut. */
function safeText(text: string, own: Own, most: number, name = ''): string {
  const safe = withoutPersonal(text.slice(0, most + REDACTION_REACH), own, name)
  return printable(safe.slice(0, most).toWellFormed())
}

/** Matches names of fields that identify a record, in which text that looks random is no secret. */
const NAMING = /(?:Ids?|caseKey|[tT]rial)$/

/** Removes secrets and personal data; of an address that mcpdeck wrote only secrets, so that it still leads there. */
function withoutPersonal(text: string, own: Own, name: string): string {
  if (name === 'locator' || name === 'place') return withoutSecrets(text, own.known)
  return redactedValue(text, own, NAMING.test(name) ? 'id' : name)
}

/** Returns a message of mcpdeck that may contain words from outside, cleaned and on as few lines as it has. */
export function safeMessage(text: string, own: Own): string {
  return safeText(text, own, 2_000)
}

/** Returns the bytes of a value as JSON. */
function sizeOf(value: unknown): number {
  return Buffer.byteLength(jsonText(value))
}

function pointerPart(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Returns the value at a JSON pointer, such as `/cases/3/prompt`. @throws UsageError if there is none */
export function atPointer(value: unknown, pointer: string): unknown {
  if (pointer === '') return value
  if (!pointer.startsWith('/')) throw new UsageError('path is a JSON pointer, such as /cases/3/prompt.')
  let found = value
  for (const part of pointer.slice(1).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key))
      throw new UsageError('There is nothing at that path; leave path out to see what there is.')
    found = (found as Record<string, unknown>)[key]
  }
  return found
}

/** A place in a list or a text: how much comes before it, and the id of the last item if the items have ids. */
type Position = { before: number; last?: string | undefined }

/** Writes a position as the cursor that the next call repeats. */
export function cursorAt({ before, last }: Position): string {
  return Buffer.from(JSON.stringify({ before, last })).toString('base64url')
}

/** Reads a cursor. @throws UsageError for anything that no answer contained */
export function positionOf(cursor: string | undefined): Position {
  if (cursor === undefined) return { before: 0 }
  try {
    const { before, last } = Object(JSON.parse(Buffer.from(cursor, 'base64url').toString())) as Record<string, unknown>
    if (Number.isSafeInteger(before) && Number(before) >= 0 && (last === undefined || typeof last === 'string'))
      return { before: Number(before), last }
  } catch {
    // The sentence below says what to do.
  }
  throw new UsageError('This cursor is of no earlier answer. Leave it out to start at the beginning.')
}

/** A page of a list. `next` is the cursor of the rest; undefined at the end. `cut` points into the whole list. */
export type ListPage = { items: readonly unknown[]; next: string | undefined; cut: readonly string[] }

/** Where a page begins, and its maximum number of items and of bytes. */
type ListLimits = { cursor?: string | undefined; most?: number | undefined; bytes?: number }

/**
 * Takes as many items of a list as an answer may quote.
 * @throws UsageError if the item before the cursor is gone, since what follows it is then unknown
 */
export async function listPage(
  source: AsyncIterable<unknown> | Iterable<unknown>,
  own: Own,
  { cursor, most = Infinity, bytes = MOST }: ListLimits,
): Promise<ListPage> {
  const { before, last } = positionOf(cursor)
  const items: unknown[] = []
  let [seen, size] = [0, 0]
  let isReached = before === 0
  let latest = last
  let cut: readonly string[] = []
  for await (const item of source) {
    if (!isReached) {
      seen += 1
      isReached = last === undefined ? seen === before : idOf(item) === last
      continue
    }
    const found = quoted(item, own, bytes)
    const taken = sizeOf(found.data) + 1
    if (items.length >= most || (items.length > 0 && size + taken > bytes))
      return { items, next: cursorAt({ before: before + items.length, last: latest }), cut }
    cut = [...cut, ...found.cut.map(path => `/${before + items.length}${path}`)].slice(0, MOST_PLACES)
    items.push(found.data)
    size += taken
    latest = idOf(item)
  }
  if (!isReached) throw new UsageError('The list changed since that cursor. Leave it out to start at the beginning.')
  return { items, next: undefined, cut }
}

function idOf(item: unknown): string | undefined {
  const { id } = Object(item) as { id?: unknown }
  return typeof id === 'string' ? id : undefined
}

/** A page of a text. */
export type TextPage = { text: string; next: string | undefined }

/** Takes as much of a text as an answer may quote. */
export function textPage(whole: string, own: Own, cursor?: string): TextPage {
  const { before } = positionOf(cursor)
  const safe = printable(redactedValue(whole.slice(0, before + MOST + REDACTION_REACH), own))
  let text = safe.slice(before, before + MOST)
  while (sizeOf(text) > MOST) {
    const over = sizeOf(text) - MOST
    text = text.slice(0, text.length - Math.max(1, Math.floor(over / 6)))
  }
  if (/[\uD800-\uDBFF]$/.test(text)) text = text.slice(0, -1)
  const end = before + text.length
  const isMore = text.length > 0 && (safe.length > end || whole.length > before + MOST + REDACTION_REACH)
  return { text, next: isMore ? cursorAt({ before: end }) : undefined }
}
