/** What a secret, or something personal, looks like. Its first group, if it has one, may stay in front of it. */
type Rule = {
  pattern: RegExp
  /** It begins where a word does. */
  word?: true
  /** What stands for it. */
  label?: string
}

export const SECRET = '[secret]'
const ADDRESS = '[address]'
const HOME = '~'

/** Secrets: whoever has one gets in. Nothing here is longer than it must be, so that long texts cost no more than their length. */
const SECRETS: readonly Rule[] = [
  { pattern: /(sk_|Bearer\s+)[\w.~+/=-]+/gi, word: true },
  { pattern: /(sk-)[\w-]{8,}/g, word: true },
  // JSON web tokens, sessions of visitors, and what well-known services hand out.
  { pattern: /()eyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g, word: true },
  { pattern: /()(?:gh[opsu]_|github_pat_|glpat-|xox[abprs]-|AKIA|vst_)[\w-]{8,}/g, word: true },
  // Links of visitors; whoever has one gets in.
  { pattern: /(\/visit\/)[^/\s?#"']+/g },
  { pattern: /([?&#][\w-]{0,40}(?:token|secret|key|code|password|signature)=)[^&\s"']+/gi },
  { pattern: /("(?:\w{0,40}(?:token|secret|api_?key|password))"\s*:\s*")(?:[^"\\]|\\.)+/gi },
  { pattern: /([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@:]{1,200}:[^\s/@]{1,400}(?=@)/gi, word: true },
]

/** What must not leave the machine in a document that others read, beside secrets. */
const PERSONAL: readonly Rule[] = [
  { pattern: /(Authorization["']?\s*[:=]\s*["']?)[^\s"',;]+(?:\s+[^\s"',;]+)?/gi, word: true },
  // A line break may stand where the space was.
  { pattern: /(Bearer\s*)[\w.~+/=-]{6,}/gi, word: true },
  { pattern: /((?:token|secret|api[_-]?key|password|passwd)["']?\s*[:=]\s*["']?)[^\s"',;]+/gi, word: true },
  // A part of an address that nobody would have chosen; ids have a prefix that says of what.
  {
    pattern:
      /(https?:\/\/[^\s"'<>]{0,300}?\/)(?![a-z]{2,12}_)(?=[A-Za-z-]*\d)(?=[\d-]*[A-Za-z])[\w-]{16,}(?=[/?#\s"'<>]|$)/g,
  },
  { pattern: /()[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g, label: ADDRESS },
  { pattern: /()(?:\/home\/|\/Users\/)[^/\s"'`]+/g, label: HOME },
  { pattern: /()[A-Za-z]:\\{0,2}Users\\{0,2}[^\\\s"'`]+/g, label: HOME },
]

type Range = { from: number; to: number; label: string }

/** A text with the place in the original of each of its characters. */
type View = { text: string; at: (index: number) => number }

/** Secrets that are known, and what looks like one, become `[secret]`. */
export function withoutSecrets(text: string, known: readonly string[] = []): string {
  const view = { text, at: (index: number) => index }
  return replaced(text, [...literalRanges(view, known, SECRET), ...rangesOf(view, SECRETS)])
}

/**
 * A text fit for others: besides secrets no e-mail address and no home directory is left, also where they are broken over lines or hidden
 * behind Markdown. Rather too much is taken away than too little: what follows a broken secret goes with it up to the next space.
 */
export function redacted(
  text: string,
  own: { known?: readonly string[]; homes?: readonly string[] } = {},
): string {
  const rules = [...SECRETS, ...PERSONAL]
  const plain: View = { text, at: index => index }
  const ranges = [plain, folded(text)].flatMap(view => [
    ...literalRanges(view, own.known ?? [], SECRET),
    ...literalRanges(view, own.homes ?? [], HOME),
    ...rangesOf(view, rules),
  ])
  return replaced(text, ranges)
}

/** Line breaks with what begins the next line, characters that do not show, marks of Markdown that a renderer takes away. */
const HIDING =
  /\r?\n[ \t>]*|[\r\u2028\u2029][ \t>]*|[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]|\\(?![A-Za-z0-9])|[*`]|<\/?[a-z]{1,5}\s{0,3}\/?>/gi

function folded(text: string): View {
  const places: number[] = []
  let shown = ''
  let from = 0
  const take = (to: number): void => {
    shown += text.slice(from, to)
    for (let at = from; at < to; at += 1) places.push(at)
  }
  for (const { index, 0: hidden } of text.matchAll(HIDING)) {
    take(index)
    from = index + hidden.length
  }
  take(text.length)
  return { text: shown, at: index => places[index] ?? text.length }
}

function literalRanges(view: View, literals: readonly string[], label: string): Range[] {
  return literals.filter(Boolean).flatMap(literal => {
    const ranges: Range[] = []
    for (let at = view.text.indexOf(literal); at !== -1; at = view.text.indexOf(literal, at + literal.length))
      ranges.push(rangeIn(view, at, at + literal.length, label))
    return ranges
  })
}

function rangesOf(view: View, rules: readonly Rule[]): Range[] {
  return rules.flatMap(({ pattern, word, label = SECRET }) => {
    const ranges: Range[] = []
    const search = new RegExp(pattern)
    for (let match = search.exec(view.text); match; match = search.exec(view.text)) {
      if (word && !beginsWord(view, match.index)) {
        search.lastIndex = match.index + 1
        continue
      }
      const from = match.index + match[1]!.length
      ranges.push(rangeIn(view, from, match.index + match[0].length, label))
    }
    return ranges
  })
}

/** Where something was folded away, another word may begin. */
function beginsWord({ text, at }: View, index: number): boolean {
  if (index === 0 || !/\w/.test(text[index - 1]!)) return true
  return at(index) !== at(index - 1) + 1
}

function rangeIn({ at }: View, from: number, to: number, label: string): Range {
  return { from: at(from), to: at(to - 1) + 1, label }
}

/** The text with each range as its label; of ranges that meet, a secret has the word. */
function replaced(text: string, ranges: readonly Range[]): string {
  let safe = ''
  let end = 0
  let open: Range | undefined
  const close = (): void => {
    if (!open) return
    safe += text.slice(end, open.from) + open.label
    end = open.to
  }
  for (const range of ranges.toSorted((one, other) => one.from - other.from || other.to - one.to)) {
    if (open && range.from < open.to) {
      const label = range.label === SECRET ? SECRET : open.label
      open = { from: open.from, to: Math.max(open.to, range.to), label }
    } else {
      close()
      open = range
    }
  }
  close()
  return safe + text.slice(end)
}
