import { isSameJson } from '../json/same-json.ts'
/** How the arguments of a call are compared (assertions.md, `argumentMatching`). */
export type ArgumentMatching = 'partial' | 'exact' | 'ignore'

/** A value that is not as it was expected; `path` reads like `filter.city` or `items[2]`. */
export type ArgumentChange =
  | { kind: 'added'; path: string; actual: unknown }
  | { kind: 'removed'; path: string; expected: unknown }
  | { kind: 'changed'; path: string; expected: unknown; actual: unknown }

type Values = Record<string, unknown>

/** Within a value that differs, differences are told one by one up to this depth and number; beyond, as a whole. */
const MOST_DEPTH = 6
const MOST_CHANGES = 100

/** Words that stand for any value of a type (assertions.md, `argumentMatching`). */
const PLACEHOLDERS: Readonly<Record<string, (value: unknown) => boolean>> = {
  any: () => true,
  string: value => typeof value === 'string',
  number: value => typeof value === 'number',
  boolean: value => typeof value === 'boolean',
  object: isObject,
  array: Array.isArray,
  null: value => value === null,
}

/**
 * What keeps the arguments of a call from being the expected ones, by property; none = they match. Under `partial` only the
 * given arguments are compared, each as a whole or by its placeholder.
 */
export function argumentChanges(
  expected: Values,
  actual: Values,
  matching: ArgumentMatching,
): ArgumentChange[] {
  if (matching === 'ignore') return []
  const changes: ArgumentChange[] = []
  const names = new Set([...Object.keys(expected), ...(matching === 'exact' ? Object.keys(actual) : [])])
  for (const name of [...names].toSorted()) {
    const [left, right] = [givenIn(expected, name), givenIn(actual, name)]
    const fits =
      matching === 'partial' && left && right ? placeholderFits(left.value, right.value) : undefined
    if (fits === undefined) compare({ path: name, left, right, depth: 0, changes })
    else if (!fits) changes.push({ kind: 'changed', path: name, expected: left?.value, actual: right?.value })
  }
  return changes
}

/** Whether a value is of the type that a placeholder stands for; undefined where there is no placeholder. */
function placeholderFits(expected: unknown, actual: unknown): boolean | undefined {
  const isWord = typeof expected === 'string' && Object.hasOwn(PLACEHOLDERS, expected)
  return isWord ? PLACEHOLDERS[expected]?.(actual) : undefined
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value that is there, whatever it is. */
type Given = { value: unknown } | undefined

function givenIn(values: Values, name: string): Given {
  return Object.hasOwn(values, name) ? { value: values[name] } : undefined
}

function compare(at: {
  path: string
  left: Given
  right: Given
  depth: number
  changes: ArgumentChange[]
}): void {
  const { path, left, right, depth, changes } = at
  if (!left || !right) {
    if (left) changes.push({ kind: 'removed', path, expected: left.value })
    if (right) changes.push({ kind: 'added', path, actual: right.value })
    return
  }
  const [expected, actual] = [left.value, right.value]
  if (isSameJson(expected, actual)) return
  const inner = depth < MOST_DEPTH && changes.length < MOST_CHANGES ? insideOf(expected, actual) : undefined
  if (!inner) changes.push({ kind: 'changed', path, expected, actual })
  else
    for (const { name, ...sides } of inner)
      compare({ path: `${path}${name}`, ...sides, depth: depth + 1, changes })
}

/** What two objects or two lists have in them, side by side; undefined where they are no such pair, or too large for it. */
function insideOf(
  expected: unknown,
  actual: unknown,
): { name: string; left: Given; right: Given }[] | undefined {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const length = Math.max(expected.length, actual.length)
    if (length > MOST_CHANGES) return undefined
    return Array.from({ length }, (_, index) => ({
      name: `[${index}]`,
      left: index < expected.length ? { value: expected[index] as unknown } : undefined,
      right: index < actual.length ? { value: actual[index] as unknown } : undefined,
    }))
  }
  if (!isObject(expected) || !isObject(actual)) return undefined
  const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])].toSorted()
  if (names.length > MOST_CHANGES) return undefined
  return names.map(name => ({
    name: `.${name}`,
    left: givenIn(expected, name),
    right: givenIn(actual, name),
  }))
}
