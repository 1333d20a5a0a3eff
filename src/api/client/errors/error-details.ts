import type { ErrorFacts } from './error-kinds.ts'
import { printable } from '../../../lib/printable.ts'

/** Words of the service as part of a sentence. */
export function quotedMessage(text: string | undefined): string {
  return printable(text ?? '').slice(0, 200)
}

/** The field that the service names; the contract does not fix the key, so the usual ones are tried. */
export function fieldOf({ details }: ErrorFacts): string | undefined {
  const field = details?.['field'] ?? details?.['path']
  return typeof field === 'string' ? quotedMessage(field) : undefined
}

/** Lists of values inside `details`, such as `hostedModels` or the candidates of an environment. */
export function validValues({ details }: ErrorFacts): string | undefined {
  const lists = Object.values(details ?? {}).filter(value => Array.isArray(value)) as unknown[][]
  const values = lists.flat().flatMap(value => (typeof value === 'string' ? [quotedMessage(value)] : nameOf(value)))
  const shown = values.slice(0, 6).join(', ')
  return values.length > 6 ? `${shown} and ${values.length - 6} more` : shown
}

function nameOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { name, id } = value as Record<string, unknown>
  const word = name ?? id
  return typeof word === 'string' ? [quotedMessage(word)] : []
}
