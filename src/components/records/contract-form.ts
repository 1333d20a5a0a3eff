import type * as z from 'zod'
import type { AnyEndpoint } from '../../api/contract/endpoint.ts'
import type { FieldInput } from '../form/field-input.ts'
import type { FormFieldSpec, FormValues } from '../form/form-dialog.tsx'

/** From this maximum length on a text may have several lines, and is sent as written. */
const LONG = 2000

/**
 * Returns the fields of an endpoint's body according to its schema: whether they are required, the length of texts, the
 * range of numbers. They start with the values of the record; `fields` adds what the schema does not define.
 */
export function contractFields(
  endpoint: AnyEndpoint,
  record: Readonly<Record<string, unknown>> | undefined,
  fields: Readonly<Record<string, Partial<FormFieldSpec>>>,
): FormFieldSpec[] {
  return Object.entries(fields).map(([id, more]) => {
    const declared = declaredIn(endpoint, id)
    const label = `${id.charAt(0).toUpperCase()}${id.slice(1)}`
    const value = record?.[id]
    const initial = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
    return { id, label, initial, required: !declared.isOptional(), ...inputOf(bare(declared)), ...more }
  })
}

/** Returns the body for the texts of a form: an empty text is left out, or clears the field of an existing record. */
export function contractBody(endpoint: AnyEndpoint, values: FormValues, isChange: boolean): Record<string, unknown> {
  const entries = Object.entries(values).flatMap(([id, text]) => {
    const declared = declaredIn(endpoint, id)
    if (bare(declared).type !== 'string') return []
    const given = isLong(bare(declared)) ? text : text.trim()
    if (given !== '') return [[id, given]]
    if (isChange) return [[id, declared.isNullable() ? null : '']]
    return declared.isOptional() ? [] : [[id, '']]
  })
  return Object.fromEntries(entries) as Record<string, unknown>
}

function declaredIn({ operation, body }: AnyEndpoint, id: string): z.ZodType {
  const declared = (body as z.ZodObject | undefined)?.shape[id]
  if (!declared) throw new Error(`The body of ${operation} has no ${id}.`)
  return declared as z.ZodType
}

/** Returns the schema without `optional` and `nullable`. */
function bare(declared: z.ZodType): z.ZodType {
  return 'unwrap' in declared ? bare((declared as z.ZodOptional<z.ZodType>).unwrap()) : declared
}

function isLong(shape: z.ZodType): boolean {
  return shape.type === 'string' && ((shape as z.ZodString).maxLength ?? 0) >= LONG
}

function inputOf(shape: z.ZodType): { input?: FieldInput; check?: FormFieldSpec['check'] } {
  if (shape.type === 'number') {
    const { minValue, maxValue } = shape as z.ZodNumber
    return { input: { kind: 'number', least: minValue ?? -Infinity, most: maxValue ?? Infinity, whole: true } }
  }
  const most = shape.type === 'string' ? (shape as z.ZodString).maxLength : null
  if (most === null) return {}
  const check = (text: string) =>
    text.length > most ? `It takes ${most} characters at most; this has ${text.length}.` : undefined
  return { check, ...(isLong(shape) && { input: { kind: 'lines' } }) }
}
