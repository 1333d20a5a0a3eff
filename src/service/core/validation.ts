import type * as z from 'zod'
import type { AnyEndpoint } from '../../api/contract/endpoint.ts'
import { MAX_INPUT_LEVELS, textHasMoreLevels, isPlainObject, parseExact } from '../../lib/json.ts'
import type { ApiRequest } from '../../api/contract/message.ts'
import { readShape } from '../../api/contract/shapes.ts'
import { untilAborted } from './deadline.ts'
import { ServiceError } from './errors.ts'

type Issue = { path: string; message: string }

/**
 * Returns a refusal that names the first field and lists every issue. @param reason the contract's name for the reason
 */
function invalidInput(issues: readonly Issue[], reason?: string): ServiceError {
  const [first] = issues
  const field = first?.path ?? ''
  const message = field ? `${field}: ${first?.message}` : (first?.message ?? 'The request is not valid.')
  const details = { field, issues, ...(reason !== undefined && { reason }) }
  return new ServiceError('VALIDATION_ERROR', message, { details })
}

export function invalidField(field: string, message: string, details: Record<string, unknown> = {}): ServiceError {
  return new ServiceError('VALIDATION_ERROR', `${field}: ${message}`, {
    details: { field, issues: [{ path: field, message }], ...details },
  })
}

/** Maximum number of issues in a refusal. Without it a refusal could be far longer than the request. */
const MAX_ISSUES = 100

/** Returns Zod's issues with readable paths. The path of an undeclared field is its own, not that of its object. */
export function issuesOf({ issues }: z.ZodError): Issue[] {
  const named = issues.slice(0, MAX_ISSUES).flatMap(issue => {
    const path = issue.path.map(String)
    if (issue.code !== 'unrecognized_keys') return [{ path: path.join('.'), message: issue.message }]
    return issue.keys.map(key => ({ path: [...path, key].join('.'), message: 'This field is not known.' }))
  })
  return named.slice(0, MAX_ISSUES)
}

/** Returns the reason that the declared rule has in its `params`. */
function reasonOf({ issues: [issue] }: z.ZodError): string | undefined {
  const reason: unknown = issue?.code === 'custom' ? issue.params?.['reason'] : undefined
  return typeof reason === 'string' ? reason : undefined
}

function parseInput(schema: z.ZodType, value: unknown): unknown {
  const result = readShape(schema, value)
  if (!result.success) throw invalidInput(issuesOf(result.error), reasonOf(result.error))
  return result.data
}

/**
 * Parses declared query options. Repeated options are refused. Undeclared options are ignored in a GET and refused with
 * other methods.
 */
export function parseQuery(endpoint: AnyEndpoint, search: URLSearchParams): unknown {
  const { query, method } = endpoint
  const sent = Object.fromEntries(search)
  const isEachOnce = Object.keys(sent).length === search.size
  const asSent = query && isEachOnce ? readShape(query, sent) : undefined
  if (asSent?.success) return asSent.data
  const unknown = query ? undeclaredNames(query, sent) : Object.keys(sent)
  const [refused] = method === 'GET' ? [] : unknown
  if (refused !== undefined) throw invalidField(refused, 'This field is not known.')
  const known = [...search].filter(([name]) => !unknown.includes(name))
  const names = known.map(([name]) => name)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) throw invalidField(repeated, 'may be sent only once')
  return query && parseInput(query, Object.fromEntries(known))
}

function undeclaredNames(query: z.ZodType, sent: Record<string, string>): string[] {
  const { error } = query.safeParse(sent)
  return (error?.issues ?? []).flatMap(issue => (issue.code === 'unrecognized_keys' ? issue.keys : []))
}

/**
 * Parses the body. If no body is declared, only an empty body or `{}` is accepted.
 * @param signal ends the wait for the body
 * @param translate converts the body to the vocabulary of the declaration
 */
export async function parseBody(
  endpoint: Pick<AnyEndpoint, 'body'>,
  request: ApiRequest,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
  translate: (value: unknown) => unknown = value => value,
): Promise<unknown> {
  const text = await readText(request, maxBytes, signal)
  const value = text.trim() === '' ? undefined : parseJson(text)
  if (endpoint.body) return parseInput(endpoint.body, translate(value))
  if (value === undefined || (isPlainObject(value) && Object.keys(value).length === 0)) return undefined
  const field = isPlainObject(value) ? (Object.keys(value)[0] ?? '') : ''
  throw invalidInput([{ path: field, message: 'This operation takes no body.' }])
}

function parseJson(text: string): unknown {
  if (textHasMoreLevels(text, MAX_INPUT_LEVELS))
    throw invalidInput([{ path: '', message: `The body has more than ${MAX_INPUT_LEVELS} levels.` }])
  try {
    return parseExact(text)
  } catch {
    throw invalidInput([{ path: '', message: 'The body is not JSON.' }])
  }
}

async function readText({ body }: ApiRequest, maxBytes: number, signal: AbortSignal): Promise<string> {
  if (body === null) return ''
  const tooLarge = () => invalidInput([{ path: '', message: `The body is larger than ${maxBytes} bytes.` }])
  if (typeof body === 'string') {
    if (Buffer.byteLength(body) > maxBytes) throw tooLarge()
    // Text bodies too may contain only what UTF-8 can represent.
    return body.toWellFormed()
  }
  const chunks: Uint8Array[] = []
  let length = 0
  const arriving = body[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { done, value: chunk } = await untilAborted(arriving.next(), signal)
      if (done) break
      length += chunk.byteLength
      if (length > maxBytes) throw tooLarge()
      chunks.push(chunk)
    }
  } finally {
    // The stream may never end, so this does not wait for it.
    arriving.return?.().catch(() => {})
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    throw invalidInput([{ path: '', message: 'The body is not UTF-8 text.' }])
  }
}
