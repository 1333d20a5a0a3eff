import type { Token, Tokens } from 'marked'
import type { Tone } from '../../tui/theme/theme.ts'
import type { Span } from '../viewer/source.ts'

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  hellip: '…',
  mdash: '—',
  ndash: '–',
}

/** Maximum length of an address shown beside its text; the whole address can be copied. */
const MOST_ADDRESS = 80
/** Maximum nesting of emphasis and links; deeper ones are shown as source. */
const MOST_NESTED = 32
/** Only these addresses become terminal links. */
const OPENABLE = /^(?:https?|mailto):/i

/**
 * Returns lines of styled text: a hard break starts a new line, other line breaks are spaces. `text` replaces missing
 * tokens.
 */
export function inlineSpans(tokens: readonly Token[], tone: Tone, text = ''): Span[][] {
  const lines: Span[][] = [[]]
  const add = (span: Span): void => void lines.at(-1)!.push(span)
  const walk = (inner: readonly Token[], own: Tone, depth: number): void => {
    for (const token of inner) {
      if (token.type === 'br') lines.push([])
      else if (token.type === 'link') addLink(token as Tokens.Link, own, depth)
      else if (isMarkup(token) && depth < MOST_NESTED) {
        const [before, after] = token.type === 'del' ? ['~~', '~~'] : ['', '']
        if (before) add({ text: before, tone: 'muted' })
        walk(token.tokens ?? [], toneOf(token, own), depth + 1)
        if (after) add({ text: after, tone: 'muted' })
      } else add(leaf(token, own))
    }
  }
  const addLink = (token: Tokens.Link, own: Tone, depth: number): void => {
    const before = lines.at(-1)!.length
    if (depth < MOST_NESTED) walk(token.tokens, own === 'plain' ? 'accent' : own, depth + 1)
    else add({ text: token.text, tone: own })
    const shown = lines.at(-1)!
    if (OPENABLE.test(token.href)) for (const span of shown.slice(before)) span.link = token.href
    const says = shown
      .slice(before)
      .map(span => span.text)
      .join('')
    if (says !== token.href && `mailto:${says}` !== token.href) add({ text: ` (${short(token.href)})`, tone: 'muted' })
  }
  if (tokens.length === 0 && text !== '') add({ text: oneLine(text), tone })
  walk(tokens, tone, 0)
  return lines
}

function isMarkup(token: Token): token is Tokens.Strong | Tokens.Em | Tokens.Del | Tokens.Text {
  return 'tokens' in token && Array.isArray(token.tokens) && token.tokens.length > 0 && token.type !== 'image'
}

function toneOf(token: Token, own: Tone): Tone {
  if (token.type === 'strong') return 'strong'
  if (token.type === 'em') return own === 'strong' ? own : 'emphasis'
  return own
}

function leaf(token: Token, tone: Tone): Span {
  if (token.type === 'codespan') return { text: `\`${oneLine((token as Tokens.Codespan).text)}\``, tone: 'accent' }
  if (token.type === 'image') {
    const { text, href } = token as Tokens.Image
    return { text: `[image${text === '' ? '' : ` ${decoded(oneLine(text))}`}] (${short(href)})`, tone: 'muted' }
  }
  if (token.type === 'html') return { text: oneLine(token.raw), tone: 'muted' }
  if (token.type === 'escape') return { text: (token as Tokens.Escape).text, tone }
  if (token.type === 'text') return { text: decoded(oneLine((token as Tokens.Text).text)), tone }
  return { text: oneLine(token.raw), tone }
}

function oneLine(text: string): string {
  return text.replaceAll(/[ \t]*\r?\n[ \t]*/g, ' ')
}

function short(address: string): string {
  return address.length <= MOST_ADDRESS ? address : `${address.slice(0, MOST_ADDRESS - 1)}…`
}

/** Decodes entities; a number that is no valid character stays as written. */
function decoded(text: string): string {
  if (!text.includes('&')) return text
  return text.replaceAll(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,8}));/g, (whole, decimal, hex, name) => {
    if (typeof name === 'string') return ENTITIES[name] ?? whole
    const code = Number.parseInt(String(decimal ?? hex), decimal === undefined ? 16 : 10)
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : whole
  })
}

/** Returns every address in the tokens, in order. */
export function addressesOf(tokens: readonly Token[]): string[] {
  const found: string[] = []
  const waiting: unknown[] = tokens.toReversed()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue
    const token = next as Record<string, unknown>
    if ((token['type'] === 'link' || token['type'] === 'image') && typeof token['href'] === 'string')
      found.push(token['href'])
    const inner = ['tokens', 'items', 'header', 'rows'].flatMap(key =>
      Array.isArray(token[key]) ? token[key].flat() : [],
    )
    waiting.push(...inner.toReversed())
  }
  return found
}
