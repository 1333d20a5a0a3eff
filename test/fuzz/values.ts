import { HOSTILE, HOSTILE_FURTHER, NO_UTF8 } from '../hostile-texts.ts'
import type { Random } from '../random-numbers.ts'

const TEXTS = [...HOSTILE, ...HOSTILE_FURTHER].map(text => text.replaceAll(NO_UTF8, '\uFFFD'))

/** Numbers at and beyond the range of times, counts and shares. */
const NUMBERS = [
  0, -0, -1, 0.1, 1e-7, -1e9, 2 ** 31, 2 ** 53, 2 ** 53 + 2, 8.64e15, 8.64e15 + 1, -8.64e15 - 1,
  1_763_000_000_000_000, 1_763_000_000_000_000_000, 1e21, 1e100, 1.7976931348623157e308, -1.7976931348623157e308,
  5e-324,
] // prettier-ignore

const NAMES = ['__proto__', 'constructor', 'toString', 'then', 'toJSON', 'length', 'hasOwnProperty', '', '.', '..']

/** Depths of nested JSON; recursive parsers and printers fail somewhere between them. */
const DEPTHS = [50, 600, 5000, 20_000]

/** Length of long texts and lists. */
const LENGTHS = [300, 3000, 30_000]

/** Texts that no service should send. */
export function hostileText(random: Random): string {
  const text = random.pick(TEXTS)
  if (random.chance(0.7)) return text
  const length = random.pick(LENGTHS)
  return random.pick([
    () => text.slice(0, 40).repeat(Math.ceil(length / 20)),
    () => '\u200B'.repeat(length),
    () => `e${'\u0301'.repeat(length)}`,
    () => 'x'.repeat(length * 10),
    () => '漢'.repeat(length),
    () => '\n'.repeat(length),
    () => '[a]('.repeat(length / 4),
    () => `${'> '.repeat(length / 10)}- * **`,
    () => `${'|a'.repeat(length / 10)}|\n${'|-'.repeat(length / 10)}|\n`,
    () => '`'.repeat(length),
    () => `<${'a'.repeat(length)}`,
  ])()
}

/** JSON text that is nested too deep for a recursive reader. */
export function deepJson(random: Random): string {
  const depth = random.pick(DEPTHS)
  const [begin, end] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"items":', '}]'],
  ] as const)
  return `${begin.repeat(depth)}1${end.repeat(depth)}`
}

/** A place in a JSON value: the names and positions that lead to it. */
type Path = readonly (string | number)[]

/** Every place of a value except its root, up to a maximum. */
function placesIn(value: unknown, most = 4000): Path[] {
  const found: Path[] = []
  const visit = (at: unknown, path: Path): void => {
    if (typeof at !== 'object' || at === null) return
    for (const [name, inner] of Object.entries(at)) {
      if (found.length >= most) return
      const place = [...path, Array.isArray(at) ? Number(name) : name]
      found.push(place)
      visit(inner, place)
    }
  }
  visit(value, [])
  return found
}

const DROP = Symbol('drop')
/** Marks a place to be replaced by deep JSON, which `JSON.stringify` could not write. */
const DEEP = '\uE124deep\uE124'

/** A change of a value, and its name. */
type Change = { name: string; change: (value: unknown, random: Random) => unknown }

const OTHER_TYPES: readonly unknown[] = [null, true, false, 0, '', [], {}, [null], [[]], { a: [] }, ['x', 1, {}]]

export const CHANGES: readonly Change[] = [
  { name: 'another type', change: (_, random) => structuredClone(random.pick(OTHER_TYPES)) },
  { name: 'a hostile text', change: (_, random) => hostileText(random) },
  {
    name: 'a hostile text behind it',
    change: (value, random) => `${typeof value === 'string' ? value : JSON.stringify(value)} ${hostileText(random)}`,
  },
  { name: 'an odd number', change: (_, random) => random.pick(NUMBERS) },
  { name: 'nothing', change: () => DROP },
  { name: 'deep JSON', change: () => DEEP },
  { name: 'odd names', change: oddNames },
  { name: 'a long list', change: longList },
]

function oddNames(value: unknown, random: Random): unknown {
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : []
  const odd = [...NAMES, hostileText(random)].map(name => [name, random.pick(OTHER_TYPES)] as const)
  return Object.fromEntries([...fields, ...odd])
}

function longList(value: unknown, random: Random): unknown {
  const one = Array.isArray(value) ? (value[0] as unknown) : value
  return Array.from({ length: random.pick(LENGTHS) }, () => one)
}

/**
 * Changes some places of a JSON text.
 * @returns the new text and what was changed, or undefined if there is nothing to change
 */
export function changedJson(
  text: string,
  kinds: readonly Change[],
  random: Random,
): { text: string; what: string } | undefined {
  const root = parsed(text)
  if (root === undefined) return undefined
  const all = placesIn(root.value)
  if (all.length === 0) return undefined
  const kind = random.pick(kinds)
  // One changed place shows its own effect; all places of one name imitate a broken service.
  const chosen = random.pick(all)
  const name = chosen.at(-1)
  const places = random.chance(0.5) ? [chosen] : all.filter(path => path.at(-1) === name)
  for (const path of places.toReversed()) replaceAt(root.value, path, kind, random)
  const changed = JSON.stringify(root.value)
  if (changed.length > 20_000_000) return undefined
  return {
    text: changed.replaceAll(JSON.stringify(DEEP), () => deepJson(random)),
    what: `${kind.name} at ${spelt(chosen.join('.'))}${places.length > 1 ? ` and ${places.length - 1} more` : ''}`,
  }
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

function replaceAt(root: unknown, path: Path, kind: Change, random: Random): void {
  const parent = path.slice(0, -1).reduce<unknown>((at, step) => {
    return typeof at === 'object' && at !== null ? (at as Record<string | number, unknown>)[step] : undefined
  }, root)
  if (typeof parent !== 'object' || parent === null) return
  const holder = parent as Record<string | number, unknown>
  const last = path.at(-1)!
  const value = kind.change(holder[last], random)
  if (value !== DROP) holder[last] = value
  else if (Array.isArray(parent)) parent.splice(Number(last), 1)
  else delete holder[last]
}

/** Spells out every character that a terminal would not simply show, so that a report cannot cause what it reports. */
export function spelt(text: string): string {
  return text.replaceAll(/(?!\n)[\p{C}\p{M}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, character =>
    [...character].map(each => `\\u{${each.codePointAt(0)!.toString(16)}}`).join(''),
  )
}
