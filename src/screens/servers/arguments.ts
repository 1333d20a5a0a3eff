import { isSameJson } from '../../domain/json/same-json.ts'
import { choicesOf, requiredNames, skeleton, startOf } from '../../domain/suites/skeleton.ts'
import { isJson, jsonText } from '../../lib/printable.ts'
import { clean } from '../../tui/theme/text.ts'
import { schemaType } from './schema-lines.ts'
import { isPlainObject, parseWritten, UnkeptNumber, type JsonObject } from '../../lib/json.ts'

/**
 * How the text of a field becomes a value: `text` is taken literally, `json` is parsed, `either` is
 * parsed where it is JSON and taken literally where it is not.
 */
export type FieldKind = 'text' | 'json' | 'either'

export type ArgumentField = {
  name: string
  kind: FieldKind
  required: boolean
  /** Its type in words, such as `number` or `"a" | "b"`. */
  type: string
  description: string | undefined
  /**
   * What the field holds before anything is typed; never holds control characters but line breaks where it is typed.
   */
  initial: string
  /** The texts that it can be, where it is chosen and not typed. */
  choices?: readonly string[]
}

/** What is asked before a call: one field per argument, or one field for all of them as JSON. */
export type ArgumentForm = { whole: boolean; fields: readonly ArgumentField[] }

/** More fields than this are easier to edit as one JSON text. */
const MOST_FIELDS = 40
const COMPOSITION = ['anyOf', 'oneOf', 'allOf', '$ref', 'if']

/** The form of a tool's input schema. */
export function argumentForm(schema: JsonObject | null | undefined): ArgumentForm {
  const properties = schema?.['properties']
  if (!schema || COMPOSITION.some(keyword => keyword in schema)) return wholeForm(schema)
  const names = isPlainObject(properties) ? Object.keys(properties) : undefined
  const closed = schema['additionalProperties'] === false
  if (names?.length === 0 || (!names && closed)) return { whole: false, fields: [] }
  if (!isPlainObject(properties) || !names || names.length > MOST_FIELDS) return wholeForm(schema)
  const required = requiredNames(schema)
  const fields = names.map(name => fieldOf(name, properties[name], required.has(name)))
  return { whole: false, fields: [...fields.filter(f => f.required), ...fields.filter(f => !f.required)] }
}

/** The form of a prompt's arguments, which are texts. */
export function promptForm(
  declared: readonly { name: string; description?: string | null | undefined; required?: boolean | null | undefined }[],
): ArgumentForm {
  const fields = declared.map((argument): ArgumentField => ({
    name: argument.name,
    kind: 'text',
    required: argument.required === true,
    type: 'text',
    description: argument.description ?? undefined,
    initial: '',
  }))
  return { whole: false, fields }
}

/** The form with what was sent before; all of it is one JSON text where a field cannot hold its value. */
export function filledForm(form: ArgumentForm, sent: JsonObject): ArgumentForm {
  const fields = form.fields.map((field): ArgumentField => {
    const value = sent[field.name]
    if (!Object.hasOwn(sent, field.name)) return { ...field, initial: '' }
    return { ...field, initial: field.kind === 'text' && typeof value === 'string' ? value : jsonText(value) }
  })
  const filled = { whole: false, fields }
  const back = form.whole
    ? undefined
    : parseArguments(
        filled,
        fields.map(({ initial }) => initial),
      )
  const isSame = back && 'value' in back && isSameJson(back.value, sent)
  return isSame && fields.every(isShowable) ? filled : wholeOf(sent)
}

/** The form with what was sent last; undefined where there was nothing, or it does not go into the fields any more. */
export function rememberedForm(form: ArgumentForm, sent: JsonObject): ArgumentForm | undefined {
  if (form.fields.length === 0 || Object.keys(sent).length === 0) return undefined
  const filled = filledForm(form, sent)
  return filled.whole === form.whole ? filled : undefined
}

/** A choice shows its options only, and a text has no control characters. */
function isShowable({ initial, choices }: ArgumentField): boolean {
  const text = initial.replaceAll('\n', '')
  return clean(text) === text && (choices === undefined || initial === '' || choices.includes(initial))
}

function wholeForm(schema: JsonObject | null | undefined): ArgumentForm {
  const start = skeleton(schema ?? {}, 0)
  return wholeOf(isPlainObject(start) ? start : {})
}

