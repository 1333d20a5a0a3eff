import fuzzysort from 'fuzzysort'
import { ALIKE } from '../../lib/nearest.ts'
import { cellText, type Column } from './columns.ts'

/** A condition of a filter, apart from its plain words. */
type Demand<Item> = { text: string; isWanted: boolean; column?: Column<Item> }

export type ParsedFilter<Item> = {
  /** Plain words; if they are not found as typed, rows that contain their letters in order match. */
  words: string
  demands: readonly Demand<Item>[]
  /** Message about a part of the filter that is invalid. */
  problem: string | undefined
}

/** Returns the name of a column in `column:text`. */
function fieldName<Item>(column: Column<Item>): string {
  return (column.title || column.id).toLowerCase().replaceAll(/\s+/g, '-')
}

/** Returns the column with this name or id, or the only one that starts with it. */
function columnOf<Item>(columns: readonly Column<Item>[], name: string): Column<Item> | undefined {
  const exact = columns.find(column => fieldName(column) === name || column.id.toLowerCase() === name)
  const begun = columns.filter(column => fieldName(column).startsWith(name))
  return exact ?? (begun.length === 1 ? begun[0] : undefined)
}

const FIELD = /^([a-z][\w-]*):(?!\/\/)(.*)$/i

/**
 * Parses a filter. `text` finds rows by a few letters, `!text` excludes rows that contain it, `column:text` and
 * `!column:text` search one column only. All conditions must hold.
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
    // A condition whose text is not typed yet has no effect.
    demands: demands.filter(({ text }) => text !== ''),
    problem,
  }
}

/** An item with the texts of all its columns, prepared for searching. */
type Searchable<Item> = { item: Item; text: string; lower: string; prepared?: ReturnType<typeof fuzzysort.prepare> }

export type Texts<Item> = (item: Item) => Searchable<Item>

/** Returns a cache of item texts, each created on first use instead of with each typed letter. */
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

/** The rows that match a filter, in the order of the list, and the row to select. */
export type Found<Item> = { items: readonly Item[]; best: Item | undefined }

/**
 * Checks one item per step, so that keys can be handled in between, and yields the rows that are certain so far. Rows
 * that contain the words as typed hide rows that contain them separately, and these hide rows that only match by
 * letters.
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

/** Runs only if nothing contains the words: for thousands of rows it takes much time and memory. */
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
