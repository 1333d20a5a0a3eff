import { isSameJson } from '../../domain/json/same-json.ts'
import { skeleton } from '../../domain/suites/skeleton.ts'
import { parseWritten, UnkeptNumber, type JsonObject } from '../../lib/json.ts'
import { isOfType } from '../../lib/json-schema/types.ts'
import { isJson, jsonText } from '../../lib/printable.ts'
import { clean } from '../../tui/theme/text.ts'

/**
 * How the text of a field becomes a value: `text` is taken literally, `json` is parsed, `either` is parsed if it is
 * JSON and taken literally if not.
 */
export type FieldKind = 'text' | 'json' | 'either'

/** How a text is parsed, and which values are allowed. */
export type Reading = {
  kind: FieldKind
  /** The JSON Schema types that its value may have; without it any. */
  types?: readonly string[]
  /** Its type in words, such as `number` or `"a" | "b"`. */
  type: string
}

/** The input for one argument, or for a part of one. */
export type ArgumentField = Reading & {
  /** Distinguishes it from the other fields of its form, including those of hidden alternatives. */
  id: string
  /** Its name, or the names that lead to it, such as `filter.since`. */
  label: string
  path: readonly string[]
  /** How each item of a list is parsed. Each line or choice is an item; the list may also be typed as JSON. */
  items?: Reading
  /** Must be given if its parent is given. */
  required: boolean
  /** The name of its parent, if that is optional. */
  requiredWith?: string
  description: string | undefined
  /** The initial text of the field; if it is typed, the text contains no control characters except line breaks. */
  initial: string
  /** The allowed texts, or items, if it is chosen instead of typed. */
  choices?: readonly { text: string; label: string; detail?: string }[]
  /** A list of choices that may contain the same one several times. */
  repeats?: true
  /** Its schema, with references resolved. */
  schema: JsonObject
  /** Its possible meanings while it is empty, the first by default; if there are none, it must be filled in. */
  blanks: readonly Blank[]
}

/** The value of an argument that is left out. */
export const LEFT_OUT = Symbol('left out')

/** The meaning of an empty field, and the words for it. */
export type Blank = { value: unknown; says: string }
/** The field is left out. */
export const OUT: Blank = { value: LEFT_OUT, says: 'left out' }
export const EMPTY_TEXT: Blank = { value: '', says: 'sends an empty text' }
export const EMPTY_LIST: Blank = { value: [], says: 'sends an empty list' }
const NULL: Blank = { value: null, says: 'sends null' }

/** Contents of fields, by their ids: a text, or the meaning of an empty one. Other fields have their initial text. */
export type FieldTexts = ReadonlyMap<string, string | Blank>

/** Returns what a field may mean while it is empty. */
export function blanksOf(
  { kind, types, items }: Pick<ArgumentField, 'kind' | 'types' | 'items'>,
  required: boolean,
): readonly Blank[] {
  const may = (type: string): boolean => !types || types.includes(type)
  const empty = items ? [EMPTY_LIST] : kind !== 'json' && may('string') ? [EMPTY_TEXT] : []
  const nothing = may('null') ? [NULL] : []
  if (!required) return [OUT, ...empty, ...nothing]
  // If the value may be other than text and cannot be null, an empty field has no meaning: it must be filled in.
  const isAsked = !items && kind !== 'text' && types?.includes('null') !== true
  return isAsked ? [] : [...nothing, ...empty]
}

/** Returns what a field of choices means while nothing is chosen. */
export function unchosen(required: boolean): readonly Blank[] {
  return required ? [] : [OUT]
}

/** Returns the typed or chosen text of a field. */
export function textOf(field: Pick<ArgumentField, 'id' | 'initial'>, texts: FieldTexts): string {
  const given = texts.get(field.id) ?? field.initial
  return typeof given === 'string' ? given : ''
}

/** Returns the meaning of an empty field; undefined if it must be filled in, or is not empty. */
export function blankOf(field: ArgumentField, texts: FieldTexts): Blank | undefined {
  const given = texts.get(field.id)
  if (given !== undefined && typeof given !== 'string') return given
  return isBlank(field, textOf(field, texts)) ? impliedBlank(field) : undefined
}

