import type * as z from 'zod'
import type { FieldIssue } from './error-kinds.ts'

/**
 * A schema's complaints, one per field. They name types and allowed values, never the value itself,
 * because an input may hold a secret.
 */
export function fieldIssues(error: z.ZodError, prefix: readonly PropertyKey[] = []): FieldIssue[] {
  return error.issues.map(issue => ({ path: formatPath([...prefix, ...issue.path]), expected: expectation(issue) }))
}

/** One line naming the first few fields. */
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
