const VALUE_CHARS = 160
const EXCERPT_CHARS = 2000
const LINE_CHARS = 600

/** A value as short JSON, for a reason. Throws where JSON.stringify does. */
export function brief(value: unknown): string {
  const short = typeof value === 'string' ? shorten(value, VALUE_CHARS) : value
  return shorten(JSON.stringify(short) ?? 'nothing', VALUE_CHARS)
}

/** The beginning of a long text, for evidence; the transcript has all of it. */
export function excerpt(text: string): string {
  return shorten(text, EXCERPT_CHARS)
}

/** Text on one line and of limited length, so that reasons fit a row and a score's rationale. */
export function oneLine(text: string): string {
  return shorten(text.replaceAll(/\s+/g, ' ').trim(), LINE_CHARS)
}

export function messageOf(error: unknown): string {
  return oneLine(error instanceof Error ? error.message : String(error))
}

function shorten(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}…`
}

/** The beginning of a text, without splitting its last character. */
export function cut(text: string, limit: number): string {
  return text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '')
}
