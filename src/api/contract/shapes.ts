import * as z from 'zod'

// Compiling a function for each schema costs more at startup than it saves over a hundred pages of answers.
z.config({ jitless: true })

/** A schema that is created on first use: `EvalRun()` is the schema, `z.infer<typeof EvalRun>` its type. */
export type Shape<T extends z.ZodType = z.ZodType> = (() => T) & { readonly _zod: T['_zod'] }

/** Declares a shape. `make` is called at most once. */
export function shape<T extends z.ZodType>(make: () => T): Shape<T> {
  let made: T | undefined
  return Object.defineProperty(() => (made ??= make()), '_zod', asSchema) as Shape<T>
}

/** Properties that zod expects of a schema, so that a shape can be used as one. */
const asSchema = {
  get(this: Shape) {
    return this()._zod
  },
}

/** A record as the service returns it. Unknown fields are kept (contract: "Clients must ignore unknown …"). */
export const record = z.looseObject

/** A body as the caller writes it. An undeclared field is an error (contract: strict bodies). */
export const strictBody = z.strictObject

/** Text with known values. An unknown value is kept as it is. */
export type Open<T extends string> = T | (string & {})

/** Declares an enum for reading: it documents the known values and accepts every other text. */
export function openEnum<const T extends string>(values: readonly T[]): z.ZodType<Open<T>> {
  return z.string().meta({ values })
}

/** A point in time as epoch milliseconds or ISO text (differences, row 33). Read it with {@link toEpochMs}. */
export const timestamp = shape(() => z.union([z.number(), z.string()]))

/** Converts a wire timestamp to epoch milliseconds; `undefined` if it is absent or not a valid date. */
export function toEpochMs(value: number | string | null | undefined): number | undefined {
  if (value == null) return undefined
  const time = new Date(value).getTime()
  return Number.isNaN(time) ? undefined : time
}

export { isPlainObject } from '../../lib/json.ts'

export const openObject = shape(() => z.record(z.string(), z.unknown()))

/**
 * Declares one page of a list. An absent, null or empty `nextCursor` means the end (row 13). An array is one page (row
 * 3).
 */
export function page<T extends z.ZodType>(item: Shape<T>) {
  return shape(() =>
    z.preprocess(
      value => (Array.isArray(value) ? { items: value as unknown[] } : value),
      record({ items: z.array(item()), nextCursor: z.string().nullish() }),
    ),
  )
}

/** Returns the cursor to send for the next page, or `undefined` at the end of a list. */
export function nextCursorOf(reply: { nextCursor?: string | null | undefined }): string | undefined {
  return reply.nextCursor ? reply.nextCursor : undefined
}

/** POST body of operations without input, sent as `{}`. */
export const emptyBody = shape(() => strictBody({}).optional())

/**
 * Makes the library stop at the first fault of each list and record, as its own `validate` does. Its types allow the
 * option only there. Without it a list of 100,000 wrong items takes hundreds of megabytes to describe.
 */
const FIRST_FAULTS: z.core.ParseContextInternal<z.core.$ZodIssue> = { abortEarly: true }

/**
 * Reads a value by its shape, like `safeParse`. Issues beyond the library's recursion become one issue.
 * @param isLong the value may have thousands of faults, of which the first ones are enough
 */
export function readShape<T extends z.ZodType>(
  shape: T,
  value: unknown,
  isLong = false,
): z.ZodSafeParseResult<z.output<T>> {
  try {
    return shape.safeParse(value, isLong ? FIRST_FAULTS : undefined)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const message = 'invalid in too many places to list'
    const only = new z.ZodError([{ code: 'custom', path: [], message, input: undefined }])
    return { success: false, error: only as z.ZodError<z.output<T>> }
  }
}

/** Arguments of `.refine`: the condition of a body, and the field that is named if it is violated. */
type BodyRule = readonly [
  holds: (body: Record<string, unknown>) => boolean,
  failure: { path?: string[]; error: string },
]

/** A sparse edit must set something. `undefined` vanishes in JSON, so it counts as unset, while `null` is a value. */
export const anyField: BodyRule = [
  body => Object.values(body).some(value => value !== undefined),
  { error: 'at least one field is needed' },
]

/** Requires `other` if `field` is sent. The missing one is named. */
export function needs(field: string, other: string): BodyRule {
  return [
    body => body[field] === undefined || body[other] !== undefined,
    { path: [other], error: `goes together with ${field}` },
  ]
}

/** Requires exactly one of two fields. */
export function exactlyOne(field: string, other: string): BodyRule {
  return [
    body => (body[field] === undefined) !== (body[other] === undefined),
    { path: [field], error: `send exactly one of ${field} and ${other}` },
  ]
}

/** Requires that `field`, if it is sent, is the only one. */
export function alone(field: string): BodyRule {
  return [
    body =>
      body[field] === undefined || Object.entries(body).every(([name, value]) => name === field || value === undefined),
    { path: [field], error: 'must be sent on its own' },
  ]
}

/** Declares the options of every GET list (service-api, "General conventions"; differences, row 12). */
export const pageOptions = () => ({
  /** Maximum number of items of the answer. The service may return fewer, with a cursor. */
  limit: z.coerce.number().int().min(1).optional(),
  cursor: z.string().optional(),
})

export const listQuery = shape(() => strictBody(pageOptions()))

export const queryCursor = { in: 'query', name: 'cursor' } as const

/** Declares query, answer and cursor of such a list. */
export function listOf<T extends z.ZodType>(item: Shape<T>) {
  return { query: listQuery, response: page(item), cursor: queryCursor }
}

/** A switch in the query: a boolean for the caller, its text for the service. */
export const flag = shape(() => z.union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })]))

/** Declares a page size from 1 up to `max`. */
export function limit(max: number) {
  return z.coerce.number().int().min(1).max(max)
}

/**
 * Declares a comma-separated list of known entries. The service refuses an unknown one instead of widening the filter.
 */
export function commaList(known: readonly string[]) {
  return z
    .string()
    .refine(text => text.split(',').every(entry => known.includes(entry.trim())), {
      error: `expected a comma list of ${known.join(', ')}`,
    })
}
