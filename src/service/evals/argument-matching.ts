import { canonicalJson, isPlainObject } from '../core/canonical.ts'

export type ArgumentMatching = 'ignore' | 'partial' | 'exact'

type Arguments = Record<string, unknown>

/** Words that stand for any value of a type; the actual value must be there (assertions.md, `argumentMatching`). */
const PLACEHOLDERS: Readonly<Record<string, (value: unknown) => boolean>> = {
  any: () => true,
  string: value => typeof value === 'string',
  number: value => typeof value === 'number',
  boolean: value => typeof value === 'boolean',
  object: isPlainObject,
  array: Array.isArray,
  null: value => value === null,
}

/**
 * Names of the arguments that keep a call from matching, sorted; none = it matches. Under `partial` the given keys
 * are compared, each value as a whole (a nested object must be equal) or by its placeholder word.
 */
export function differingArguments(
  expected: Arguments,
  actual: Arguments,
  matching: ArgumentMatching,
): string[] {
  if (matching === 'ignore') return []
  const keys = new Set(Object.keys(expected))
  if (matching === 'exact') for (const key of Object.keys(actual)) keys.add(key)
  const holds = matching === 'partial' ? sameOrPlaceholder : same
  return [...keys]
    .filter(
      key =>
        !Object.hasOwn(expected, key) || !Object.hasOwn(actual, key) || !holds(expected[key], actual[key]),
    )
    .toSorted()
}

/** Whether the arguments of a call are the expected ones. */
export function argumentsMatch(expected: Arguments, actual: Arguments, matching: ArgumentMatching): boolean {
  return differingArguments(expected, actual, matching).length === 0
}

function sameOrPlaceholder(expected: unknown, actual: unknown): boolean {
  const isWord = typeof expected === 'string' && Object.hasOwn(PLACEHOLDERS, expected)
  return (isWord ? PLACEHOLDERS[expected]?.(actual) : undefined) ?? same(expected, actual)
}

function same(expected: unknown, actual: unknown): boolean {
  return canonicalJson(expected) === canonicalJson(actual)
}
