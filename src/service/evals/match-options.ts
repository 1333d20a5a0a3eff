import type * as z from 'zod'
import { MatchOptionsOverride } from '../../api/contract/eval-shapes.ts'
import { ServiceError } from '../core/errors.ts'
import type { MatchOptions } from './types.ts'
import { defined } from '../../lib/json.ts'

type Order = NonNullable<MatchOptions['toolCallOrder']>

const PUBLIC_ORDERS = { any: 'ignore', 'in-order': 'superset', exact: 'strict' } as const
const PUBLIC_FIELDS = ['extraToolCalls', 'arguments'] as const
const INTERNAL_FIELDS = ['maxExtraToolCalls', 'argumentMatching'] as const

/**
 * Match options in the internal vocabulary, from either one (contract: EvalRunCreateRequest, `matchOptionsOverride`).
 * @param field where the options stand in the body, named in the refusal
 * @throws ServiceError `VALIDATION_ERROR` naming the field when a field is unknown or wrong, or both vocabularies mix
 */
export function toMatchOptions(options: unknown, field = 'matchOptions'): MatchOptions {
  const parsed = MatchOptionsOverride().safeParse(options)
  if (!parsed.success) throw malformed(parsed.error, field)
  const { toolCallOrder, extraToolCalls, arguments: publicMatching, maxExtraToolCalls, argumentMatching } = parsed.data
  refuseMixture(parsed.data, field)
  const order = toolCallOrder && (isPublicOrder(toolCallOrder) ? PUBLIC_ORDERS[toolCallOrder] : toolCallOrder)
  return defined({
    toolCallOrder: order satisfies Order | undefined,
    maxExtraToolCalls: extraToolCalls === 'unlimited' ? null : (extraToolCalls ?? maxExtraToolCalls),
    argumentMatching: publicMatching ?? argumentMatching,
  })
}

function refuseMixture(options: z.infer<typeof MatchOptionsOverride>, field: string): void {
  const { toolCallOrder } = options
  const order = (wanted: boolean) =>
    toolCallOrder !== undefined && isPublicOrder(toolCallOrder) === wanted ? ['toolCallOrder'] : []
  const spoken = [...order(true), ...PUBLIC_FIELDS.filter(name => options[name] !== undefined)]
  const [internal] = [...order(false), ...INTERNAL_FIELDS.filter(name => options[name] !== undefined)]
  if (spoken.length === 0 || internal === undefined) return
  const problem = `is of the internal vocabulary and ${spoken.join(', ')} of the public one; use one of them`
  throw refusal(`${field}.${internal}`, problem)
}

function isPublicOrder(order: string): order is keyof typeof PUBLIC_ORDERS {
  return Object.hasOwn(PUBLIC_ORDERS, order)
}

function malformed({ issues: [issue] }: z.ZodError, field: string): ServiceError {
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  return refusal([field, ...(issue?.path ?? []), ...unknown].join('.'), issue?.message ?? 'is malformed')
}

function refusal(field: string, problem: string): ServiceError {
  return new ServiceError('VALIDATION_ERROR', `${field}: ${problem}`, { details: { field } })
}
