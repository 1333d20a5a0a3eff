import type * as z from 'zod'
import { isPublicOrder, mixtureIn, PUBLIC_ORDERS } from '../../domain/suites/match-options.ts'
import { MatchOptionsOverride } from '../../api/contract/eval-shapes.ts'
import { ServiceError } from '../core/errors.ts'
import type { MatchOptions } from './types.ts'
import { defined } from '../../lib/json.ts'

type Order = NonNullable<MatchOptions['toolCallOrder']>

/**
 * Match options in the internal vocabulary, from either one (contract: EvalRunCreateRequest, `matchOptionsOverride`).
 * @param field where the options stand in the body, named in the refusal
 * @throws ServiceError `VALIDATION_ERROR` naming the field when a field is unknown or wrong, or both vocabularies mix
 */
export function toMatchOptions(options: unknown, field = 'matchOptions'): MatchOptions {
  const parsed = MatchOptionsOverride().safeParse(options)
  if (!parsed.success) throw malformed(parsed.error, field)
  const { toolCallOrder, extraToolCalls, arguments: publicMatching, maxExtraToolCalls, argumentMatching } = parsed.data
  const mixture = mixtureIn(parsed.data)
  if (mixture) throw refusal(`${field}.${mixture.field}`, mixture.problem)
  const order = toolCallOrder && (isPublicOrder(toolCallOrder) ? PUBLIC_ORDERS[toolCallOrder] : toolCallOrder)
  return defined({
    toolCallOrder: order satisfies Order | undefined,
    maxExtraToolCalls: extraToolCalls === 'unlimited' ? null : (extraToolCalls ?? maxExtraToolCalls),
    argumentMatching: publicMatching ?? argumentMatching,
  })
}

function malformed({ issues: [issue] }: z.ZodError, field: string): ServiceError {
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  return refusal([field, ...(issue?.path ?? []), ...unknown].join('.'), issue?.message ?? 'is malformed')
}

function refusal(field: string, problem: string): ServiceError {
  return new ServiceError('VALIDATION_ERROR', `${field}: ${problem}`, { details: { field } })
}
