import { beginningOfJson } from '../../lib/json-beginning.ts'
import { MAX_ANSWER_LEVELS } from '../../lib/json.ts'
import { isSameJson } from '../json/same-json.ts'

/** A difference between two values, with its path. A missing side is undefined. */
export type Change = { path: string; from: unknown; to: unknown }

/**
 * Returns the differences in the order of the fields. Lists and blocks that both sides have are compared inside, at any
 * depth of an answer.
 */
export function changesBetween(from: unknown, to: unknown, path = '', levels = MAX_ANSWER_LEVELS): Change[] {
  const below = (name: string | number): string =>
    typeof name === 'number' ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`
  if (levels > 0 && Array.isArray(from) && Array.isArray(to))
    return Array.from({ length: Math.max(from.length, to.length) }, (_, index) =>
      changesBetween(from[index], to[index], below(index), levels - 1),
    ).flat()
  if (levels > 0 && isBlock(from) && isBlock(to))
    return [...new Set([...Object.keys(to), ...Object.keys(from)])].flatMap(name =>
      changesBetween(from[name], to[name], below(name), levels - 1),
    )
  return isSameJson(from, to) ? [] : [{ path, from, to }]
}

/** Maximum length of a value in a line about a difference. */
const MOST_SHOWN = 120

/** Returns a line such as `iterations: 1 → 3` (with the caller's arrow), `scenario: + "calm"` or `steps[2]: - {…}`. */
export function changeLine({ path, from, to }: Change, arrow: string): string {
  const name = path === '' ? 'all of it' : path
  if (from === undefined) return `${name}: + ${shortJson(to)}`
  if (to === undefined) return `${name}: - ${shortJson(from)}`
  return `${name}: ${shortJson(from)} ${arrow} ${shortJson(to)}`
}

function shortJson(value: unknown): string {
  const { text } = value === undefined ? { text: 'nothing' } : beginningOfJson(value, MOST_SHOWN)
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
}

function isBlock(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Says which fields the service keeps, although they were left out; undefined if there are none. */
export function keptWords(kept: readonly string[]): string | undefined {
  if (kept.length === 0) return undefined
  return `${kept.join(', ')} ${kept.length === 1 ? 'stays: it' : 'stay: they'} cannot be removed over the API`
}
