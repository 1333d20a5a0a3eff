import * as z from 'zod'

/**
 * Reads a value by its shape, as `safeParse` does. Where more is wrong with it than the library's recursion can
 * collect, that is the one issue.
 */
export function readShape<T extends z.ZodType>(shape: T, value: unknown): z.ZodSafeParseResult<z.output<T>> {
  try {
    return shape.safeParse(value)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const message = 'wrong in too many places to name them'
    const only = new z.ZodError([{ code: 'custom', path: [], message, input: undefined }])
    return { success: false, error: only as z.ZodError<z.output<T>> }
  }
}
