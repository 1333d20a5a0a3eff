import fuzzysort from 'fuzzysort'
import { displayKey } from '../../tui/keymap/binding.ts'
import type { ActiveBinding } from '../../tui/keymap/layers.ts'
import type { NamedPlace } from '../../tui/router/named-place.ts'
import { type Place, profileOf, type Route } from '../../tui/router/place.ts'
import { isWebAddress, type Pages, readPlace } from '../../tui/router/web-address.ts'
import { clean } from '../../tui/theme/text.ts'

/** A line of the palette: somewhere to go, something by its name, or something to do. */
export type PaletteEntry = {
  id: string
  /** What is searched and shown, cleaned. */
  text: string
  /** What kind of thing it is, or the key that does the same. */
  detail: string
  /** Why it can't be done now. */
  unavailable?: string
  choose: () => void
}

/** Actions of the app that are about the chosen thing. */
const ON_EVERY_THING: ReadonlySet<string> = new Set(['app.copyId', 'app.copyLink', 'app.raw', 'app.refresh', 'app.pin'])

/** Begins the id of an action. */
const ACTION = 'action '

/** What works here, nearest first; leaving the palette is not worth a line in it. */
export function actionEntries(
  bindings: readonly ActiveBinding[],
  perform: (binding: ActiveBinding) => void,
): PaletteEntry[] {
  return bindings
    .filter(binding => !binding.byKey && binding.scope !== 'field')
    .map(binding => ({
      id: ACTION + binding.name,
      text: [`${binding.title}: ${binding.label}`, binding.help?.replace(/\.$/, '')].filter(Boolean).join(' · '),
      detail: binding.keys.map(displayKey).join(' '),
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

/** Screens by `text`, with their numbers, or their letters. */
export function screenEntries(
  screens: readonly { text: string; place: Place; key: string }[],
  go: (place: Place) => void,
): PaletteEntry[] {
  return screens.map(({ text, place, key }) => ({
    id: `screen ${place.screen}`,
    text,
    detail: key,
    choose: () => go(place),
  }))
}

/** Things that were read already, by name, each once: more than one list may have brought it. */
export function namedEntries(named: readonly NamedPlace[], go: (place: Place) => void): PaletteEntry[] {
  const entries = named.map(({ id, kind, name, place }) => ({
    id: `${kind} ${id}`,
    text: clean(name),
    detail: kind,
    choose: () => go(place),
  }))
  return [...new Map(entries.map(entry => [entry.id, entry])).values()]
}

/** What the agent can be asked about the chosen thing; it stands in the field first, and is asked by Enter there. */
export function questionEntries(
  questions: readonly string[],
  bindings: readonly ActiveBinding[],
  ask: (question: string) => void,
): PaletteEntry[] {
  const { unavailable, keys = [] } = bindings.find(({ name }) => name === 'app.agent') ?? {}
  return questions.map(question => ({
    id: `question ${question}`,
    text: `Ask the agent: ${question}`,
    detail: keys.map(displayKey).join(' '),
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
  const entry = { id: 'locator', text: `Open ${clean(text)}`, detail: isPage ? 'web page' : 'locator' }
  const refused = (unavailable: string): PaletteEntry => ({
    ...entry,
    text: 'Open it',
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

/**
 * Best first; without a text as they come. The action on a key that is typed is first. Entries that hold every word as
 * typed come before those that match only
 * letter by letter, and what can't be done comes last.
 */
export function rankEntries(entries: readonly PaletteEntry[], query: string): PaletteEntry[] {
  const wanted = query.trim().toLowerCase()
  const words = wanted.split(/\s+/)
  const literal = entries.filter(({ text }) => words.every(word => text.toLowerCase().includes(word)))
  const fuzzy = fuzzysort.go(wanted, entries, { key: 'text', threshold: 0, limit: 0 }).map(hit => hit.obj)
  const ofKey = entries.filter(({ id, detail }) => id.startsWith(ACTION) && detail.split(' ').includes(query.trim()))
  const found = wanted === '' ? entries : new Set([...ofKey, ...literal, ...fuzzy])
  const isDoable = (entry: PaletteEntry): boolean => entry.unavailable === undefined
  const ranked = [...found]
  return [...ranked.filter(isDoable), ...ranked.filter(entry => !isDoable(entry))]
}
