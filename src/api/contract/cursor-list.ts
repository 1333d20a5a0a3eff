import * as z from 'zod'
import { shape, strictBody } from './shapes.ts'

/**
 * Options of a GET list that has a cursor and nothing else. The OpenAPI file puts it into a body,
 * which a GET cannot carry (differences, row 12).
 */
export const cursorQuery = shape(() => strictBody({ cursor: z.string().optional() }))

/** Where such a list takes its cursor. */
export const queryCursor = { in: 'query', name: 'cursor' } as const
