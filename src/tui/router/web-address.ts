import { parsePlace, type Place, type Route, unescaped } from './place.ts'
import { ownValue } from '../../lib/own-value.ts'

/** Addresses of a hosted UI by screen, with `{projectId}` and the other parameters of its places. */
export type WebAddresses = Readonly<Partial<Record<string, string>>>

const PARAMETER = /\{(\w+)\}/g
/** Valid ids of a service: other text could escape its part of an address. */
const ID = /^[\w.~-]+$/

/**
 * Returns the page of the hosted UI for this place, or at least its project; undefined if neither has a known address.
 */
export function webAddress(addresses: WebAddresses, place: Place): string | undefined {
  for (const screen of [place.screen, 'projects']) {
    const template = ownValue(addresses, screen)
    if (template === undefined) continue
    const names = [...template.matchAll(PARAMETER)].map(([, name]) => name!)
    if (!names.every(name => Object.hasOwn(place.params, name))) continue
    return template.replaceAll(PARAMETER, (_, name: string) => encodeURIComponent(place.params[name] ?? ''))
  }
  return undefined
}

/** Whether a text is a web address rather than one of our places. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}

/**
 * Returns the place shown by a page of the hosted UI, by reversing {@link webAddress}. A page below a known address is
 * the same place; of several matching addresses, the most specific wins.
 */
export function placeAtAddress(addresses: WebAddresses, text: string): Place | undefined {
  if (!isWebAddress(text)) return undefined
  const given = partsOf(new URL(text))
  const found = Object.entries(addresses).flatMap(([screen, template]) => {
    const found = template === undefined ? undefined : match(template, given)
    return found ? [{ place: { screen, params: found.params }, weight: found.weight }] : []
  })
  return found.toSorted((a, b) => b.weight - a.weight)[0]?.place
}

/** The web pages in a profile. */
export type Pages = { local: boolean; web?: WebAddresses | undefined }

/**
 * Returns the place named by a text: an address, the part of it below the profile, or the address of a page of the
 * hosted UI. Undefined if it names none of this profile.
 */
export function readPlace(routes: readonly Route[], text: string, { local, web }: Pages): Place | undefined {
  if (!isWebAddress(text)) return parsePlace(routes, text)
  if (web) return placeAtAddress(web, text)
  return local ? undefined : placeInPath(routes, text)
}

/**
 * Returns the place in the path of an address in our own words, if the addresses of the hosted UI are not configured.
 */
function placeInPath(routes: readonly Route[], text: string): Place | undefined {
  const { pathname, hash } = new URL(text)
  const words = `${pathname}/${hash.replace(/^#/, '')}`.split('/').filter(Boolean)
  const begin = words.indexOf('projects')
  if (begin === -1 || words.slice(begin).some(word => !ID.test(word))) return undefined
  for (let end = words.length; end > begin + 1; end -= 1) {
    const place = parsePlace(routes, words.slice(begin, end).join('/'))
    if (place) return place
  }
  return undefined
}

/** The parts of an address; path and anchor are split into segments. */
type Parts = { origin: string; path: string[]; query: [name: string, value: string][]; anchor: string[] }

function partsOf({ origin, pathname, searchParams, hash }: URL): Parts {
  const segments = (path: string): string[] => path.split('/').filter(Boolean).map(unescaped)
  return { origin, path: segments(pathname), query: [...searchParams], anchor: segments(hash.replace(/^#/, '')) }
}

type Match = { params: Record<string, string>; weight: number }

/**
 * Returns the values of a template's parameters in an address that matches it. `weight` is the number of parts that
 * match.
 */
function match(template: string, given: Parts): Match | undefined {
  // URL escapes the braces, and `partsOf` reverts that.
  const expected = URL.canParse(template) ? partsOf(new URL(template)) : undefined
  if (expected?.origin !== given.origin) return undefined
  const values = new Map(given.query)
  const pairs = {
    path: expected.path.map((part, index) => [part, given.path[index]] as const),
    query: expected.query.map(([name, part]) => [part, values.get(name)] as const),
    anchor: expected.anchor.map((part, index) => [part, given.anchor[index]] as const),
  }
  const params: Record<string, string> = {}
  let weight = 0
  for (const [name, list] of Object.entries(pairs)) {
    // Parameters that only affect the display, such as the tab, may differ.
    const isNeeded = name === 'path' || list.some(([part]) => part.search(PARAMETER) !== -1)
    for (const [part, value] of list) {
      const fits = value !== undefined && matchPart(part, value, params)
      if (isNeeded && !fits) return undefined
      weight += fits ? 1 : 0
    }
  }
  return { params, weight }
}

/** Records values for the parameters of one part; a repeated parameter must have the same value. */
function matchPart(template: string, value: string, params: Record<string, string>): boolean {
  const names = [...template.matchAll(PARAMETER)].map(([, name]) => name!)
  const pattern = template
    .split(PARAMETER)
    .map((text, index) => (index % 2 === 1 ? '(.+)' : text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')))
  const found = new RegExp(`^${pattern.join('')}$`).exec(value)
  if (!found) return false
  return names.every((name, index) => {
    const seen = found[index + 1]!
    const isSame = !Object.hasOwn(params, name) || params[name] === seen
    params[name] = seen
    return isSame
  })
}
