import { cellText, type Column } from './columns.ts'

/** One demand of a filter besides its plain words. */
type Demand<Item> = { text: string; isWanted: boolean; column?: Column<Item> }

export type ParsedFilter<Item> = {
  /** Words without a sign; where nothing holds them as typed they are taken for the first letters of words. */
  words: string
  demands: readonly Demand<Item>[]
  /** Why a part of it means nothing, for the person. */
  problem: string | undefined
}

/** How a column is called in `column:text`. */
function fieldName<Item>(column: Column<Item>): string {
  return (column.title || column.id).toLowerCase().replaceAll(/\s+/g, '-')
}

/** The column of this name or id, or the only one that begins with it. */
function columnOf<Item>(columns: readonly Column<Item>[], name: string): Column<Item> | undefined {
  const exact = columns.find(column => fieldName(column) === name || column.id.toLowerCase() === name)
  const begun = columns.filter(column => fieldName(column).startsWith(name))
  return exact ?? (begun.length === 1 ? begun[0] : undefined)
}

const FIELD = /^([a-z][\w-]*):(?!\/\/)(.*)$/i

/**
 * `text` finds rows by a few letters, `!text` leaves out rows that hold it, `column:text` and `!column:text` look into
 * one column alone. Everything that is given must hold.
 */
export function parseFilter<Item>(filter: string, columns: readonly Column<Item>[]): ParsedFilter<Item> {
  const words: string[] = []
  const demands: Demand<Item>[] = []
  let problem: string | undefined
  for (const part of filter.trim().split(/\s+/)) {
    const isWanted = !part.startsWith('!')
    const bare = (isWanted ? part : part.slice(1)).toLowerCase()
    const [, name, text] = FIELD.exec(bare) ?? []
    const column = name === undefined ? undefined : columnOf(columns, name)
    if (name !== undefined && !column)
      problem ??= `There is no column “${name}”; there are ${columns.map(fieldName).join(', ')}.`
    if (column) demands.push({ text: text ?? '', isWanted, column })
    else if (isWanted) words.push(bare)
    else demands.push({ text: bare, isWanted })
  }
  return {
    words: words.join(' '),
    // Someone who is about to type the text means nothing yet.
    demands: demands.filter(({ text }) => text !== ''),
    problem,
  }
}

/** An item with everything its columns show, a line for each; made once per list, not per letter typed. */
export type Searchable<Item> = { item: Item; text: string }

export function searchable<Item>(columns: readonly Column<Item>[], item: Item): Searchable<Item> {
  return { item, text: columns.map(column => cellText(item, column)).join('\n') }
}

/**
 * In the order they came. Rows that hold the words as typed hide those that hold them apart, and those the ones that
 * have the letters of some words alone, as `hasLetters` says.
 */
export function matches<Item>(texts: readonly Searchable<Item>[], filter: ParsedFilter<Item>): Item[] {
  const { words, demands } = filter
  const asked = texts.filter(entry =>
    demands.every(({ text, isWanted, column }) => {
      const within = column ? cellText(entry.item, column) : entry.text
      return within.toLowerCase().includes(text) === isWanted
    }),
  )
  const fitting = (wanted: readonly string[], fits: (text: string, word: string) => boolean): Item[] =>
    asked.filter(({ text }) => wanted.every(word => fits(text, word))).map(({ item }) => item)
  if (words === '') return asked.map(({ item }) => item)
  const holds = (text: string, word: string): boolean => text.toLowerCase().includes(word)
  const phrase = fitting([words], holds)
  if (phrase.length > 0) return phrase
  const apart = fitting(words.split(' '), holds)
  if (apart.length > 0) return apart
  return fitting(words.split(' '), (text, word) => holds(text, word) || hasLetters(text, word))
}

/**
 * Whether a line of the text has these small letters one after the other, each either the first of a word or in the word of the
 * one before: `nbp` and `nigbil` are in “nightly-billing-prod”, `tri` is not in “act on it”.
 */
export function hasLetters(text: string, letters: string): boolean {
  const wanted = [...letters]
  if (!isInOrder(text.toLowerCase(), wanted)) return false
  // By how many letters were found so far: in this line at all, and with the last one in this word.
  let inLine: boolean[] = []
  let inWord: boolean[] = []
  let before: Kind = 'sign'
  for (const character of text) {
    if (character === '\n') inLine = []
    const kind = kindOf(character)
    // A sign is a word of its own, and a capital behind a small letter begins one: `getSum`.
    const begins = kind === 'sign' || before === 'sign' || (kind === 'capital' && before === 'small')
    if (begins) inWord = []
    before = kind
    const small = character.toLowerCase()
    for (let found = wanted.length; found > 0; found -= 1) {
      if (wanted[found - 1] !== small) continue
      const goesOn = found > 1 && (inWord[found - 1] || (begins && inLine[found - 1]))
      if (goesOn || (found === 1 && begins)) inLine[found] = inWord[found] = true
    }
    if (inLine[wanted.length]) return true
  }
  return false
}

/** The quick look that most rows do not pass. */
function isInOrder(text: string, letters: readonly string[]): boolean {
  let from = 0
  return letters.every(letter => {
    from = text.indexOf(letter, from) + 1
    return from > 0
  })
}

/** What a character is for words. */
type Kind = 'small' | 'capital' | 'other' | 'sign'

const KINDS: readonly (readonly [Kind, RegExp])[] = [
  ['small', /\p{Ll}/u],
  ['capital', /\p{Lu}/u],
  ['other', /[\p{L}\p{M}\p{N}]/u],
]
const kinds = new Map<string, Kind>()

/** Remembered, because a long list asks for each of its letters at every key. */
function kindOf(character: string): Kind {
  const known = kinds.get(character)
  if (known !== undefined) return known
  const [kind] = KINDS.find(([, pattern]) => pattern.test(character)) ?? ['sign' as const]
  if (kinds.size > MOST_KINDS) kinds.clear()
  kinds.set(character, kind)
  return kind
}

/** More different characters than that are no text that people filter. */
const MOST_KINDS = 5000
