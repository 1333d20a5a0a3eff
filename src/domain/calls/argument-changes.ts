import { isPlainObject } from '../../api/contract/shapes.ts'
import { isSameJson } from '../json/same-json.ts'
/** Ways to compare the arguments of a call (assertions.md, `argumentMatching`). */
export type ArgumentMatching = 'partial' | 'exact' | 'ignore'

/** A value that differs from the expected one; `path` reads like `filter.city` or `items[2]`. */
export type ArgumentChange =
  | { kind: 'added'; path: string; actual: unknown }
  | { kind: 'removed'; path: string; expected: unknown }
  | { kind: 'changed'; path: string; expected: unknown; actual: unknown }

type Values = Record<string, unknown>

/**
 * Maximum depth and number of differences inside a value that are listed one by one. Beyond them the value is listed as
 * a whole.
 */
const MOST_DEPTH = 6
const MOST_CHANGES = 100

/** Placeholders that match any value of a type (assertions.md, `argumentMatching`). */
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
 * Returns the sorted names of the arguments that prevent a match; empty if the call matches. With `partial` only the
 * expected arguments are compared, each as a whole or by its placeholder.
 */
export function differingArguments(expected: Values, actual: Values, matching: ArgumentMatching): string[] {
  if (matching === 'ignore') return []
  const names = new Set([...Object.keys(expected), ...(matching === 'exact' ? Object.keys(actual) : [])])
  const holds = matching === 'partial' ? isSameOrPlaceholder : isSameJson
  const isThere = (name: string): boolean => Object.hasOwn(expected, name) && Object.hasOwn(actual, name)
  return [...names].filter(name => !isThere(name) || !holds(expected[name], actual[name])).toSorted()
}

/** Whether the arguments of a call match the expected ones. */
export function argumentsMatch(expected: Values, actual: Values, matching: ArgumentMatching): boolean {
  return differingArguments(expected, actual, matching).length === 0
}

/** Returns differences between the arguments of a call and the expected ones, by property; empty if they match. */
export function argumentChanges(expected: Values, actual: Values, matching: ArgumentMatching): ArgumentChange[] {
  const changes: ArgumentChange[] = []
  for (const name of differingArguments(expected, actual, matching))
    describe({ path: name, left: givenIn(expected, name), right: givenIn(actual, name), depth: 0, changes })
  return changes
}

function isSameOrPlaceholder(expected: unknown, actual: unknown): boolean {
  const isWord = typeof expected === 'string' && Object.hasOwn(PLACEHOLDERS, expected)
  return (isWord ? PLACEHOLDERS[expected]?.(actual) : undefined) ?? isSameJson(expected, actual)
}

/** A side of a difference. It exists even if its value is null or undefined. */
type Given = { value: unknown } | undefined

function givenIn(values: Values, name: string): Given {
  return Object.hasOwn(values, name) ? { value: values[name] } : undefined
}

/** Records the differences between two sides that are known to differ. */
function describe(at: { path: string; left: Given; right: Given; depth: number; changes: ArgumentChange[] }): void {
  const { path, left, right, depth, changes } = at
  if (!left || !right) {
    if (left) changes.push({ kind: 'removed', path, expected: left.value })
    if (right) changes.push({ kind: 'added', path, actual: right.value })
    return
  }
  const [expected, actual] = [left.value, right.value]
  const inner = depth < MOST_DEPTH && changes.length < MOST_CHANGES ? insideOf(expected, actual) : undefined
  if (!inner) return void changes.push({ kind: 'changed', path, expected, actual })
  for (const { name, ...sides } of inner)
    if (!isSameSide(sides)) describe({ path: `${path}${name}`, ...sides, depth: depth + 1, changes })
}

function isSameSide({ left, right }: { left: Given; right: Given }): boolean {
  return left !== undefined && right !== undefined && isSameJson(left.value, right.value)
}

/** Pairs the contents of two objects or two lists; undefined for other values and for large ones. */
function insideOf(expected: unknown, actual: unknown): { name: string; left: Given; right: Given }[] | undefined {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const length = Math.max(expected.length, actual.length)
    if (length > MOST_CHANGES) return undefined
    return Array.from({ length }, (_, index) => ({
      name: `[${index}]`,
      left: index < expected.length ? { value: expected[index] as unknown } : undefined,
      right: index < actual.length ? { value: actual[index] as unknown } : undefined,
    }))
  }
  if (!isPlainObject(expected) || !isPlainObject(actual)) return undefined
  const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])].toSorted()
  if (names.length > MOST_CHANGES) return undefined
  return names.map(name => ({ name: `.${name}`, left: givenIn(expected, name), right: givenIn(actual, name) }))
}