/**
 * Returns the default meaning of an empty field. Next to a filled field of an optional object, sending an empty list or
 * null would go unnoticed, so these must be chosen.
 */
function impliedBlank({ blanks: [first], requiredWith }: ArgumentField): Blank | undefined {
  return requiredWith === undefined || first === EMPTY_TEXT ? first : undefined
}

/**
 * Returns the content that gives an empty field its next possible meaning; undefined if there is no other, or if the
 * field is not empty. A field that is required only with its parent can be left out together with it.
 */
export function otherBlank(field: ArgumentField, texts: FieldTexts): string | Blank | undefined {
  const { blanks, requiredWith } = field
  if (textOf(field, texts) !== '') return undefined
  const all: readonly (string | Blank)[] = requiredWith === undefined ? blanks : ['', ...blanks]
  const isWith = requiredWith !== undefined
  const here = isWith && isLeftOut(field, texts) ? '' : (blankOf(field, texts) ?? (isWith ? '' : undefined))
  return here !== undefined && all.length > 1 ? all[(all.indexOf(here) + 1) % all.length] : undefined
}

/** Whether a field is empty and no value was chosen for that; a required one still sends its default meaning. */
export function isLeftOut(field: ArgumentField, texts: FieldTexts): boolean {
  const given = texts.get(field.id)
  return textOf(field, texts) === '' && (given === undefined || typeof given === 'string' || given === OUT)
}

/** Whether a field has the same meaning with two sets of texts, if it is empty in both. */
export function standsForSame(field: ArgumentField, one: FieldTexts, other: FieldTexts): boolean {
  if (textOf(field, one) !== '' || textOf(field, other) !== '') return true
  return blankOf(field, one) === blankOf(field, other) || (isLeftOut(field, one) && isLeftOut(field, other))
}

/** Whether a text is empty; in a text field, spaces are also a value. */
function isBlank({ kind, items }: ArgumentField, text: string): boolean {
  if (items) return linesOf(text).length === 0
  return (kind === 'text' ? text : text.trim()) === ''
}

/**
 * Returns the content of a field for a value; undefined if the field cannot represent it.
 * @param value undefined leaves the field out
 */
export function filling(field: ArgumentField, value: unknown): string | Blank | undefined {
  const blank = field.blanks.find(each =>
    value === undefined ? each === OUT : each !== OUT && isSameJson(each.value, value),
  )
  if (blank) return blank === field.blanks[0] && field.requiredWith === undefined ? '' : blank
  if (value === undefined) return ''
  const text = writtenFor(field, value)
  return isShowable(field, text) ? text : undefined
}

function writtenFor(
  field: Pick<ArgumentField, 'kind' | 'items' | 'choices' | 'type' | 'types'>,
  value: unknown,
): string {
  const { items, kind } = field
  if (items && Array.isArray(value)) return listText({ ...field, items }, value as unknown[])
  return kind === 'text' && typeof value === 'string' ? value : jsonText(value)
}

/** A line for each item if the lines can be parsed back; if not, JSON. */
function listText(field: ListReading, value: readonly unknown[]): string {
  const lines = value.map(item => writtenFor(field.items, item)).join('\n')
  const read = field.choices || isShown(lines) ? readList(field, lines) : {}
  return 'value' in read && isSameJson(read.value, value) ? lines : jsonText(value)
}

/** Whether a field shows a text unchanged. */
function isShown(text: string): boolean {
  const line = text.replaceAll('\n', '')
  return clean(line) === line
}

/** A choice only shows its options, and a text must not contain control characters. */
function isShowable({ choices, items }: Pick<ArgumentField, 'choices' | 'items'>, text: string): boolean {
  if (!choices) return isShown(text)
  const chosen = items ? linesOf(text) : [text].filter(each => each !== '')
  return chosen.every(each => choices.some(choice => choice.text === each))
}

