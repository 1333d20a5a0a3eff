import * as z from 'zod'
import type { FieldInput, FieldOption } from '../../../components/form/field-input.ts'
import { valuesOf } from '../../../components/form/field-input.ts'
import { EMPTY_LIST, EMPTY_TEXT, type Blank } from '../argument-field.ts'
import { isPlainObject, numberProblem, parseWritten, UnkeptNumber, type JsonObject } from '../../../lib/json.ts'

/** A field of a form that a server asks for. */
export type RequestedField = {
  name: string
  label: string
  /** Its type in words. */
  kind: string
  required: boolean
  note: string | undefined
  input: FieldInput
  initial: string
  /** The value of an empty field, if the person chooses it. */
  blank?: Blank
  /** Parses a text; undefined leaves it out. */
  read: (text: string) => { value: unknown } | { problem: string } | undefined
}

/** More fields than this are easier to edit as one JSON text. */
const MOST_FIELDS = 40
const WHOLE = 'content'

/** Returns the fields of a requested schema; if it is not a plain form, a single field for JSON. */
export function requestedFields(schema: unknown): RequestedField[] {
  const properties = isPlainObject(schema) ? schema['properties'] : undefined
  const names = isPlainObject(properties) ? Object.keys(properties) : []
  if (!isPlainObject(properties) || !isPlainObject(schema) || names.length > MOST_FIELDS) return [wholeField(names)]
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return names.map(name =>
    fieldOf(name, isPlainObject(properties[name]) ? properties[name] : {}, required.includes(name)),
  )
}

/** Returns the contents, or the errors by field. */
export function readFields(
  fields: readonly RequestedField[],
  givenOf: (name: string) => string | Blank,
): { content: JsonObject } | { faults: Record<string, string> } {
  const read = fields.map(field => ({ field, found: readField(field, givenOf(field.name)) }))
  const wrong = read.flatMap(({ field: { name }, found }) =>
    found && 'problem' in found ? [[name, found.problem]] : [],
  )
  if (wrong.length > 0) return { faults: Object.fromEntries(wrong) as Record<string, string> }
  const values = read.flatMap(({ field: { name }, found }) => (found && 'value' in found ? [[name, found.value]] : []))
  const content = Object.fromEntries(values) as JsonObject
  const whole = content[WHOLE]
  return { content: fields[0]?.kind === WHOLE_KIND && isPlainObject(whole) ? whole : content }
}

function readField(field: RequestedField, given: string | Blank): ReturnType<RequestedField['read']> {
  if (typeof given !== 'string') return { value: given.value }
  const found = field.read(given)
  return found ?? (field.required ? { problem: 'This field is required.' } : undefined)
}

const WHOLE_KIND = 'JSON object'

function wholeField(names: readonly string[]): RequestedField {
  return {
    name: WHOLE,
    label: WHOLE,
    kind: WHOLE_KIND,
    required: true,
    note: names.length > 0 ? `It asks for ${names.length} fields, more than a form shows.` : undefined,
    input: { kind: 'lines' },
    initial: '{}',
    read(text) {
      try {
        const value = parseWritten(text)
        return isPlainObject(value) ? { value } : { problem: 'must be a JSON object, such as {}' }
      } catch (error) {
        return { problem: error instanceof UnkeptNumber ? error.message : 'is not JSON' }
      }
    },
  }
}

function fieldOf(name: string, schema: JsonObject, required: boolean): RequestedField {
  const { type, title, description, default: initial } = schema
  const said = [textOf(description), boundsOf(schema)].filter(Boolean).join(' ')
  const named = textOf(title) === undefined ? [] : [name]
  const note = [...named, ...(said === '' ? [] : [said])].join(': ') || undefined
  const about = { name, label: textOf(title) ?? name, required, note }
  const options = optionsOf(schema)
  if (options && type === 'array')
    return {
      ...about,
      kind: 'any of these',
      input: { kind: 'choices', options },
      initial: Array.isArray(initial) ? initial.filter(each => typeof each === 'string').join('\n') : '',
      ...(!required && { blank: EMPTY_LIST }),
      read: chosen => (chosen === '' && !required ? undefined : { value: valuesOf(chosen) }),
    }
  return {
    ...about,
    ...(options || type === 'boolean' ? choice(options, required) : typed(schema)),
    initial: start(initial),
  }
}

