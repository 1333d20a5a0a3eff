import fuzzysort from 'fuzzysort'
import { ALIKE } from '../../lib/nearest.ts'
import { displayKey } from '../../tui/keymap/binding.ts'
import type { ActiveBinding } from '../../tui/keymap/layers.ts'
import type { NamedPlace } from '../../tui/router/named-place.ts'
import { type Place, profileOf, type Route } from '../../tui/router/place.ts'
import { isWebAddress, type Pages, readPlace } from '../../tui/router/web-address.ts'
import { clean } from '../../tui/theme/text.ts'

/** A line of the palette: somewhere to go, something by its name, or something to do. */
export type PaletteEntry = {
  id: string
  /** Stands before the name, as `Go to` does; it is found by that too. */
  lead?: string
  /** What it is called, cleaned; what is typed is looked for here first. */
  name: string
  /** What it is or does; found by the beginnings of its words alone. */
  about?: string
  /** What kind of thing it is, or the key that does the same. */
  detail: string
  /** The keys that do the same, as people read them. */
  keys?: readonly string[]
  /** The id of a record, which only its beginning finds. */
  recordId?: string
  /** The word to type before the name, as in `theme nord`; without that word it is not found. */
  command?: string
  /** Why it can't be done now. */
  unavailable?: string
  choose: () => void
}

/** Actions of the app that are about the chosen thing. */
const ON_EVERY_THING: ReadonlySet<string> = new Set(['app.copyId', 'app.copyLink', 'app.raw', 'app.refresh', 'app.pin'])

/** The id of the entry that does what a binding does, however it is called there: what does the same stands once. */
function actionId(binding: string): string {
  return `action ${binding}`
}

/** What works here, nearest first; leaving the palette is not worth a line in it. */
export function actionEntries(
  bindings: readonly ActiveBinding[],
  perform: (binding: ActiveBinding) => void,
): PaletteEntry[] {
  return bindings
    .filter(binding => !binding.byKey && binding.scope !== 'field')
    .map(binding => ({
      id: actionId(binding.name),
      lead: `${binding.title}:`,
      name: binding.label,
      ...(binding.help !== undefined && { about: withoutStop(binding.help) }),
      ...keysOf(binding),
      ...(binding.unavailable !== undefined && { unavailable: binding.unavailable }),
      choose: () => perform(binding),
    }))
}

/**
 * What can be done with the chosen thing, of everything that works: the screen's own actions, and those on every thing.
 */
export function actionsHere(bindings: readonly ActiveBinding[]): ActiveBinding[] {
  return bindings.filter(({ screen, name }) => screen !== undefined || ON_EVERY_THING.has(name))
}

/** A description beside others needs no full stop. */
function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, '')
}

function keysOf({ keys }: Pick<ActiveBinding, 'keys'>): Pick<PaletteEntry, 'keys' | 'detail'> {
  const shown = keys.map(displayKey)
  return { keys: shown, detail: shown.join(' ') }
}

/** Screens with their numbers and their letters; each is also what its letter does. */
export function screenEntries(
  screens: readonly (Pick<PaletteEntry, 'lead'> & {
    title: string
    about: string
    place: Place
    keys: readonly string[]
  })[],
  go: (place: Place) => void,
): PaletteEntry[] {
  return screens.map(({ title, about, lead, place, keys }) => ({
    id: actionId(`go.${place.screen}`),
    ...(lead !== undefined && { lead }),
    name: title,
    about: withoutStop(about),
    keys,
    detail: keys.join('  '),
    choose: () => go(place),
  }))
}

/**
 * Things that were read already, by name, each once: more than one list may have brought it. Those of one name are told
 * apart by their ids.
 */
export function namedEntries(named: readonly NamedPlace[], go: (place: Place) => void): PaletteEntry[] {
  const things = new Map(named.map(thing => [`${thing.kind} ${thing.id}`, thing]))
  const called = Map.groupBy(things.values(), ({ kind, name }) => `${kind} ${name}`)
  return [...things].map(([key, { id, kind, name, place }]) => ({
    id: key,
    name: clean(name),
    ...(called.get(`${kind} ${name}`)!.length > 1 && { about: clean(id) }),
    detail: kind,
    recordId: clean(id),
    choose: () => go(place),
  }))
}

