import { MAX_ANSWER_LEVELS } from './json.ts'

/** Replaces parts that are left out. */
const MORE = '…'

/**
 * Whether the JSON of a value has more than `most` characters or more levels than are written. Reading stops at that
 * limit.
 */
export function takesMore(value: unknown, most: number): boolean {
  let left = most
  const look = (item: unknown, depth: number): boolean => {
    left -= 1
    if (typeof item === 'string') left -= item.length + 1
    else if (typeof item === 'object' && item !== null) {
      if (depth > MAX_ANSWER_LEVELS) return true
      if (Array.isArray(item)) return item.some(inner => look(inner, depth + 1))
      for (const name in item) {
        const inner = (item as Record<string, unknown>)[name]
        if (inner !== undefined) left -= name.length + 3
        if (inner !== undefined && look(inner, depth + 1)) return true
      }
    }
    return left < 0
  }
  return look(value, 1)
}

/**
 * Returns the beginning of a value as JSON, about `most` characters, at a cost that depends only on what is shown. `…`
 * replaces parts that are left out.
 */
export function beginningOfJson(value: unknown, most: number, indent = 0): { text: string; isWhole: boolean } {
  let left = most
  let isWhole = true
  const more = (): typeof MORE => {
    isWhole = false
    return MORE
  }
  const short = (item: unknown, depth: number): unknown => {
    left -= 1
    if (left <= 0 || depth > MAX_ANSWER_LEVELS) return more()
    if (typeof item === 'string') {
      const kept = item.length <= left ? item : item.slice(0, left) + more()
      left -= kept.length
      return kept
    }
    if (typeof item !== 'object' || item === null) return item
    const copy: unknown[] | Record<string, unknown> = Array.isArray(item) ? [] : Object.create(null)
    for (const name in item) {
      const isLast = left <= 0
      if (!Array.isArray(item)) left -= name.length
      const inner = isLast ? more() : short((item as Record<string, unknown>)[name], depth + 1)
      if (Array.isArray(copy)) copy.push(inner)
      else copy[isLast ? MORE : name] = inner
      if (isLast) break
    }
    return copy
  }
  const shown = takesMore(value, most) ? short(value, 1) : value
  return { text: JSON.stringify(shown, null, indent) ?? 'undefined', isWhole }
}
