import * as z from 'zod'
import { page, shape, strictBody, type Shape } from './shapes.ts'

/**
 * Options that every GET list takes beside its own (service-api, "General conventions"). The OpenAPI file puts some of
 * them into a body, which a GET cannot carry (differences, row 12).
 */
export const pageOptions = () => ({
  /** Most items of the answer; the service may give fewer, with a cursor. */
  limit: z.coerce.number().int().min(1).optional(),
  cursor: z.string().optional(),
})

/** Options of a list that has no others. */
export const listQuery = shape(() => strictBody(pageOptions()))

/** Where such a list takes its cursor. */
export const queryCursor = { in: 'query', name: 'cursor' } as const

/** What such a list declares about its items. */
export function listOf<T extends z.ZodType>(item: Shape<T>) {
  return { query: listQuery, response: page(item), cursor: queryCursor }
}