/** What a word and a name do, typed one after the other. */
export function commandEntries(command: string, entries: readonly PaletteEntry[]): PaletteEntry[] {
  return entries.map(entry => ({ ...entry, id: `${command} ${entry.id}`, command, detail: command }))
}

/** What the agent can be asked about the chosen thing; it is in the field first, and is asked by Enter there. */
export function questionEntries(
  questions: readonly string[],
  bindings: readonly ActiveBinding[],
  ask: (question: string) => void,
): PaletteEntry[] {
  const { unavailable, keys = [] } = bindings.find(({ name }) => name === 'app.agent') ?? {}
  // Its key asks without a question, so it finds none of these.
  const { detail } = keysOf({ keys })
  return questions.map(question => ({
    id: `question ${question}`,
    lead: 'Ask the agent:',
    name: question,
    detail,
    ...(unavailable !== undefined && { unavailable }),
    choose: () => ask(question),
  }))
}

type Opening = { go: (place: Place) => void; refuse: (why: string) => void }

/**
 * What a typed or pasted locator or page of the hosted UI opens, or why it cannot be opened here; undefined for other
 * texts.
 */
export function locatorEntry(
  routes: readonly Route[],
  text: string,
  profile: Pages & { name: string },
  { go, refuse }: Opening,
): PaletteEntry | undefined {
  const isPage = isWebAddress(text)
  const place = text.includes('/') ? readPlace(routes, text, profile) : undefined
  if (!place && !isPage) return undefined
  const entry = { id: 'locator', lead: 'Open', name: clean(text), detail: isPage ? 'web page' : 'locator' }
  const refused = (unavailable: string): PaletteEntry => ({
    ...entry,
    name: 'it',
    unavailable,
    choose: () => refuse(unavailable),
  })
  const owner = profileOf(text) ?? profile.name
  if (owner !== profile.name)
    return refused(`That is of the profile ${clean(owner)}: open it with mcpdeck in the shell.`)
  if (place) return { ...entry, choose: () => go(place) }
  if (profile.local) return refused('The local workspace has no pages on the web.')
  return refused(`The setting web of the profile ${profile.name} has no such address.`)
}

/** What is on the line of an entry before what it is or does. */
export function titleOf({ lead, name }: PaletteEntry): string {
  return lead === undefined ? name : `${lead} ${name}`
}

/**
 * The line of an entry; `about` is what it is or does. Where it can't be done the reason is there instead: that is
 * wanted then.
 */
function lineOf(entry: PaletteEntry, about = entry.about): string {
  if (entry.unavailable !== undefined) return `${titleOf(entry)} (${entry.unavailable})`
  return about === undefined ? titleOf(entry) : `${titleOf(entry)} · ${about}`
}

/** An entry that was found, with its line and the offsets there of what was typed. */
export type FoundEntry = { entry: PaletteEntry; line: string; matched: ReadonlySet<number> }

/** How an entry was found, the best first. */
const RANK = { command: 0, key: 1, called: 2, begins: 3, alike: 4, titled: 5, id: 6, words: 7 } as const

/** Among those of one rank a higher score is better; `matched` are offsets in the line. */
type Hit = { rank: number; score: number; matched: readonly number[]; line?: string }

const AS_IT_COMES: Hit = { rank: 0, score: 0, matched: [] }

/** A shorter beginning of an id is that of all ids of its kind. */
const LEAST_OF_ID = 5

/**
 * Best first; without a text as they come. The action on the key that is typed is first, then what is called so, what
 * begins so, what is found by a few letters of its name, and what says these words of itself. Letters that are
 * scattered over a text are no match. What can't be done comes last, and what does the same as an entry before is left
 * out.
 */
