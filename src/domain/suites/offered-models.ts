import { isPlainObject } from '../../lib/json.ts'

/**
 * Whether an endpoint accepts a model. Endpoints accept names for a dated or tagged model of their list: `llama3` for
 * `llama3:latest`.
 */
export function isOffered(model: string, offered: readonly string[]): boolean {
  const name = model.toLowerCase().replace(/[-:]latest$/, '')
  return offered.some(id => {
    const known = id.toLowerCase()
    return known === name || known.startsWith(`${name}:`) || known.startsWith(`${name}-`) || known.endsWith(`/${name}`)
  })
}

/**
 * Returns ids of the models in a catalog; undefined if it lists none, has another format, or has a note, such as that
 * it is incomplete.
 */
export function catalogModels({ items, note }: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  if (!Array.isArray(items) || items.length === 0 || note != null) return undefined
  const ids = (items as unknown[]).map(item => (isPlainObject(item) ? item['id'] : undefined))
  return ids.every(id => typeof id === 'string') ? ids : undefined
}
