import { isSameJson } from '../../domain/json/same-json.ts'
import { skeleton } from '../../domain/suites/skeleton.ts'
import { parseWritten, UnkeptNumber, type JsonObject } from '../../lib/json.ts'
import { isOfType } from '../../lib/json-schema/types.ts'
import { isJson, jsonText } from '../../lib/printable.ts'
import { clean } from '../../tui/theme/text.ts'

/**
 * How the text of a field becomes a value: `text` is taken literally, `json` is parsed, `either` is
 * parsed where it is JSON and taken literally where it is not.
 */
export type FieldKind = 'text' | 'json' | 'either'

/** How a text is read, and what it must come to. */
export type Reading = {
  kind: FieldKind
  /** The types of JSON Schema that its value may have; without it any. */
  types?: readonly string[]
  /** Its type in words, such as `number` or `"a" | "b"`. */
  type: string
}

/** What is typed or chosen for one argument, or for a part of one. */
export type ArgumentField = Reading & {
  /** Tells it apart from the other fields of its form, also of alternatives that do not show. */
  id: string
  /** Its name, or the names that lead to it, such as `filter.since`. */
  label: string
  path: readonly string[]
  /** How the items of a list are read, of which each line is one, or each choice. It may be typed as JSON too. */
  items?: Reading
  /** Must be given, where what holds it is given. */
  required: boolean
  /** The name of what holds it, where that need not be given. */
  requiredWith?: string
  description: string | undefined
  /**
   * What the field holds before anything is typed; never holds control characters but line breaks where it is typed.
   */
  initial: string
  /** The texts that it can be, or its items, where it is chosen and not typed. */
  choices?: readonly { text: string; label: string; detail?: string }[]
  /** A list of choices that may hold the same several times. */
  repeats?: true
  /** What it must be, with references followed. */
  schema: JsonObject
  /** What it can stand for while it is empty, the first by itself; if there is nothing, it must be filled in. */
  blanks: readonly Blank[]
}

/** Stands for the value of what is left out. */
export const LEFT_OUT = Symbol('left out')

/** What an empty field stands for, and how that is said. */
export type Blank = { value: unknown; says: string }
/** It is left out. */
export const OUT: Blank = { value: LEFT_OUT, says: 'left out' }
export const EMPTY_TEXT: Blank = { value: '', says: 'sends an empty text' }
export const EMPTY_LIST: Blank = { value: [], says: 'sends an empty list' }
const NULL: Blank = { value: null, says: 'sends null' }

/** What fills fields, by their ids: a text, or what an empty one stands for. The others hold what they begin with. */
export type FieldTexts = ReadonlyMap<string, string | Blank>

/** What a field can stand for while it is empty. */
export function blanksOf(
  { kind, types, items }: Pick<ArgumentField, 'kind' | 'types' | 'items'>,
  required: boolean,
): readonly Blank[] {
  const may = (type: string): boolean => !types || types.includes(type)
  const empty = items ? [EMPTY_LIST] : kind !== 'json' && may('string') ? [EMPTY_TEXT] : []
  const nothing = may('null') ? [NULL] : []
  if (!required) return [OUT, ...empty, ...nothing]
  // What may be of other types than text is not guessed, unless it may be null.
  const isAsked = !items && kind !== 'text' && types?.includes('null') !== true
  return isAsked ? [] : [...nothing, ...empty]
}

/** What a field of choices stands for while nothing is chosen. */
export function unchosen(required: boolean): readonly Blank[] {
  return required ? [] : [OUT]
}

/** What is typed or chosen in a field. */
export function textOf(field: Pick<ArgumentField, 'id' | 'initial'>, texts: FieldTexts): string {
  const given = texts.get(field.id) ?? field.initial
  return typeof given === 'string' ? given : ''
}

/** What an empty field stands for; undefined if it must be filled in, or is not empty. */
export function blankOf(field: ArgumentField, texts: FieldTexts): Blank | undefined {
  const given = texts.get(field.id)
  if (given !== undefined && typeof given !== 'string') return given
  return isBlank(field, textOf(field, texts)) ? impliedBlank(field) : undefined
}

