import type * as z from 'zod'
import type { EvalRunCreateRequest } from '../../api/contract/runs.ts'
import type { EvalRunGroupCreateRequest } from '../../api/contract/run-groups.ts'
import { isGroup, type LaunchChoice } from './launch-rules.ts'

type RunBody = z.input<typeof EvalRunCreateRequest>
type GroupBody = z.input<typeof EvalRunGroupCreateRequest>

/** Everything that a launch of a saved suite says, with ids. */
export type LaunchRequest = LaunchChoice & {
  suiteId: string
  /** Empty = all. */
  caseIds: readonly string[]
  iterations?: number | undefined
  /** Only for one run, as `modelApiKeys` is. */
  model?: string | undefined
  /** By provider; never stored, never written down. */
  modelApiKeys?: Readonly<Record<string, string>> | undefined
  matchOptions?: RunBody['matchOptionsOverride']
  withoutSkills?: boolean | undefined
  minimumPassRate?: number | undefined
  notes?: string | undefined
}

/** The operation that a launch is, with its body. */
export type LaunchCall = { kind: 'run'; body: RunBody } | { kind: 'group'; body: GroupBody }

/** Says a launch in the contract's words: several environments or clients are a run group. */
export function launchCall(request: LaunchRequest): LaunchCall {
  const { environmentIds, clientIds, serverIds, caseIds } = request
  const common = {
    suiteId: request.suiteId,
    ...(request.iterations !== undefined && { iterationOverride: request.iterations }),
    ...(caseIds.length > 0 && { caseIds: [...caseIds] }),
    ...(request.matchOptions && { matchOptionsOverride: request.matchOptions }),
    ...(request.withoutSkills && { skillsOverride: 'exclude' as const }),
    ...(request.minimumPassRate !== undefined && { passCriteria: { minimumPassRate: request.minimumPassRate } }),
    ...(request.notes !== undefined && { notes: request.notes }),
  }
  if (isGroup(request)) {
    const targets = [
      ...environmentIds.map(environmentId => ({ environmentId })),
      ...clientIds.map(namedHostId => ({ namedHostId })),
    ]
    return { kind: 'group', body: { ...common, targets } }
  }
  const [environmentId] = environmentIds
  const [namedHostId] = clientIds
  const body = {
    ...common,
    ...(environmentId !== undefined && { environmentId }),
    ...(namedHostId !== undefined && { namedHostId }),
    ...(serverIds.length > 0 && { serverIds: [...serverIds] }),
    ...(request.model !== undefined && { model: request.model }),
    ...(request.modelApiKeys && { modelApiKeys: { ...request.modelApiKeys } }),
  }
  return { kind: 'run', body }
}
