import { displayKey, type Bindings } from './binding.ts'
import { isKeyName } from './key-names.ts'
import { beginnings, EVERYWHERE } from './layers.ts'

/** Keys that replace all keys of a binding, by full name such as `runs.cancel`. */
export type Overrides = Readonly<Record<string, readonly string[]>>

/**
 * Returns the groups with the person's keys. An invalid override is left out and reported in a sentence: an unknown
 * binding, an unknown key, or a key of another binding that can be active at the same time. Keys that declarations
 * share by default (a closer group takes the key) stay shared.
 */
export function applyOverrides(
  groups: readonly Bindings[],
  overrides: Overrides,
): { bindings: readonly Bindings[]; problems: readonly string[] } {
  const problems: string[] = []
  const declared = new Set(groups.flatMap(group => Object.keys(group.bindings).map(id => fullName(group, id))))
  const accepted = new Map<string, readonly string[]>()
  for (const [name, keys] of Object.entries(overrides)) {
    const wrong = declared.has(name) ? keysProblem(name, keys) : `There is no binding ${name}.`
    if (wrong) problems.push(wrong)
    else accepted.set(name, [...new Set(keys)])
  }
  // A rejected override restores the default keys, which may now collide with another override.
  for (;;) {
    const bindings = withKeys(groups, accepted)
    const conflict = findConflict(groups, bindings, accepted)
    if (!conflict) return { bindings, problems }
    problems.push(conflict.sentence)
    accepted.delete(conflict.override)
  }
}

function fullName(group: Bindings, id: string): string {
  return `${group.name}.${id}`
}

function keysProblem(name: string, keys: readonly string[]): string | undefined {
  if (keys.length === 0) return `${name} needs a key.`
  const wrong = keys.find(key => !key.split(' ').every(isKeyName))
  return wrong === undefined
    ? undefined
    : `${name} cannot be on “${wrong}”: there is no such key; keys are written like x, X, ctrl+x, alt+x, ` +
        'enter, shift+tab, and a sequence with spaces.'
}

function withKeys(groups: readonly Bindings[], overrides: ReadonlyMap<string, readonly string[]>): readonly Bindings[] {
  return groups.map(group => {
    const bindings = Object.fromEntries(
      Object.entries(group.bindings).map(([id, binding]) => {
        const keys = overrides.get(fullName(group, id))
        return [id, keys ? { ...binding, keys } : binding]
      }),
    )
    return Object.keys(bindings).some(id => bindings[id] !== group.bindings[id]) ? { ...group, bindings } : group
  })
}

type Held = { name: string; group: Bindings; key: string }

function heldKeys(groups: readonly Bindings[]): Held[] {
  return groups.flatMap(group =>
    Object.entries(group.bindings).flatMap(([id, { keys }]) =>
      keys.map(key => ({ name: fullName(group, id), group, key })),
    ),
  )
}

/** Whether one key is, or starts, the other. */
export function collide(one: string, other: string): boolean {
  return one === other || beginnings(one).includes(other) || beginnings(other).includes(one)
}

function findConflict(
  declared: readonly Bindings[],
  groups: readonly Bindings[],
  accepted: ReadonlyMap<string, readonly string[]>,
): { override: string; sentence: string } | undefined {
  const own = new Map(heldKeys(declared).map(held => [`${held.name} ${held.key}`, held]))
  const held = heldKeys(groups)
  for (const one of held) {
    if (!accepted.has(one.name)) continue
    const other = held.find(
      candidate =>
        candidate.name !== one.name &&
        collide(one.key, candidate.key) &&
        canMeet(declared, one, candidate) &&
        !(own.has(`${one.name} ${one.key}`) && own.has(`${candidate.name} ${candidate.key}`)),
    )
    if (other)
      return {
        override: one.name,
        sentence: `${one.name} cannot be on ${displayKey(one.key)}: ${other.name} is on ${displayKey(other.key)}.`,
      }
  }
  return undefined
}

/** Whether two bindings can be active at the same time. */
function canMeet(declared: readonly Bindings[], one: Held, other: Held): boolean {
  if (one.group.name === other.group.name) return true
  if (EVERYWHERE.has(one.name) || EVERYWHERE.has(other.name)) return true
  if (one.group.screen && other.group.screen && one.group.screen !== other.group.screen) return false
  const scopes = [one.group.scope, other.group.scope]
  // A field or prompt takes precedence over whatever is around it while it is there.
  if (scopes.includes('field') || scopes.includes('prompt')) return false
  if (scopes.includes('overlay')) return scopes.includes('panel') && !(one.group.screen ?? other.group.screen)
  return one.group.scope !== other.group.scope || !shareKey(declared, one.group, other.group)
}

/**
 * Groups of one scope that share a key by default are never active together, since the nearer one would be arbitrary.
 */
function shareKey(declared: readonly Bindings[], one: Bindings, other: Bindings): boolean {
  const keysOf = (name: string): string[] =>
    heldKeys(declared.filter(group => group.name === name)).map(({ key }) => key)
  const keys = new Set(keysOf(one.name))
  return keysOf(other.name).some(key => keys.has(key))
}
