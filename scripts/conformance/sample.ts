/** A schema as a tool lists it. */
export type Schema = {
  type?: string | readonly string[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  default?: unknown
  enum?: readonly unknown[]
}

const VALUES: Readonly<Record<string, unknown>> = { string: 'text', integer: 1, number: 1, boolean: true, array: [] }

/** Returns a value of a schema's type; of an object, only with the required fields. */
export function sampleOf({ type, properties = {}, required = [], default: preset, enum: choices }: Schema): unknown {
  const [kind = 'object'] = [type ?? 'object'].flat()
  if (preset !== undefined || choices) return preset ?? choices?.[0]
  if (kind !== 'object') return VALUES[kind] ?? null
  return Object.fromEntries(required.map(name => [name, sampleOf(properties[name] ?? {})]))
}
