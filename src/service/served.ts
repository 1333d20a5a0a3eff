import type { Contract } from '../api/contract/contract.ts'

/** Resources that this workspace serves. */
type ServedResource =
  | 'account'
  | 'capabilities'
  | 'projects'
  | 'servers'
  | 'clients'
  | 'hosts'
  | 'environments'
  | 'suites'
  | 'cases'
  | 'runs'
  | 'runGroups'
  | 'iterations'

/** Operations of served resources that need what this workspace has not: schedules, a model. */
type LeftOut = {
  suites: 'schedule'
  cases: 'generate'
  runs: 'requestInsights' | 'requestJudge'
}

type LeftOutOf<R> = R extends keyof LeftOut ? LeftOut[R] : never

/**
 * The part of the contract that has handlers here. Every other operation is answered with
 * FEATURE_NOT_SUPPORTED after key, limit and validation, never with a made-up success.
 */
export type Served = { [R in ServedResource]: Omit<Contract[R], LeftOutOf<R>> }
