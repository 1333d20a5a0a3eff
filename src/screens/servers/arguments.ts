import { isSameJson } from '../../domain/json/same-json.ts'
import { skeleton } from '../../domain/suites/skeleton.ts'
import { jsonText } from '../../lib/printable.ts'
import { isPlainObject, parseWritten, UnkeptNumber, type JsonObject } from '../../lib/json.ts'
import { isOfType } from '../../lib/json-schema/types.ts'
import { clean } from '../../tui/theme/text.ts'
import { partsOf, type ArgumentField, type Part } from './argument-parts.ts'

/** What is typed, by the id of its field; a field that is not there holds what it begins with. */
export type FieldTexts = ReadonlyMap<string, string>

/** What is asked before a call: a field for each argument, or one field for all of them as JSON. */
export type ArgumentForm = {
  whole: boolean
  part: Part
  /** What some fields hold beside what they begin with. */
  texts: FieldTexts
}

/** Whether nothing is asked. */
export function asksNothing({ part }: ArgumentForm): boolean {
  return part.kind === 'group' && part.parts.length === 0
}

const NO_TEXTS: FieldTexts = new Map()

/** The form of a tool's input schema. */
export function argumentForm(schema: JsonObject | null | undefined): ArgumentForm {
  if (!schema) return wholeOf({})
  const part = partsOf(schema)
  if (part) return { whole: false, part, texts: NO_TEXTS }
  const start = skeleton(schema, 0)
  return wholeOf(isPlainObject(start) ? start : {})
}

/** The fields that show: of variants those of the one that is chosen. */
export function shownFields({ part }: Pick<ArgumentForm, 'part'>, texts: FieldTexts): ArgumentField[] {
  if (part.kind === 'field') return [part.field]
  if (part.kind === 'fixed') return []
  if (part.kind === 'group') return part.parts.flatMap(([, inner]) => shownFields({ part: inner }, texts))
  const chosen = part.variants[Number(textOf(part.field, texts) || NaN)]
  return [part.field, ...(chosen ? shownFields({ part: chosen }, texts) : [])]
}

/** What a field holds. */
export function textOf(field: ArgumentField, texts: FieldTexts): string {
  return texts.get(field.id) ?? field.initial
}

/** The form of a prompt's arguments, which are texts. */
export function promptForm(
  declared: readonly { name: string; description?: string | null | undefined; required?: boolean | null | undefined }[],
): ArgumentForm {
  const parts = declared.map(({ name, description, required }): readonly [string, Part] => {
    const field: ArgumentField = {
      id: `/${name}`,
      label: name,
      path: [name],
      kind: 'text',
      required: required === true,
      type: 'text',
      description: description ?? undefined,
      schema: { type: 'string' },
      initial: '',
    }
    return [name, { kind: 'field', field }]
  })
  return { whole: false, part: { kind: 'group', required: true, parts }, texts: NO_TEXTS }
}

/** The form with what was sent before; all of it is one JSON text where a field cannot hold its value. */
export function filledForm(form: ArgumentForm, sent: JsonObject): ArgumentForm {
  if (form.whole) return wholeOf(sent)
  const texts = new Map<string, string>()
  const isHeld = fill(form.part, sent, texts)
  const filled = { ...form, texts }
  const back = isHeld ? parseArguments(filled, texts) : undefined
  return back && 'value' in back && isSameJson(back.value, sent) ? filled : wholeOf(sent)
}

/** The form with what was sent last; undefined where there was nothing, or it does not go into the fields any more. */
export function rememberedForm(form: ArgumentForm, sent: JsonObject): ArgumentForm | undefined {
  if (asksNothing(form) || Object.keys(sent).length === 0) return undefined
  const filled = filledForm(form, sent)
  return filled.whole === form.whole ? filled : undefined
}

/** Puts a value into the fields of a part; answers whether they can hold it. Undefined leaves it out. */
function fill(part: Part, value: unknown, texts: Map<string, string>): boolean {
  if (part.kind === 'fixed') return value === undefined || isSameJson(value, part.value)
  if (part.kind === 'field') return fillField(part.field, value, texts)
  if (part.kind === 'group') {
    if (value !== undefined && !isPlainObject(value)) return false
    const given = value ?? {}
    const known = new Set(part.parts.map(([name]) => name))
    return (
      Object.keys(given).every(name => known.has(name)) &&
      part.parts.every(([name, inner]) => fill(inner, Object.hasOwn(given, name) ? given[name] : undefined, texts))
    )
  }
  if (value === undefined) return fillField(part.field, undefined, texts)
  return part.variants.some((variant, at) => {
    const own = new Map<string, string>()
    const read = fill(variant, value, own) ? valueOf(variant, own) : undefined
    if (!read || !('value' in read) || !isSameJson(read.value, value)) return false
    for (const [id, text] of own) texts.set(id, text)
    texts.set(part.field.id, String(at))
    return true
  })
}

function fillField(field: ArgumentField, value: unknown, texts: Map<string, string>): boolean {
  const text = value === undefined || (value === null && field.isNullIfEmpty) ? '' : writtenFor(field, value)
  texts.set(field.id, text)
  return isShowable(field, text)
}

