import { hash } from 'node:crypto'
import { isPlainObject } from '../../api/contract/shapes.ts'

export { isPlainObject }

/** JSON with sorted keys: equal values give equal text whatever the order their fields arrived in. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (isPlainObject(item) ? sorted(item) : item)) ?? 'null'
}

/** SHA-256 of a value's canonical JSON, in hex. */
export function digest(value: unknown): string {
  return hash('sha256', canonicalJson(value))
}

function sorted(object: Record<string, unknown>): Record<string, unknown> {
  // A null prototype keeps a field called "__proto__" an ordinary field.
  const copy: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const key of Object.keys(object).toSorted()) copy[key] = object[key]
  return copy
}
