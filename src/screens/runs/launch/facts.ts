import type { Environment, EnvironmentResolved } from '../../../api/contract/environments.ts'
import type { EvalRun } from '../../../api/contract/runs.ts'
import type { ProjectServer } from '../../../api/contract/servers.ts'
import type { EvalCase, EvalSuiteDetail } from '../../../api/contract/suites.ts'
import type { SlotHolder } from '../../../domain/runs/launch-slots.ts'
import type { EarlierDurations } from '../../../domain/runs/launch-size.ts'
import { onceFor } from '../../../lib/once-for.ts'
import { clean } from '../../../tui/theme/text.ts'

/** What an environment yields now; without either it is still being read. */
export type Preview = { resolved?: EnvironmentResolved; fault?: string }

/** What is known of a suite while its launch is being written; what is still being read is empty. */
export type LaunchFacts = {
  suite: EvalSuiteDetail
  cases: readonly EvalCase[]
  /** Live ones of the project. */
  environments: readonly Environment[]
  servers: readonly ProjectServer[]
  /** Runs in flight that this project lists. */
  inFlight: readonly SlotHolder[]
  /** How many run slots the organization has, where that is announced. */
  slots: number | undefined
  durations: EarlierDurations | undefined
  lastEnded: EvalRun | undefined
  /** Cases without a pass in that run, once they were asked for. */
  failedLast: readonly string[] | undefined
  /** Cases that the person marked. */
  marked: readonly string[]
  previews: ReadonlyMap<string, Preview>
}

export function suiteName({ name, id }: Pick<EvalSuiteDetail, 'name' | 'id'>): string {
  return clean(name ?? id)
}

const byId = onceFor((all: LaunchFacts['environments']) => new Map(all.map(each => [each.id, each])))

/** An environment's name; one that is not among the live ones was archived or deleted. */
export function environmentName({ environments, previews }: LaunchFacts, id: string): string {
  const known = byId(environments).get(id) ?? previews.get(id)?.resolved?.environment
  return clean(known?.name ?? id)
}

export function holderName({ runId, runNumber, suiteName: name }: SlotHolder): string {
  const run = runNumber === undefined ? `run ${clean(runId)}` : `run #${runNumber}`
  return name === undefined ? `${run} of another project` : `${run} of ${clean(name)}`
}
