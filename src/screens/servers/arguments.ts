import { isSameJson } from '../../domain/json/same-json.ts'
import { skeleton } from '../../domain/suites/skeleton.ts'
import { jsonText } from '../../lib/printable.ts'
import { isPlainObject, type JsonObject } from '../../lib/json.ts'
import {
  blanksOf,
  filling,
  isLeftOut,
  LEFT_OUT,
  readField,
  textOf,
  type ArgumentField,
  type Blank,
  type FieldTexts,
} from './argument-field.ts'
import { partsOf, type Part } from './argument-parts.ts'

/** The form before a call: a field for each argument, or one field for all of them as JSON. */
export type ArgumentForm = {
  whole: boolean
  part: Part
  /** Contents of fields that differ from their initial text. */
  texts: FieldTexts
}

/** Whether there is nothing to fill in. */
export function asksNothing({ part }: ArgumentForm): boolean {
  return part.kind === 'group' && part.parts.length === 0
}

const NO_TEXTS: FieldTexts = new Map()

/** Returns the form for a tool's input schema. */
export function argumentForm(schema: JsonObject | null | undefined): ArgumentForm {
  if (!schema) return wholeOf({})
  const part = partsOf(schema)
  if (part) return { whole: false, part, texts: NO_TEXTS }
  const start = skeleton(schema, 0)
  return wholeOf(isPlainObject(start) ? start : {})
}

/** Returns the visible fields: of variants only those of the selected one. */
export function shownFields({ part }: Pick<ArgumentForm, 'part'>, texts: FieldTexts): ArgumentField[] {
  if (part.kind === 'field') return [part.field]
  if (part.kind === 'fixed') return []
  if (part.kind === 'group') return part.parts.flatMap(([, inner]) => shownFields({ part: inner }, texts))
  const chosen = part.variants[Number(textOf(part.field, texts) || NaN)]
  return [part.field, ...(chosen ? shownFields({ part: chosen }, texts) : [])]
}

const PROMPT_TEXT = { kind: 'text', type: 'text', types: ['string'] } as const

/** Returns the form for a prompt's arguments, which are texts. */
export function promptForm(
  declared: readonly { name: string; description?: string | null | undefined; required?: boolean | null | undefined }[],
): ArgumentForm {
  const parts = declared.map(({ name, description, required }): readonly [string, Part] => {
    const field: ArgumentField = {
      id: `/${name}`,
      label: name,
      path: [name],
      ...PROMPT_TEXT,
      required: required === true,
      description: description ?? undefined,
      schema: { type: 'string' },
      initial: '',
      blanks: blanksOf(PROMPT_TEXT, required === true),
    }
    return [name, { kind: 'field', field }]
  })
  return { whole: false, part: { kind: 'group', required: true, parts }, texts: NO_TEXTS }
}

/**
 * Returns the form filled with earlier arguments; all of them are one JSON text if a field cannot represent its value.
 */
export function filledForm(form: ArgumentForm, sent: JsonObject): ArgumentForm {
  if (form.whole) return wholeOf(sent)
  const texts = new Map<string, string | Blank>()
  const isHeld = fill(form.part, sent, texts)
  const filled = { ...form, texts }
  const back = isHeld ? parseArguments(filled, texts) : undefined
  return back && 'value' in back && isSameJson(back.value, sent) ? filled : wholeOf(sent)
}

/** Returns the form filled with the last arguments; undefined if there were none, or they no longer fit the fields. */
export function rememberedForm(form: ArgumentForm, sent: JsonObject): ArgumentForm | undefined {
  if (asksNothing(form) || Object.keys(sent).length === 0) return undefined
  const filled = filledForm(form, sent)
  return filled.whole === form.whole ? filled : undefined
}

/** Fills the fields of a part with a value; returns whether they can represent it. Undefined leaves it out. */
function fill(part: Part, value: unknown, texts: Map<string, string | Blank>): boolean {
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
    const own = new Map<string, string | Blank>()
    const read = fill(variant, value, own) ? valueOf(variant, own) : undefined
    if (!read || !('value' in read) || !isSameJson(read.value, value)) return false
    for (const [id, text] of own) texts.set(id, text)
    texts.set(part.field.id, String(at))
    return true
  })
}

function fillField(field: ArgumentField, value: unknown, texts: Map<string, string | Blank>): boolean {
  const held = filling(field, value)
  texts.set(field.id, held ?? '')
  return held !== undefined
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
    blanks: [],
  }
  return { whole: true, part: { kind: 'field', field }, texts: NO_TEXTS }
}

export type ParsedArguments =
  | { value: JsonObject }
  /** Errors of the fields, by id. */
  | { problems: ReadonlyMap<string, string> }

type Parsed = { value: unknown } | { problems: ReadonlyMap<string, string> }

/** Parses the fields. An empty optional field is left out, and so is an optional object without any given field. */
export function parseArguments(form: ArgumentForm, texts: FieldTexts): ParsedArguments {
  const read = valueOf(form.part, texts)
  if ('problems' in read) return read
  if (isPlainObject(read.value)) return { value: read.value }
  const [field] = shownFields(form, texts)
  return { problems: new Map([[field?.id ?? '', 'must be a JSON object, such as {}']]) }
}

/** @param isDraft accepts JSON of any type, for a person to continue */
function valueOf(part: Part, texts: FieldTexts, isDraft = false): Parsed {
  if (part.kind === 'fixed') return { value: part.value }
  if (part.kind === 'field') return readPart(part.field, texts, isDraft)
  if (part.kind === 'variants') {
    const chosen = part.variants[Number(textOf(part.field, texts) || NaN)]
    if (chosen) return valueOf(chosen, texts, isDraft)
    if (!part.required) return { value: LEFT_OUT }
    const [first] = part.variants
    return isDraft && first ? valueOf(first, texts, true) : problemOf(part.field, 'is required: choose one')
  }
  if (!part.required && shownFields({ part }, texts).every(field => isLeftOut(field, texts))) return { value: LEFT_OUT }
  const entries = part.parts.map(([name, inner]) => [name, valueOf(inner, texts, isDraft)] as const)
  const problems = entries.flatMap(([, read]) => ('problems' in read ? [...read.problems] : []))
  if (problems.length > 0) return { problems: new Map(problems) }
  const given = entries.flatMap(([name, read]) =>
    'value' in read && read.value !== LEFT_OUT ? [[name, read.value]] : [],
  )
  return { value: Object.fromEntries(given) as JsonObject }
}

/**
 * Returns a value to continue from in an editor: the contents of the fields, including invalid ones as texts, and an
 * initial value for each empty required field.
 */
export function draftOf(form: ArgumentForm, texts: FieldTexts): unknown {
  const read = valueOf(form.part, texts, true)
  return 'value' in read ? read.value : {}
}

function problemOf({ id }: ArgumentField, problem: string): Parsed {
  return { problems: new Map([[id, problem]]) }
}

function readPart(field: ArgumentField, texts: FieldTexts, isDraft: boolean): Parsed {
  const read = readField(field, texts, isDraft)
  return 'problem' in read ? problemOf(field, read.problem) : read
}