/**
 * What an empty field stands for unless the person chooses. Beside a filled field of an optional object nobody sees
 * that an empty list or null would be sent, so these are chosen or asked for.
 */
function impliedBlank({ blanks: [first], requiredWith }: ArgumentField): Blank | undefined {
  return requiredWith === undefined || first === EMPTY_TEXT ? first : undefined
}

/**
 * What fills an empty field so that it stands for the next that it can; undefined if there is no other, or where it is
 * not empty. One that is required with what holds it can be left out with that too.
 */
export function otherBlank(field: ArgumentField, texts: FieldTexts): string | Blank | undefined {
  const { blanks, requiredWith } = field
  if (textOf(field, texts) !== '') return undefined
  const all: readonly (string | Blank)[] = requiredWith === undefined ? blanks : ['', ...blanks]
  const isWith = requiredWith !== undefined
  const here = isWith && isLeftOut(field, texts) ? '' : (blankOf(field, texts) ?? (isWith ? '' : undefined))
  return here !== undefined && all.length > 1 ? all[(all.indexOf(here) + 1) % all.length] : undefined
}

/** Whether a field is empty, and nothing else was chosen for it; where it must be given, something is sent for it. */
export function isLeftOut(field: ArgumentField, texts: FieldTexts): boolean {
  const given = texts.get(field.id)
  return textOf(field, texts) === '' && (given === undefined || typeof given === 'string' || given === OUT)
}

/** Whether a field stands for the same with these texts as with others, where it is empty with both. */
export function standsForSame(field: ArgumentField, one: FieldTexts, other: FieldTexts): boolean {
  if (textOf(field, one) !== '' || textOf(field, other) !== '') return true
  return blankOf(field, one) === blankOf(field, other) || (isLeftOut(field, one) && isLeftOut(field, other))
}

/** Whether a text says nothing; that of a text field says what it is, of spaces too. */
function isBlank({ kind, items }: ArgumentField, text: string): boolean {
  if (items) return linesOf(text).length === 0
  return (kind === 'text' ? text : text.trim()) === ''
}

/** What a field holds for a value, undefined if it is left out; undefined if it cannot hold that. */
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

/** A line for each item where they can be read back from that, else JSON. */
function listText(field: ListReading, value: readonly unknown[]): string {
  const lines = value.map(item => writtenFor(field.items, item)).join('\n')
  const read = field.choices || isShown(lines) ? readList(field, lines) : {}
  return 'value' in read && isSameJson(read.value, value) ? lines : jsonText(value)
}

/** Whether a field shows a text as it is. */
function isShown(text: string): boolean {
  const line = text.replaceAll('\n', '')
  return clean(line) === line
}

/** A choice shows its options only, and a text has no control characters. */
function isShowable({ choices, items }: Pick<ArgumentField, 'choices' | 'items'>, text: string): boolean {
  if (!choices) return isShown(text)
  const chosen = items ? linesOf(text) : [text].filter(each => each !== '')
  return chosen.every(each => choices.some(choice => choice.text === each))
}

/** How a field begins with a value; a text that can't be shown as it is becomes JSON with escapes, parsed back. */
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

/** The outcome of a text: its value, or what is wrong with it. */
type Read = { value: unknown } | { problem: string }

/**
 * Reads what is in a field.
 * @param isDraft takes JSON of any type, and what is none as a text, which somebody continues with
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

/** What begins so is meant as JSON, also where something in it is wrong. */
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

/** What a field that must be given begins with in an editor. */
function startFor({ choices, kind, schema }: ArgumentField): unknown {
  const [first] = choices ?? []
  if (first) return kind === 'text' ? first.text : parseWritten(first.text)
  return skeleton(schema, 1)
}

/** Checked here too, since a schema may be one that nothing can check. */
function isOfTypes({ types }: Reading, value: unknown): boolean {
  return !types || types.some(type => isOfType(value, type))
}
