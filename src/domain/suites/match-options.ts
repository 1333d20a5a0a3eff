import type * as z from 'zod'
import type { MatchOptionsOverride } from '../../api/contract/eval-shapes.ts'

type Options = z.infer<ReturnType<typeof MatchOptionsOverride>>

/** Orders of the public vocabulary, mapped to the internal one. */
export const PUBLIC_ORDERS = { any: 'ignore', 'in-order': 'superset', exact: 'strict' } as const
const PUBLIC_FIELDS = ['extraToolCalls', 'arguments'] as const
const INTERNAL_FIELDS = ['maxExtraToolCalls', 'argumentMatching'] as const

/** Returns the field that mixes the public vocabulary with the internal one, and why that is not allowed. */
export function mixtureIn(options: Options): { field: string; problem: string } | undefined {
  const { toolCallOrder } = options
  const order = (wanted: boolean) =>
    toolCallOrder !== undefined && isPublicOrder(toolCallOrder) === wanted ? ['toolCallOrder'] : []
  const spoken = [...order(true), ...PUBLIC_FIELDS.filter(name => options[name] !== undefined)]
  const [field] = [...order(false), ...INTERNAL_FIELDS.filter(name => options[name] !== undefined)]
  if (spoken.length === 0 || field === undefined) return undefined
  return { field, problem: `is of the internal vocabulary and ${spoken.join(', ')} of the public one; use one of them` }
}

export function isPublicOrder(order: string): order is keyof typeof PUBLIC_ORDERS {
  return Object.hasOwn(PUBLIC_ORDERS, order)
}
