import type * as z from 'zod'
import type { FieldIssue, ErrorFacts } from './error-kinds.ts'
import { printable } from '../../../lib/printable.ts'

/**
 * Converts a schema's issues, one for each field. They never quote the value, because an input may contain a secret.
 */
export function fieldIssues(error: z.ZodError, prefix: readonly PropertyKey[] = []): FieldIssue[] {
  return error.issues.map(issue => ({ path: formatPath([...prefix, ...issue.path]), expected: expectation(issue) }))
}

/** Maximum characters of a service's message in a sentence. */
const MOST_QUOTED = 200

export function summarizeIssues(issues: readonly FieldIssue[], most = 3): string {
  const named = issues.slice(0, most).map(({ path, expected }) => (path ? `${path}: ${expected}` : expected))
  const rest = issues.length - named.length
  return rest > 0 ? `${named.join('; ')}; and ${rest} more` : named.join('; ')
}

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `expected ${issue.expected}`
  if (issue.code !== 'invalid_union') return issue.message
  const options = issue.errors.flatMap(branch => branch.map(expectation))
  return options.length > 0 ? [...new Set(options)].join(' or ') : issue.message
}

function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${String(part)}`))
    .join('')
}

/**
 * Returns a message of the service as part of a sentence. A cut is marked, because half a number would be another
 * number.
 */
export function quotedMessage(text: string | undefined): string {
  const words = printable(text ?? '')
  return words.length > MOST_QUOTED ? `${words.slice(0, MOST_QUOTED - 1)}…` : words
}

/** Returns the field that the service names. The contract does not define the key, so the usual ones are tried. */
export function fieldOf({ details }: ErrorFacts): string | undefined {
  const field = details?.['field'] ?? details?.['path']
  return typeof field === 'string' ? quotedMessage(field) : undefined
}

/** Returns the first six values in lists inside `details`, such as `hostedModels`, and the number of others. */
export function validValues({ details }: ErrorFacts): string | undefined {
  const lists = Object.values(details ?? {}).filter(value => Array.isArray(value)) as unknown[][]
  const values = lists.flat().flatMap(value => (typeof value === 'string' ? [quotedMessage(value)] : nameOf(value)))
  const shown = values.slice(0, 6).join(', ')
  return values.length > 6 ? `${shown} and ${values.length - 6} more` : shown
}

function nameOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { name, id } = value as Record<string, unknown>
  const word = name ?? id
  return typeof word === 'string' ? [quotedMessage(word)] : []
}

/** Describes what was received in place of the contract’s body. */
export function bodyOf({ answer }: ErrorFacts): string {
  return answer === 'empty' ? 'no body' : answer === 'json' ? 'other JSON' : 'plain text'
}

/** Returns the service's own message as a separate sentence, because it says which thing is meant. */
export function quoted({ message }: Pick<ErrorFacts, 'message'>): string {
  const said = quotedMessage(message).trim()
  return named(' The service says: ', said && !/[.!?…]$/.test(said) ? `${said}.` : said)
}

/** Returns a text after its introduction, or nothing if there is no text. */
export const named = (before: string, text: string | number | undefined): string => (text ? `${before}${text}` : '')

/** Advises to wait as long as the service requested, and then to do something. */
export function waitThen(then: string): (error: Pick<ErrorFacts, 'retryAfterMs'>) => string {
  return ({ retryAfterMs }) =>
    retryAfterMs === undefined ? `Wait a little, then ${then}.` : `Wait ${waitText(retryAfterMs)}, then ${then}.`
}

/** Returns a wait in words from milliseconds: `90 s`, `5 min`. */
export function waitText(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
}

/** Advises what to do about a refused key, depending on its source. */
export function otherKey(otherwise: string): (error: Pick<ErrorFacts, 'keySource'>) => string {
  return ({ keySource }) =>
    keySource === undefined ? otherwise : `The key came from ${keySource}; put one there that the service accepts.`
}
