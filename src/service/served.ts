import type { Contract } from '../api/contract/contract.ts'
import type { Refused } from './core/refusals.ts'

type ServedName<R extends keyof Contract> = {
  [O in keyof Contract[R] & string]: `${R}.${O}` extends Refused ? never : O
}[keyof Contract[R] & string]

/**
 * The part of the contract that has handlers here: everything that `refusals.ts` does not name. What it names is answered
 * with FEATURE_NOT_SUPPORTED after key, limit and validation, never with a made-up success.
 */
export type Served = {
  [R in keyof Contract as [ServedName<R>] extends [never] ? never : R]: Pick<Contract[R], ServedName<R>>
}
