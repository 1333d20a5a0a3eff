/** A text, and for each of its characters the part of the original that it represents. */
export type View = { text: string; from: (index: number) => number; to: (index: number) => number }

export function viewOf(text: string): View {
  return { text, from: index => index, to: index => index + 1 }
}

/** Replaces each match by its meaning. Matches without a meaning are removed. */
function rewritten(view: View, pattern: RegExp, meaning: (match: RegExpExecArray) => string): View {
  const { text } = view
  const starts: number[] = []
  const ends: number[] = []
  const parts: string[] = []
  let done = 0
  const take = (to: number): void => {
    if (done === to) return
    parts.push(text.slice(done, to))
    for (let at = done; at < to; at += 1) {
      starts.push(view.from(at))
      ends.push(view.to(at))
    }
  }
  for (const match of text.matchAll(pattern)) {
    take(match.index)
    done = match.index + match[0].length
    const shown = meaning(match)
    parts.push(shown)
    for (const _ of shown) {
      starts.push(view.from(match.index))
      ends.push(view.to(done - 1))
    }
  }
  if (done === 0) return view
  take(text.length)
  return { text: parts.join(''), from: index => starts[index]!, to: index => ends[index]! }
}

/**
 * Matches line breaks (also escaped ones) with what begins the next line, invisible characters, and marks of Markdown,
 * tables, tags and joined strings. A renderer, or a person who rejoins the text, removes all of these.
 */
const BREAKS =
  /(?:[ \t]{0,9}\|[ \t]{0,9})?(?:\r?\n|[\r\u2028\u2029])(?:[ \t>|]|(?:#|\/\/)(?=[ \t]))*|\\{1,8}[nr](?=[\w\\.@:/-])|[\p{Cf}\p{Default_Ignorable_Code_Point}]|[*`]|~~|["'][ \t]{0,9}\+\s{0,9}["']|<!--[^>]{0,200}-->|<\/?[a-z][a-z0-9]{0,9}(?:[ \t][^<>\n]{0,100})?\s{0,3}\/?>/giu

/** Like `BREAKS`, and also backslashes that Markdown and shells remove. */
const HIDING = new RegExp(`${BREAKS.source}|\\\\+(?![A-Za-z0-9])`, BREAKS.flags)

/** Returns the view without what breaks words. Backslashes are kept, since they may begin an escape. */
export function unbroken(view: View): View {
  return rewritten(view, BREAKS, () => '')
}

export function folded(view: View): View {
  return rewritten(view, HIDING, () => '')
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  ast: '*',
  bsol: '\\',
  colon: ':',
  commat: '@',
  equals: '=',
  gt: '>',
  lowbar: '_',
  lt: '<',
  newline: '\n',
  num: '#',
  percnt: '%',
  period: '.',
  plus: '+',
  quest: '?',
  quot: '"',
  sol: '/',
  tab: '\t',
}

/**
 * Matches characters as URLs, HTML, JSON and full-width keyboards encode them, and addresses disguised against
 * harvesters.
 */
const SPELT =
  /%([0-9a-f]{2})|\\{1,8}(?:u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\}|x([0-9a-f]{2}))|&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,7}));|([\uFF01-\uFF5E])|([\u3002\uFF61])|[ \t]?[([{](?:(at)|(dot))[)\]}][ \t]?/gi

/** Maximum number of layers of encoding. More do not happen by accident. */
const MOST_LAYERS = 4

/** Returns the view with everything decoded. */
export function decoded(view: View): View {
  let now = view
  for (let layer = 0; layer < MOST_LAYERS; layer += 1) {
    const next = rewritten(now, SPELT, characterOf)
    if (next === now || next.text === now.text) return now
    now = next
  }
  return now
}

function characterOf(match: RegExpExecArray): string {
  const [all, percent, escape, braced, byte, decimal, hex, named, wide, stop, at, dot] = match
  const spelt = percent ?? escape ?? braced ?? byte ?? hex
  if (spelt !== undefined) return ofCode(Number.parseInt(spelt, 16))
  if (decimal !== undefined) return ofCode(Number(decimal))
  if (named !== undefined) return NAMED[named.toLowerCase()] ?? all
  if (wide !== undefined) return String.fromCharCode(wide.charCodeAt(0) - 0xfee0)
  if (at !== undefined) return '@'
  return stop !== undefined || dot !== undefined ? '.' : all
}

/** Returns any letter for characters beyond ASCII, which no rule distinguishes. */
function ofCode(code: number): string {
  return code > 0 && code < 128 ? String.fromCharCode(code) : 'é'
}
