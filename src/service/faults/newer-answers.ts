import * as z from 'zod'
import { createRouter } from '../core/router.ts'

/** What a newer deployment may have that this contract does not know. */
export type Novelties = { fields: boolean; values: boolean }

/** A name and a value that no contract will ever have. */
const NOVELTY = 'injectedNovelty'

/**
 * Answers as a newer deployment would give them: with another field in every declared record, with another value in
 * every open list of values. Failures and other bodies stay as they are.
 */
export function createNewerAnswers() {
  const router = createRouter()
  return async (request: Request, response: Response, novelties: Novelties): Promise<Response> => {
    if ((!novelties.fields && !novelties.values) || !response.ok || request.method === 'HEAD') return response
    const match = router.match(request.method, new URL(request.url).pathname)
    if (!match) return response
    const body = newer(match.endpoint.response, await response.json(), novelties)
    const text = JSON.stringify(body)
    const headers = new Headers(response.headers)
    headers.set('content-length', String(Buffer.byteLength(text)))
    return new Response(text, { status: response.status, headers })
  }
}

function newer(schema: z.core.$ZodType, value: unknown, novelties: Novelties): unknown {
  const inside = (inner: z.core.$ZodType, part: unknown) => newer(inner, part, novelties)
  if (value === null || value === undefined) return value
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return inside(schema.unwrap(), value)
  if (schema instanceof z.ZodLazy) return inside(schema.unwrap(), value)
  if (schema instanceof z.ZodUnion) {
    const option = schema.options.find(each => z.safeParse(each, value).success)
    return option ? inside(option, value) : value
  }
  // A page takes its items bare too, and is answered so.
  if (schema instanceof z.ZodPipe)
    return Array.isArray(value)
      ? (inside(schema.out, { items: value }) as { items: unknown }).items
      : inside(schema.out, value)
  if (schema instanceof z.ZodString) return novelties.values && schema.meta()?.['values'] ? NOVELTY : value
  if (schema instanceof z.ZodArray) return (value as unknown[]).map(item => inside(schema.element, item))
  if (schema instanceof z.ZodRecord) return mapped(value, (_, item) => inside(schema.valueType, item))
  if (!(schema instanceof z.ZodObject)) return value
  const parts = mapped(value, (name, part) => (schema.shape[name] ? inside(schema.shape[name], part) : part))
  return novelties.fields ? { ...parts, [NOVELTY]: { nested: [NOVELTY] } } : parts
}

function mapped(value: unknown, change: (name: string, part: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value as object).map(([name, part]) => [name, change(name, part)]))
}
