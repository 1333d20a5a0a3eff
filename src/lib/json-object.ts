/** What JSON calls an object. */
export type JsonObject = Record<string, unknown>

/** Whether a value is an object in the JSON sense: neither null nor an array. */
export function isPlainObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