/** Returns the initial text of a field for a value; a text that cannot be shown unchanged becomes JSON with escapes. */
export function initialOf(value: unknown, reading: Reading & Pick<ArgumentField, 'items' | 'choices'>) {
  const { kind } = reading
  if (value === undefined) return { kind, initial: '' }
  if (reading.items) {
    const text = Array.isArray(value) ? writtenFor(reading, value) : ''
    return { kind, initial: isShowable(reading, text) ? text : '' }
  }
  if (kind === 'json') return { kind, initial: writtenFor(reading, value) }
  const plain = typeof value === 'string' && isShown(value)
  if (kind === 'text' && plain) return { kind, initial: value }
  if (kind === 'text') return { kind: 'either' as const, initial: jsonText(value) }
  return { kind, initial: plain && !isJson(value) ? value : jsonText(value) }
}

/** The result of parsing a text: its value, or the error. */
type Read = { value: unknown } | { problem: string }

/**
 * Parses the content of a field.
 * @param isDraft accepts JSON of any type, and invalid JSON as a text, for a person to continue
 */
export function readField(field: ArgumentField, texts: FieldTexts, isDraft: boolean): Read {
  const text = textOf(field, texts)
  const blank = blankOf(field, texts)
  if (blank) return { value: blank.value }
  if (isBlank(field, text)) return isDraft ? { value: startFor(field) } : { problem: `is required: ${field.type}` }
  const { items } = field
  const read = items ? readList({ ...field, items }, text) : readText(field, text, isDraft)
  if ('value' in read || !isDraft) return read
  return { value: items ? draftOfList(items, text) : text }
}

function readText(reading: Reading, text: string, isDraft = false): Read {
  const { kind, type } = reading
  if (kind === 'text') return { value: text }
  const isText = kind === 'either' && isOfTypes(reading, '')
  try {
    const value = parseWritten(text)
    if (isOfTypes(reading, value) || (isDraft && !isText)) return { value }
    return isText ? { value: text } : { problem: `must be ${type}` }
  } catch (error) {
    if (error instanceof UnkeptNumber && !isDraft) return { problem: error.message }
    return isText ? { value: text } : { problem: `is not JSON for ${type}` }
  }
}

type ListReading = Pick<ArgumentField, 'choices' | 'type'> & { items: Reading }

/** A text with this beginning is meant as JSON, even if it contains errors. */
const BEGINS_LIST = /^\s*\[\s*"/

function readList({ items, choices, type }: ListReading, text: string): Read {
  const listed = choices ? undefined : asJsonList(text)
  if (listed && 'problem' in listed) return listed
  if (listed) return listed.value.every(item => isOfTypes(items, item)) ? listed : { problem: `must be ${type}` }
  if (!choices && BEGINS_LIST.test(text)) return { problem: `is not JSON for ${type}` }
  const values: unknown[] = []
  for (const [at, line] of text.split('\n').entries()) {
    if (line === '') continue
    const read = readText(items, line)
    if ('problem' in read) return { problem: `line ${at + 1} ${read.problem}` }
    values.push(read.value)
  }
  return { value: values }
}

function asJsonList(text: string): { value: unknown[] } | { problem: string } | undefined {
  if (!text.trimStart().startsWith('[')) return undefined
  try {
    const value = parseWritten(text)
    return Array.isArray(value) ? { value: value as unknown[] } : undefined
  } catch (error) {
    return error instanceof UnkeptNumber ? { problem: error.message } : undefined
  }
}

function draftOfList(items: Reading, text: string): unknown {
  const listed = asJsonList(text)
  if (listed && 'value' in listed) return listed.value
  if (BEGINS_LIST.test(text)) return text
  return linesOf(text).map(line => {
    const read = readText(items, line)
    return 'value' in read ? read.value : line
  })
}

function linesOf(text: string): string[] {
  return text.split('\n').filter(line => line !== '')
}

/** Returns the initial value of a required field in an editor. */
function startFor({ choices, kind, schema }: ArgumentField): unknown {
  const [first] = choices ?? []
  if (first) return kind === 'text' ? first.text : parseWritten(first.text)
  return skeleton(schema, 1)
}

/** Checked here too, since the validator may not support the schema. */
function isOfTypes({ types }: Reading, value: unknown): boolean {
  return !types || types.some(type => isOfType(value, type))
}
