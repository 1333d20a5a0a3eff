import fuzzysort from 'fuzzysort'
import { cellText, type Column } from './columns.ts'

/** One demand of a filter besides its plain words. */
type Demand<Item> = { text: string; isWanted: boolean; column?: Column<Item> }

export type ParsedFilter<Item> = {
  /** Words without a sign, searched letter by letter where they are not found as typed. */
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

/** An item with everything its columns show, ready to be searched; made once per list, not per letter typed. */
export type Searchable<Item> = {
  item: Item
  text: string
  lower: string
  prepared?: ReturnType<typeof fuzzysort.prepare>
}

export function searchable<Item>(columns: readonly Column<Item>[], item: Item): Searchable<Item> {
  const text = columns.map(column => cellText(item, column)).join(' ')
  return { item, text, lower: text.toLowerCase() }
}

/**
 * Below this, fuzzysort's score is that of letters which stand somewhere in a text; above, of the first letters of
 * words and the like.
 */
const ALIKE = 0.5

/**
 * Best first. Rows that hold the words as typed hide those that hold them apart, and those the ones that match letter
 * by letter.
 */
export function matches<Item>(texts: readonly Searchable<Item>[], filter: ParsedFilter<Item>): Item[] {
  const { words, demands } = filter
  const candidates = texts.filter(entry =>
    demands.every(({ text, isWanted, column }) => {
      const within = column ? cellText(entry.item, column).toLowerCase() : entry.lower
      return within.includes(text) === isWanted
    }),
  )
  if (words === '') return candidates.map(({ item }) => item)
  const holding = (wanted: readonly string[]): Item[] =>
    candidates.filter(({ lower }) => wanted.every(word => lower.includes(word))).map(({ item }) => item)
  const phrase = holding([words])
  const apart = phrase.length > 0 ? phrase : holding(words.split(' '))
  if (apart.length > 0) return apart
  // Only for what is not found as typed: of thousands of rows it takes long, and much memory.
  for (const entry of candidates) entry.prepared ??= fuzzysort.prepare(entry.text)
  return fuzzysort.go(words, candidates, { key: 'prepared', threshold: ALIKE }).map(hit => hit.obj.item)
}
