import type * as z from 'zod'
import type { EvalCaseGenerateRequest } from '../../../api/contract/suite-extras.ts'
import { invalidField } from '../../core/validation.ts'

type Request = NonNullable<z.output<typeof EvalCaseGenerateRequest>>
export type Bucket = keyof NonNullable<Request['caseMix']>

/** Cases of each kind that are drafted. */
export type CaseMix = Record<Bucket, number>

/** What each bucket asks for. */
export const BUCKETS = {
  simple: 'one request that one call of one tool fulfils',
  multiTool: 'one request that needs calls of at least two different tools',
  multiTurn: 'a conversation of two to four requests, in which later ones build on earlier ones',
  complex:
    'one demanding request that needs several calls whose arguments depend on earlier results or on careful reading',
  negative: 'a request that looks near to what the tools do, but for which no tool may be called at all',
} as const satisfies Record<Bucket, string>

export const BUCKET_NAMES = Object.keys(BUCKETS) as [Bucket, ...Bucket[]]

const USUAL: CaseMix = { simple: 3, multiTool: 2, multiTurn: 2, complex: 1, negative: 2 }
const NONE: CaseMix = { simple: 0, multiTool: 0, multiTurn: 0, complex: 0, negative: 0 }

/** The contract leaves the usual counts open, so these are ours. */
const MODES = { normal: { ...USUAL, negative: 0 }, negative: { ...NONE, negative: 5 } } as const

/**
 * How many cases of each kind are wanted: `caseMix` goes before `mode`, and a bucket that it leaves out keeps its usual
 * count.
 * @throws ServiceError `VALIDATION_ERROR` when none are wanted at all
 */
export function mixOf({ mode, caseMix }: Pick<Request, 'mode' | 'caseMix'>): CaseMix {
  if (!caseMix) return mode ? MODES[mode] : USUAL
  const mix = { ...USUAL }
  for (const bucket of BUCKET_NAMES) mix[bucket] = caseMix[bucket] ?? mix[bucket]
  if (BUCKET_NAMES.every(bucket => mix[bucket] === 0)) throw invalidField('caseMix', 'asks for no case at all')
  return mix
}
