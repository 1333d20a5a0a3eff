import { withinLevels, isPlainObject } from '../../lib/json.ts'

/** Returns a text cut at a length, with how much is missing. */
export function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… ${text.length - most} more characters`
}

/**
 * Returns a value with long texts cut, for layout: laying out a line takes time proportional to the square of its
 * length.
 */
export function withShortTexts(value: unknown, most: number): unknown {
  return shortened(withinLevels(value), most)
}

function shortened(value: unknown, most: number): unknown {
  if (typeof value === 'string') return shorten(value, most)
  if (Array.isArray(value)) return value.map(item => shortened(item, most))
  if (!isPlainObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortened(item, most)]))
}
