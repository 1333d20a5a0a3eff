const VALUE_CHARS = 160
const EXCERPT_CHARS = 2000
const LINE_CHARS = 600

/** Returns a value as short JSON, for a reason. Throws for a value with cycles. */
export function brief(value: unknown): string {
  const short = typeof value === 'string' ? shorten(value, VALUE_CHARS) : value
  return shorten(JSON.stringify(short) ?? 'nothing', VALUE_CHARS)
}

/** Returns the beginning of a long text as evidence. The transcript has all of it. */
export function excerpt(text: string): string {
  return shorten(text, EXCERPT_CHARS)
}

/** Returns text on one line and of limited length, so that reasons fit a row and a score's rationale. */
export function oneLine(text: string): string {
  return shorten(text.replaceAll(/\s+/g, ' ').trim(), LINE_CHARS)
}

export function messageOf(error: unknown): string {
  return oneLine(error instanceof Error ? error.message : String(error))
}

function shorten(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}…`
}

/** Returns the beginning of a text, without half a character at its end. */
export function cut(text: string, limit: number): string {
  return text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '')
}
