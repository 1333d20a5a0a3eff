import type { AccessModel } from './access-model.ts'
import type { CaseKind } from './steps.ts'
import type { WavesModel } from './waves-model.ts'

/** The expected content of the workspace, stored separately from it. */
export type Model = {
  environments: EnvironmentModel[]
  /** The environments that are attached to the suite. */
  attached: string[]
  runs: RunModel[]
  waves: WavesModel
  access: AccessModel
  gates: Record<'swarms' | 'user-testing', boolean>
  /** A counter, so that no key is used twice by accident. */
  keys: number
}

export type EnvironmentModel = {
  /** Empty until the service has returned it. */
  id: string
  name: string
  description: string | null
  revision: number
  isArchived: boolean
}

/** The final result of a run. */
export type RunEnd = { status: string; result: string | null }

export type RunModel = {
  id: string
  kase: CaseKind
  /** The environment, with its revision at the launch. */
  environment: { id: string; revision: number } | null
  /** If launched with a key: the key and the body. */
  intent?: { key: string; body: object }
  /** The number of the process that executes it. */
  generation: number
  /** Undefined if the run had not ended when it was last read. */
  end?: RunEnd
}
