import * as z from 'zod'

// Writing and compiling a function for every object costs a start more than a hundred pages of answers win by it.
z.config({ jitless: true })

/**
 * A declared schema that is made when it is first asked for: `EvalRun()` is the schema, `z.infer<typeof EvalRun>` its
 * type. The contract has thousands of schemas and a start uses a few dozen of them.
 */
export type Shape<T extends z.ZodType = z.ZodType> = (() => T) & { readonly _zod: T['_zod'] }

/** Declares a shape; `make` is called at most once. */
export function shape<T extends z.ZodType>(make: () => T): Shape<T> {
  let made: T | undefined
  return Object.defineProperty(() => (made ??= make()), '_zod', asSchema) as Shape<T>
}

/** What zod looks for in a schema; a shape that is used as one works. */
const asSchema = {
  get(this: Shape) {
    return this()._zod
  },
}

/**
 * A record as the service answers it: unknown fields survive, so that a newer
 * deployment is never refused (contract: "Clients must ignore unknown response fields").
 */
export const record = z.looseObject

/** A body as the caller writes it: an undeclared field is an error (contract: strict bodies). */
export const strictBody = z.strictObject

/** Text with known values; an unknown value survives as it is. */
export type Open<T extends string> = T | (string & {})

/** Read-side enum: documents the known values and lets every other text through. */
export function openEnum<const T extends string>(values: readonly T[]): z.ZodType<Open<T>> {
  return z.string().meta({ values })
}

/**
 * A point in time: epoch milliseconds on most records, ISO text on a few
 * (contract differences, row 33). Read it with {@link toEpochMs}.
 */
export const timestamp = shape(() => z.union([z.number(), z.string()]))

/** Epoch milliseconds of a wire timestamp; `undefined` when absent, unreadable or no time that a calendar has. */
export function toEpochMs(value: number | string | null | undefined): number | undefined {
  if (value == null) return undefined
  const time = new Date(value).getTime()
  return Number.isNaN(time) ? undefined : time
}

/** Whether a value is an object in the JSON sense: neither null nor an array. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A JSON object whose fields the contract leaves open. */
export const openObject = shape(() => z.record(z.string(), z.unknown()))

/**
 * One page of a list. Absent, null and empty `nextCursor` all mean "no more"
 * (contract differences, row 13). A bare array is read as a single page (row 3).
 */
export function page<T extends z.ZodType>(item: Shape<T>) {
  return shape(() =>
    z.preprocess(
      value => (Array.isArray(value) ? { items: value as unknown[] } : value),
      record({ items: z.array(item()), nextCursor: z.string().nullish() }),
    ),
  )
}

/** Cursor to send for the next page, or `undefined` at the end of a list. */
export function nextCursorOf(reply: { nextCursor?: string | null | undefined }): string | undefined {
  return reply.nextCursor ? reply.nextCursor : undefined
}

/** POST body of operations that take nothing; sent as `{}`. */
export const emptyBody = shape(() => strictBody({}).optional())
