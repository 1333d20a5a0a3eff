import fuzzysort from 'fuzzysort'
import { ALIKE } from '../../lib/nearest.ts'
import { cellText, type Column } from './columns.ts'

/** One condition of a filter besides its plain words. */
type Demand<Item> = { text: string; isWanted: boolean; column?: Column<Item> }

export type ParsedFilter<Item> = {
  /** Words without a sign, matched by letters if they are not found as typed. */
  words: string
  demands: readonly Demand<Item>[]
  /** Why a part of it is invalid, for the person. */
  problem: string | undefined
}

/** The name of a column in `column:text`. */
function fieldName<Item>(column: Column<Item>): string {
  return (column.title || column.id).toLowerCase().replaceAll(/\s+/g, '-')
}

/** The column with this name or id, or the only one that starts with it. */
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
    // A person who is about to type the text has no condition yet.
    demands: demands.filter(({ text }) => text !== ''),
    problem,
  }
}

/** An item with the text of all its columns, for searching. */
type Searchable<Item> = { item: Item; text: string; lower: string; prepared?: ReturnType<typeof fuzzysort.prepare> }

export type Texts<Item> = (item: Item) => Searchable<Item>

/** The texts of items, each made on first use and not for each typed letter. */
export function createTexts<Item extends object>(columns: readonly Column<Item>[]): Texts<Item> {
  const made = new WeakMap<Item, Searchable<Item>>()
  return item => {
    const known = made.get(item)
    if (known) return known
    const text = columns.map(column => cellText(item, column)).join(' ')
    const entry = { item, text, lower: text.toLowerCase() }
    made.set(item, entry)
    return entry
  }
}

/** Rows that match a filter, in the order of the list, with the one to select. */
export type Found<Item> = { items: readonly Item[]; best: Item | undefined }

/**
 * Looks at one item in each step, so that keys can be heard between two, and yields the rows that are certain so far.
 * Rows that hold the words as typed hide those that hold them apart, and those the ones that match letter by letter.
 */
export function* search<Item>(
  items: readonly Item[],
  { words, demands }: ParsedFilter<Item>,
  textOf: Texts<Item>,
): Generator<readonly Item[], Found<Item>> {
  const phrase: Item[] = []
  const candidates: Searchable<Item>[] = []
  for (const item of items) {
    yield phrase
    const entry = textOf(item)
    const isCandidate = demands.every(({ text, isWanted, column }) => {
      const within = column ? cellText(item, column).toLowerCase() : entry.lower
      return within.includes(text) === isWanted
    })
    if (!isCandidate) continue
    candidates.push(entry)
    if (entry.lower.includes(words)) phrase.push(item)
  }
  if (phrase.length > 0) return { items: phrase, best: phrase[0] }
  const apart: Item[] = []
  const each = words.split(' ')
  for (const { item, lower } of candidates) {
    yield phrase
    if (each.every(word => lower.includes(word))) apart.push(item)
  }
  return apart.length > 0 ? { items: apart, best: apart[0] } : yield* searchAlike(candidates, words)
}

/** Only for what is not found as typed: for thousands of rows it takes long, and much memory. */
function* searchAlike<Item>(
  candidates: readonly Searchable<Item>[],
  words: string,
): Generator<readonly Item[], Found<Item>> {
  const items: Item[] = []
  let best: { item: Item; score: number } | undefined
  for (const entry of candidates) {
    yield []
    const score = fuzzysort.single(words, (entry.prepared ??= fuzzysort.prepare(entry.text)))?.score ?? 0
    if (score < ALIKE) continue
    items.push(entry.item)
    if (!best || score > best.score) best = { item: entry.item, score }
  }
  return { items, best: best?.item }
}