function writtenFor({ kind }: ArgumentField, value: unknown): string {
  return kind === 'text' && typeof value === 'string' ? value : jsonText(value)
}

/** A choice shows its options only, and a text has no control characters. */
function isShowable({ choices }: ArgumentField, text: string): boolean {
  if (choices) return text === '' || choices.some(choice => choice.text === text)
  const line = text.replaceAll('\n', '')
  return clean(line) === line
}

function wholeOf(value: JsonObject): ArgumentForm {
  const field: ArgumentField = {
    id: '',
    label: 'arguments',
    path: [],
    kind: 'json',
    required: true,
    type: 'JSON object',
    description: undefined,
    schema: { type: 'object' },
    initial: jsonText(value),
  }
  return { whole: true, part: { kind: 'field', field }, texts: NO_TEXTS }
}

export type ParsedArguments =
  | { value: JsonObject }
  /** What is wrong with each field, by its id. */
  | { problems: ReadonlyMap<string, string> }

const LEFT_OUT = Symbol('left out')

type Parsed = { value: unknown } | { problems: ReadonlyMap<string, string> }

/** Reads what was typed. An empty optional field is left out, and an object of which nothing is given. */
export function parseArguments(form: ArgumentForm, texts: FieldTexts): ParsedArguments {
  const read = valueOf(form.part, texts)
  if ('problems' in read) return read
  if (isPlainObject(read.value)) return { value: read.value }
  const [field] = shownFields(form, texts)
  return { problems: new Map([[field?.id ?? '', 'must be a JSON object, such as {}']]) }
}

/** @param isDraft takes JSON of any type, which somebody goes on with */
function valueOf(part: Part, texts: FieldTexts, isDraft = false): Parsed {
  if (part.kind === 'fixed') return { value: part.value }
  if (part.kind === 'field') return readField(part.field, textOf(part.field, texts), isDraft)
  if (part.kind === 'variants') {
    const chosen = part.variants[Number(textOf(part.field, texts) || NaN)]
    if (chosen) return valueOf(chosen, texts, isDraft)
    if (!part.required) return { value: LEFT_OUT }
    const [first] = part.variants
    return isDraft && first ? valueOf(first, texts, true) : problemOf(part.field, 'is required: choose one')
  }
  if (!part.required && shownFields({ part }, texts).every(field => textOf(field, texts) === ''))
    return { value: LEFT_OUT }
  const entries = part.parts.map(([name, inner]) => [name, valueOf(inner, texts, isDraft)] as const)
  const problems = entries.flatMap(([, read]) => ('problems' in read ? [...read.problems] : []))
  if (problems.length > 0) return { problems: new Map(problems) }
  const given = entries.flatMap(([name, read]) =>
    'value' in read && read.value !== LEFT_OUT ? [[name, read.value]] : [],
  )
  return { value: Object.fromEntries(given) as JsonObject }
}

/**
 * A value to go on from in an editor: what the fields hold, also what cannot be read, as a text, and a start for each
 * that must be given and is empty.
 */
export function draftOf(form: ArgumentForm, texts: FieldTexts): unknown {
  const read = valueOf(form.part, texts, true)
  return 'value' in read ? read.value : {}
}

function problemOf({ id }: ArgumentField, problem: string): Parsed {
  return { problems: new Map([[id, problem]]) }
}

function readField(field: ArgumentField, text: string, isDraft: boolean): Parsed {
  if (text === '' && field.isNullIfEmpty) return { value: null }
  if (field.kind === 'text' && !(field.choices && text === '' && field.required))
    return { value: text === '' && !field.required ? LEFT_OUT : text }
  if (text.trim() === '' && !field.required) return { value: LEFT_OUT }
  if (text.trim() === '') return isDraft ? { value: startFor(field) } : problemOf(field, `is required: ${field.type}`)
  return readJson(field, text, isDraft)
}

function readJson(field: ArgumentField, text: string, isDraft: boolean): Parsed {
  try {
    const value = parseWritten(text)
    if (isOfTypes(field, value) || (isDraft && !isText(field))) return { value }
    return isText(field) ? { value: text } : problemOf(field, `must be ${field.type}`)
  } catch (error) {
    if (isDraft) return { value: text }
    if (error instanceof UnkeptNumber) return problemOf(field, error.message)
    return isText(field) ? { value: text } : problemOf(field, `is not JSON for ${field.type}`)
  }
}

/** What a field that must be given begins with in an editor. */
function startFor({ choices, kind, schema }: ArgumentField): unknown {
  const [first] = choices ?? []
  if (first) return kind === 'text' ? first.text : parseWritten(first.text)
  return skeleton(schema, 1)
}

/** Checked here too, since a schema may be one that nothing can check. */
function isOfTypes({ types }: ArgumentField, value: unknown): boolean {
  return !types || types.some(type => isOfType(value, type))
}

/** Whether what is no JSON for a field is taken literally. */
function isText(field: ArgumentField): boolean {
  return field.kind === 'either' && isOfTypes(field, '')
}
