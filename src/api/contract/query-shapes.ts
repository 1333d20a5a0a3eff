import * as z from 'zod'
import { shape } from './shapes.ts'

/** A query switch: a boolean on the caller's side, its text on the service's side. */
export const flag = shape(() => z.union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })]))

/** A page size from 1 up to `max`. */
export function limit(max: number) {
  return z.coerce.number().int().min(1).max(max)
}

/** A comma list whose entries must all be known; the service refuses an unknown one instead of widening the filter. */
export function commaList(known: readonly string[]) {
  return z
    .string()
    .refine(text => text.split(',').every(entry => known.includes(entry.trim())), {
      error: `expected a comma list of ${known.join(', ')}`,
    })
}
