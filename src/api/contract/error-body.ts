import * as z from 'zod'
import { shape } from './shapes.ts'

/** Body of every non-2xx reply. An unknown `code` is kept as text. */
export const ErrorBody = shape(() =>
  z.looseObject({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()).nullish() }),
)
export type ErrorBody = z.infer<typeof ErrorBody>