export function rankEntries(entries: readonly PaletteEntry[], query: string): FoundEntry[] {
  const typed = query.trimStart().replace(/^:\s*/, '')
  const ids = new Set<string>()
  const isFirst = ({ id }: PaletteEntry): boolean => ids.size < ids.add(id).size
  const hits = entries.filter(isFirst).flatMap(entry => {
    const hit = typed === '' && entry.command === undefined ? AS_IT_COMES : hitOf(entry, typed)
    return hit ? { entry, hit } : []
  })
  const ranked = hits
    .sort((a, b) => a.hit.rank - b.hit.rank || b.hit.score - a.hit.score)
    .map(({ entry, hit }) => ({ entry, line: hit.line ?? lineOf(entry), matched: new Set(hit.matched) }))
  const isDoable = ({ entry }: FoundEntry): boolean => entry.unavailable === undefined
  return [...ranked.filter(isDoable), ...ranked.filter(each => !isDoable(each))]
}

function hitOf(entry: PaletteEntry, typed: string): Hit | undefined {
  const { keys, command, recordId } = entry
  if (command !== undefined) return commandHit(entry, command, typed)
  if (keys?.includes(typed.trim())) return { ...AS_IT_COMES, rank: RANK.key }
  const wanted = typed.trim().toLowerCase()
  return (
    nameHit(entry, wanted) ??
    wordsHit(titleOf(entry), wanted, RANK.titled) ??
    idHit(entry, recordId, wanted) ??
    wordsHit(lineOf(entry), wanted, RANK.words)
  )
}

function commandHit(entry: PaletteEntry, command: string, typed: string): Hit | undefined {
  const [, word = '', name = ''] = /^(\S+)\s+(.*)$/s.exec(typed) ?? []
  if (word.toLowerCase() !== command) return undefined
  const wanted = name.trim().toLowerCase()
  const hit = wanted === '' ? AS_IT_COMES : (nameHit(entry, wanted) ?? idHit(entry, entry.recordId, wanted))
  return hit && { ...hit, rank: RANK.command, score: hit.score - hit.rank }
}

function nameHit(entry: PaletteEntry, wanted: string): Hit | undefined {
  const { name, recordId } = entry
  const from = titleOf(entry).length - name.length
  const lower = name.toLowerCase()
  if (lower.startsWith(wanted)) {
    const rank = lower === wanted ? RANK.called : RANK.begins
    return { rank, score: 0, matched: offsets(from, wanted.length) }
  }
  const found = name === recordId ? null : fuzzysort.single(wanted, name)
  if (!found || found.score < ALIKE) return undefined
  return { rank: RANK.alike, score: found.score, matched: found.indexes.map(at => from + at) }
}

function idHit(entry: PaletteEntry, id: string | undefined, wanted: string): Hit | undefined {
  if (id === undefined || wanted.length < LEAST_OF_ID || !id.toLowerCase().startsWith(wanted)) return undefined
  const line = lineOf(entry, id)
  return { rank: RANK.id, score: 0, matched: offsets(line.indexOf(id), wanted.length), line }
}

/** Where every word that is typed begins a word of the text; one in the plural is also that in the singular. */
function wordsHit(text: string, wanted: string, rank: number): Hit | undefined {
  const matched: number[] = []
  for (const typed of wanted.split(/\s+/)) {
    const found = [typed, typed.replace(/(?<=...)s$/, '')].find(word => wordStart(text, word) !== -1)
    if (found === undefined) return undefined
    matched.push(...offsets(wordStart(text, found), found.length))
  }
  return { rank, score: 0, matched }
}

/** Where a word of the text begins with this, in lower case; -1 where none does. */
function wordStart(text: string, beginning: string): number {
  const lower = text.toLowerCase()
  let at = lower.indexOf(beginning)
  while (at > 0 && /[\p{L}\p{N}_]/u.test(lower[at - 1]!)) at = lower.indexOf(beginning, at + 1)
  return at
}

function offsets(from: number, length: number): number[] {
  return Array.from({ length }, (_, index) => from + index)
}