function wholeOf(value: JsonObject): ArgumentForm {
  const field: ArgumentField = {
    name: 'arguments',
    kind: 'json',
    required: true,
    type: 'JSON object',
    description: undefined,
    initial: jsonText(value),
  }
  return { whole: true, fields: [field] }
}

function fieldOf(name: string, property: unknown, required: boolean): ArgumentField {
  const schema = isPlainObject(property) ? property : {}
  const description = schema['description']
  const about = {
    name,
    required,
    type: schemaType(schema),
    description: typeof description === 'string' ? description : undefined,
  }
  return { ...about, ...(chosen(schema, required) ?? initialOf(schema, kindOf(schema), required)) }
}

/** Switches and a few texts are chosen. An empty text is the same as one that is left out, so it has to be typed. */
function chosen(
  schema: JsonObject,
  required: boolean,
): Pick<ArgumentField, 'initial' | 'kind' | 'choices'> | undefined {
  const start = startOf(schema)
  if (schema['type'] === 'boolean' && choicesOf(schema).length === 0) {
    const initial = typeof start === 'boolean' ? String(start) : ''
    return { kind: 'json', initial, choices: ['false', 'true'] }
  }
  const choices = [...new Set(choicesOf(schema))]
  if (choices.length === 0 || !choices.every(choice => typeof choice === 'string' && choice !== '')) return undefined
  const texts = choices as string[]
  const first = required ? texts[0]! : ''
  return { kind: 'text', initial: texts.find(text => text === start) ?? first, choices: texts }
}

function kindOf(schema: JsonObject): FieldKind {
  const { type } = schema
  if (type === 'string') return 'text'
  const json = ['number', 'integer', 'boolean', 'object', 'array', 'null']
  if (typeof type === 'string') return json.includes(type) ? 'json' : 'either'
  const choices = choicesOf(schema)
  return choices.length > 0 && choices.every(choice => typeof choice === 'string') ? 'text' : 'either'
}

/** A text that can't be shown as it is becomes JSON with escapes, which is parsed back. */
function initialOf(schema: JsonObject, kind: FieldKind, required: boolean): Pick<ArgumentField, 'initial' | 'kind'> {
  const value = startOf(schema) ?? (required ? skeletonOfStructure(schema) : undefined)
  if (value === undefined) return { kind, initial: '' }
  if (kind === 'json') return { kind, initial: jsonText(value) }
  const plain = typeof value === 'string' && clean(value.replaceAll('\n', '')) === value.replaceAll('\n', '')
  if (kind === 'text') return plain ? { kind, initial: value } : { kind: 'either', initial: jsonText(value) }
  return { kind, initial: plain && !isJson(value) ? value : jsonText(value) }
}

/** Scalars stay empty, because a made-up number or switch would be sent unnoticed. */
function skeletonOfStructure(schema: JsonObject): unknown {
  const first = choicesOf(schema)[0]
  if (first !== undefined) return first
  return schema['type'] === 'object' || schema['type'] === 'array' ? skeleton(schema, 1) : undefined
}

export type ParsedArguments =
  | { value: JsonObject }
  /** What is wrong with each field, in the form's order. */
  | { problems: readonly (string | undefined)[] }

const LEFT_OUT = Symbol('left out')

/** Reads what was typed, a text per field. An empty optional field is left out. */
export function parseArguments(form: ArgumentForm, texts: readonly string[]): ParsedArguments {
  const read = form.fields.map((field, index) => readField(field, texts[index] ?? ''))
  if (read.some(field => 'problem' in field))
    return { problems: read.map(field => ('problem' in field ? field.problem : undefined)) }
  const values = read.map(field => ('value' in field ? field.value : LEFT_OUT))
  if (form.whole)
    return isPlainObject(values[0]) ? { value: values[0] } : { problems: ['must be a JSON object, such as {}'] }
  const entries = form.fields.map((field, index) => [field.name, values[index]] as const)
  return { value: Object.fromEntries(entries.filter(([, value]) => value !== LEFT_OUT)) }
}

function readField(field: ArgumentField, text: string): { value: unknown } | { problem: string } {
  if (field.kind === 'text') return { value: text === '' && !field.required ? LEFT_OUT : text }
  if (text.trim() === '') return field.required ? { problem: `is required: ${field.type}` } : { value: LEFT_OUT }
  try {
    return { value: parseWritten(text) }
  } catch (error) {
    if (error instanceof UnkeptNumber) return { problem: error.message }
    return field.kind === 'either' ? { value: text } : { problem: `is not JSON for ${field.type}` }
  }
}
