import { isPlainObject } from '../json.ts'

/** Whether a value has a JSON Schema type. Every value counts as being of an unknown type. */
export function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'string':
    case 'boolean':
      return typeof value === type
    case 'number':
    case 'integer':
      // Integers beyond 2^53 are bigints.
      return typeof value === 'bigint' || (typeof value === 'number' && (type === 'number' || Number.isInteger(value)))
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isPlainObject(value)
    case 'null':
      return value === null
    default:
      return true
  }
}
