import { ApiError } from '../../api/client/errors/api-error.ts'
import { isPlainObject } from '../../api/contract/shapes.ts'
import { printable } from '../../lib/printable.ts'
import { readYaml, type TextProblem } from '../../lib/yaml/yaml-reading.ts'
import { plainSuite } from './each.ts'

/**
 * Returns problems in a text according to a service's refusal, with the lines of the fields it names; empty if the
 * refusal is about something else, such as a right or a failed connection.
 */
export function refusalProblems(error: unknown, text: string): TextProblem[] {
  if (!(error instanceof ApiError) || error.code !== 'VALIDATION_ERROR') return []
  const read = readYaml(text)
  const written = read.ok ? read.value[0] : undefined
  const plain = written && plainSuite(written)
  const document = plain?.ok ? plain.value.document : written
  const start = { line: 1, column: 1 }
  return fieldsOf(error).map(({ path, message }) => {
    const known = document && partIn(document.value, path)
    const place = known ? document.at(known) : start
    return { ...place, message: printable(`The service refused it: ${message}`) }
  })
}

/** Returns the fields that a refusal names, with its messages. */
function fieldsOf({ details = {}, message }: ApiError): { path: string[]; message: string }[] {
  const issues = Array.isArray(details['issues']) ? (details['issues'] as unknown[]) : []
  const named = issues
    .filter(isPlainObject)
    .flatMap(({ path, message: words }) =>
      typeof path === 'string' ? [{ path: path.split('.'), message: `${path}: ${textOr(words, message)}` }] : [],
    )
  if (named.length > 0) return named
  const { field } = details
  return [{ path: typeof field === 'string' ? field.split('.') : [], message }]
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise
}

/** Returns the part of a document that a request field came from: the longest existing end of its path. */
function partIn(value: unknown, path: readonly string[]): string[] | undefined {
  const ends = path.map((_, from) => path.slice(from))
  const roots = isPlainObject(value) && isPlainObject(value['suite']) ? [['suite'], []] : [[]]
  for (const end of ends) {
    const found = roots.map(root => [...root, ...end]).find(whole => isThere(value, whole))
    if (found) return found
  }
  return undefined
}

function isThere(value: unknown, path: readonly string[]): boolean {
  let part = value
  for (const name of path) {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, name)) return false
    part = (part as Record<string, unknown>)[name]
  }
  return true
}
