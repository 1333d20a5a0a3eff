import type { AccessModel } from './access-model.ts'
import type { CaseKind } from './steps.ts'
import type { WavesModel } from './waves-model.ts'

/** What the workspace should hold, kept apart from it. */
export type Model = {
  environments: EnvironmentModel[]
  /** Environments that the suite runs on. */
  attached: string[]
  runs: RunModel[]
  waves: WavesModel
  access: AccessModel
  gates: Record<'swarms' | 'user-testing', boolean>
  /** So that no key is used twice by accident. */
  keys: number
}

export type EnvironmentModel = {
  /** Empty until the service told it. */
  id: string
  name: string
  description: string | null
  revision: number
  isArchived: boolean
}

/** How a run ended, for good. */
export type RunEnd = { status: string; result: string | null }

export type RunModel = {
  id: string
  kase: CaseKind
  /** The environment at the revision that it was launched on. */
  environment: { id: string; revision: number } | null
  /** Of a launch with a key: what was sent under it. */
  intent?: { key: string; body: object }
  /** The process that executes it. */
  generation: number
  /** Undefined = it had not ended when it was last looked at. */
  end?: RunEnd
}