type Filling = Pick<RequestedField, 'kind' | 'input' | 'read' | 'blank'>

/** Returns a choice between options; without options between yes and no. An optional choice can be undone. */
function choice(options: FieldOption[] | undefined, required: boolean): Filling {
  const offered = options ?? [
    { value: 'true', label: 'yes' },
    { value: 'false', label: 'no' },
  ]
  const leftOut = required ? [] : [{ value: '', label: 'left out' }]
  return {
    kind: options ? 'one of these' : 'yes or no',
    input: { kind: 'choice', options: [...leftOut, ...offered], none: 'not chosen' },
    read: chosen => (chosen === '' ? undefined : { value: options ? chosen : chosen === 'true' }),
  }
}

function typed({ type, format }: JsonObject): Filling {
  if (type === 'number' || type === 'integer')
    return {
      kind: type === 'integer' ? 'whole number' : 'number',
      input: { kind: 'text' },
      read: text => readNumber(text.trim(), type === 'integer'),
    }
  const kind = textOf(format)
  return {
    kind: kind ?? 'text',
    input: { kind: kind === undefined ? 'lines' : 'text' },
    ...(kind === undefined && { blank: EMPTY_TEXT }),
    read: text => readText(text, kind),
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Returns a default as a text; a default that does not fit a field is left out. */
function start(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

function readNumber(text: string, isWhole: boolean): ReturnType<RequestedField['read']> {
  if (text === '') return undefined
  const value = Number(text)
  if (!Number.isFinite(value)) return { problem: 'is not a number' }
  if (isWhole && !Number.isInteger(value)) return { problem: 'is not a whole number' }
  const problem = numberProblem(value, text)
  return problem ? { problem } : { value }
}

/** The formats that the protocol defines for a form. */
const FORMATS: Readonly<Record<string, () => z.ZodType>> = {
  email: () => z.email(),
  uri: () => z.url(),
  date: () => z.iso.date(),
  'date-time': () => z.iso.datetime({ offset: true }),
}

function readText(typed: string, format: string | undefined): ReturnType<RequestedField['read']> {
  if (typed === '') return undefined
  const shape = format === undefined ? undefined : FORMATS[format]?.()
  return shape && !shape.safeParse(typed).success ? { problem: `is not a valid ${format}` } : { value: typed }
}

/** Returns the choices of a field, with the server's titles. */
function optionsOf(schema: JsonObject): FieldOption[] | undefined {
  const of = schema['type'] === 'array' && isPlainObject(schema['items']) ? schema['items'] : schema
  const titled = [of['oneOf'], of['anyOf']].find(Array.isArray)
  if (titled)
    return titled
      .filter(isPlainObject)
      .map(each => ({ value: String(each['const']), ...labelOf(each['const'], each['title']) }))
  const { enum: values, enumNames: names } = of
  if (!Array.isArray(values)) return undefined
  return values.map((value, at) => ({
    value: String(value),
    ...labelOf(value, Array.isArray(names) ? names[at] : undefined),
  }))
}

function labelOf(value: unknown, title: unknown): { label: string; detail?: string } {
  return typeof title === 'string' ? { label: title, detail: String(value) } : { label: String(value) }
}

/** Text before and after the number of a bound. */
const BOUNDS: Readonly<Record<string, readonly [string, string]>> = {
  minimum: ['at least', ''],
  maximum: ['at most', ''],
  minLength: ['at least', ' characters'],
  maxLength: ['at most', ' characters'],
  minItems: ['at least', ' entries'],
  maxItems: ['at most', ' entries'],
}

function boundsOf(schema: JsonObject): string {
  const bounds = Object.entries(BOUNDS).flatMap(([name, [bound, unit]]) =>
    typeof schema[name] === 'number' ? [`${bound} ${schema[name]}${unit}`] : [],
  )
  return bounds.length === 0 ? '' : `(${bounds.join(', ')})`
}
