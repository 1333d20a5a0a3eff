import fuzzysort from 'fuzzysort'
import { ALIKE } from '../../lib/nearest.ts'
import { displayKey } from '../../tui/keymap/binding.ts'
import type { ActiveBinding } from '../../tui/keymap/layers.ts'
import type { NamedPlace } from '../../tui/router/named-place.ts'
import { type Place, profileOf, type Route } from '../../tui/router/place.ts'
import { isWebAddress, type Pages, readPlace } from '../../tui/router/web-address.ts'
import { clean } from '../../tui/theme/text.ts'

/** A line of the palette: a place, a thing by its name, or an action. */
export type PaletteEntry = {
  id: string
  /** Shown before the name, as in `Go to`; it is searched too. */
  lead?: string
  /** Its cleaned name, which is searched first. */
  name: string
  /** A description; found only by the beginnings of its words. */
  about?: string
  /** The kind of thing, or the key that does the same. */
  detail: string
  /** The keys that do the same, as shown to people. */
  keys?: readonly string[]
  /** The id of a record, which is found only by its beginning. */
  recordId?: string
  /** The word to type before the name, as in `theme nord`; without that word it is not found. */
  command?: string
  /** Why it is unavailable. */
  unavailable?: string
  choose: () => void
}

/** Actions of the app that apply to the selected item. */
const ON_EVERY_THING: ReadonlySet<string> = new Set(['app.copyId', 'app.copyLink', 'app.raw', 'app.refresh', 'app.pin'])

/**
 * Returns the id of the entry that does what a binding does, whatever its name there, so that duplicates are removed.
 */
function actionId(binding: string): string {
  return `action ${binding}`
}

/** Returns the actions that work here, nearest first, without leaving the palette. */
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

/** Returns the actions on the selected item: the screen's own, and those for every item. */
export function actionsHere(bindings: readonly ActiveBinding[]): ActiveBinding[] {
  return bindings.filter(({ screen, name }) => screen !== undefined || ON_EVERY_THING.has(name))
}

/** Returns a description beside others without its full stop. */
function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, '')
}

function keysOf({ keys }: Pick<ActiveBinding, 'keys'>): Pick<PaletteEntry, 'keys' | 'detail'> {
  const shown = keys.map(displayKey)
  return { keys: shown, detail: shown.join(' ') }
}

/** Returns screens with their numbers and letters; each entry also does what the letter does. */
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
 * Returns things already read, by name, without duplicates from several lists. Things with the same name are
 * distinguished by id.
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

/** Returns entries for a word and a name, typed one after the other. */
export function commandEntries(command: string, entries: readonly PaletteEntry[]): PaletteEntry[] {
  return entries.map(entry => ({ ...entry, id: `${command} ${entry.id}`, command, detail: command }))
}

/**
 * Returns questions to the agent about the selected item; each is put in the field first, and sent with Enter there.
 */
export function questionEntries(
  questions: readonly string[],
  bindings: readonly ActiveBinding[],
  ask: (question: string) => void,
): PaletteEntry[] {
  const { unavailable, keys = [] } = bindings.find(({ name }) => name === 'app.agent') ?? {}
  // The key of the agent is shown with these entries, but typing it does not find them, since it asks no question.
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
 * Returns an entry for a typed or pasted address or page of the hosted UI, which opens it or says why it cannot be
 * opened here; undefined for other texts.
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

/** Returns the part of an entry's line before its description. */
export function titleOf({ lead, name }: PaletteEntry): string {
  return lead === undefined ? name : `${lead} ${name}`
}

/** Returns the line of an entry; `about` is what it is or does. If it is unavailable, the reason is shown instead. */
function lineOf(entry: PaletteEntry, about = entry.about): string {
  if (entry.unavailable !== undefined) return `${titleOf(entry)} (${entry.unavailable})`
  return about === undefined ? titleOf(entry) : `${titleOf(entry)} · ${about}`
}

/** A found entry with its line, and the offsets in it of what was typed. */
export type FoundEntry = { entry: PaletteEntry; line: string; matched: ReadonlySet<number> }

/** How an entry was found, best first. */
const RANK = { command: 0, key: 1, called: 2, begins: 3, alike: 4, titled: 5, id: 6, words: 7 } as const

/** Within a rank a higher score is better; `matched` contains offsets in the line. */
type Hit = { rank: number; score: number; matched: readonly number[]; line?: string }

const AS_IT_COMES: Hit = { rank: 0, score: 0, matched: [] }

/** A shorter beginning is shared by all ids of its kind. */
const LEAST_OF_ID = 5

/**
 * Sorts entries best first; without a text, keeps their order. The action on the typed key comes first, then exact
 * names, beginnings of names, names found by a few letters, titles, ids, and descriptions with these words. Scattered
 * letters do not match. Unavailable entries come last, and an entry that does the same as an earlier one is left out.
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

/**
 * Returns where each typed word begins a word of the text; undefined if one begins none. A plural matches its singular.
 */
function wordsHit(text: string, wanted: string, rank: number): Hit | undefined {
  const matched: number[] = []
  for (const typed of wanted.split(/\s+/)) {
    const found = [typed, typed.replace(/(?<=...)s$/, '')].find(word => wordStart(text, word) !== -1)
    if (found === undefined) return undefined
    matched.push(...offsets(wordStart(text, found), found.length))
  }
  return { rank, score: 0, matched }
}

/** Returns where a word of the text begins with this, in lower case; -1 if none does. */
function wordStart(text: string, beginning: string): number {
  const lower = text.toLowerCase()
  let at = lower.indexOf(beginning)
  while (at > 0 && /[\p{L}\p{N}_]/u.test(lower[at - 1]!)) at = lower.indexOf(beginning, at + 1)
  return at
}

function offsets(from: number, length: number): number[] {
  return Array.from({ length }, (_, index) => from + index)
}
