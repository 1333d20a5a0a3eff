const VALUE_CHARS = 160
const EXCERPT_CHARS = 2000
const LINE_CHARS = 600

/** Returns a value as JSON that is short enough for a reason. Throws if the value contains itself. */
export function brief(value: unknown): string {
  const short = typeof value === 'string' ? shorten(value, VALUE_CHARS) : value
  return shorten(JSON.stringify(short) ?? 'nothing', VALUE_CHARS)
}

/** Returns the beginning of a text for a verdict. The transcript has the whole text. */
export function excerpt(text: string): string {
  return shorten(text, EXCERPT_CHARS)
}

/** Returns a text as one line of limited length, so that a reason fits into a row. */
export function oneLine(text: string): string {
  return shorten(text.replaceAll(/\s+/g, ' ').trim(), LINE_CHARS)
}

export function messageOf(error: unknown): string {
  return oneLine(error instanceof Error ? error.message : String(error))
}

function shorten(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}…`
}

/** Returns the beginning of a text. A character of two code units at the end is not split. */
export function cut(text: string, limit: number): string {
  return text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '')
}
