import type { AnyEndpoint } from '../../contract/endpoint.ts'

type JsonObject = Record<string, unknown>

/** The input without what the endpoint declares as secret; `complete` says that nothing had to be left out. */
export function withoutSecrets(
  endpoint: Pick<AnyEndpoint, 'secrets'>,
  input: object,
): { input: JsonObject; complete: boolean } {
  const copy = JSON.parse(JSON.stringify(input)) as JsonObject
  const removed = (endpoint.secrets ?? []).map(path => remove(copy, path.split('.')))
  return { input: copy, complete: !removed.includes(true) }
}

/** Whether there was something to remove. */
function remove(value: unknown, [name = '', ...rest]: string[]): boolean {
  if (!isObject(value) || !Object.hasOwn(value, name)) return false
  if (rest.length > 0) return remove(value[name], rest)
  delete value[name]
  return true
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null
}
