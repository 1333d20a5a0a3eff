import { isPlainObject } from '../../api/contract/shapes.ts'

/**
 * Whether two JSON values are equal, whatever the order of their fields. It uses its own stack, since values may be
 * deeply nested.
 */
export function isSameJson(expected: unknown, actual: unknown): boolean {
  const waiting: [unknown, unknown][] = [[expected, actual]]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [one, other] = next
    if (one === other) continue
    if (Array.isArray(one) && Array.isArray(other)) {
      if (one.length !== other.length) return false
      for (const [index, item] of one.entries()) waiting.push([item, other[index]])
      continue
    }
    if (!isPlainObject(one) || !isPlainObject(other)) return false
    const names = Object.keys(one)
    if (names.length !== Object.keys(other).length) return false
    for (const name of names) {
      if (!Object.hasOwn(other, name)) return false
      waiting.push([one[name], other[name]])
    }
  }
  return true
}
