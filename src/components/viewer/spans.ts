import { clean, truncate, widthOf, wrap } from '../../tui/theme/text.ts'
import type { Theme } from '../../tui/theme/theme.ts'
import type { Span } from './source.ts'

/** Returns the spans with control sequences made visible. */
export function cleanSpans(spans: readonly Span[]): Span[] {
  return spans.map(span => ({ ...span, text: clean(span.text) }))
}

export function widthOfSpans(spans: readonly Span[]): number {
  return spans.reduce((width, span) => width + widthOf(span.text), 0)
}

/** Wraps cleaned spans into rows of at most this width, broken at the same places as the text without styles. */
export function wrapSpans(spans: readonly Span[], width: number): Span[][] {
  const text = spans.map(span => span.text).join('')
  let from = 0
  return wrap(text, Math.max(1, width)).map(row => {
    // Between the rows of a text only the spaces dropped by wrapping are missing.
    const at = text.indexOf(row, from)
    from = at + row.length
    return sliceSpans(spans, at, from)
  })
}

/** Cuts cleaned spans to a width, with `…` if something is missing. */
export function truncateSpans(spans: readonly Span[], width: number): Span[] {
  const text = spans.map(span => span.text).join('')
  const cut = truncate(text, width)
  if (cut === text) return [...spans]
  const kept = sliceSpans(spans, 0, cut.length - 1)
  return [...kept, { text: '…', tone: 'muted' }]
}

/** Fits cleaned spans to exactly this width. */
export function fitSpans(spans: readonly Span[], width: number, align: 'left' | 'right' | 'center' = 'left'): Span[] {
  const cut = truncateSpans(spans, width)
  const space = Math.max(0, width - widthOfSpans(cut))
  const before = align === 'right' ? space : align === 'center' ? Math.floor(space / 2) : 0
  return [blank(before), ...cut, blank(space - before)].filter(span => span.text !== '')
}

export function blank(columns: number): Span {
  return { text: ' '.repeat(Math.max(0, columns)), tone: 'plain' }
}

function sliceSpans(spans: readonly Span[], from: number, to: number): Span[] {
  const found: Span[] = []
  let at = 0
  for (const span of spans) {
    const text = span.text.slice(Math.max(0, from - at), Math.max(0, to - at))
    if (text !== '') found.push({ ...span, text })
    at += span.text.length
    if (at >= to) break
  }
  return found
}

/** Paints cleaned spans in their colors. */
export function paintSpans(theme: Theme, spans: readonly Span[]): string {
  return spans
    .map(({ text, tone, link, isCursor }) => {
      const painted = theme.paint(tone, link === undefined || text === '' ? text : theme.link(text, link))
      return isCursor ? theme.paint('cursor', painted) : painted
    })
    .join('')
}
