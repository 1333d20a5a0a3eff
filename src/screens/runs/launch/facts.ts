import type { Environment, EnvironmentResolved } from '../../../api/contract/environments.ts'
import type { EvalRun } from '../../../api/contract/runs.ts'
import type { ProjectServer } from '../../../api/contract/servers.ts'
import type { EvalCase, EvalSuiteDetail } from '../../../api/contract/suites.ts'
import type { SlotHolder } from '../../../domain/runs/launch-slots.ts'
import type { EarlierDurations } from '../../../domain/runs/launch-size.ts'
import { onceFor } from '../../../lib/once-for.ts'
import { clean } from '../../../tui/theme/text.ts'

/** The resolved environment, or why it cannot be resolved; with neither field it is still being read. */
export type Preview = { resolved?: EnvironmentResolved; fault?: string }

/** The known data of a suite while its launch form is open; fields that are not read are empty. */
export type LaunchFacts = {
  suite: EvalSuiteDetail
  cases: readonly EvalCase[]
  /** Environments of the project that are not archived. */
  environments: readonly Environment[]
  servers: readonly ProjectServer[]
  /** Runs in flight that are listed in this project. */
  inFlight: readonly SlotHolder[]
  /** Number of run slots of the organization, if announced. */
  slots: number | undefined
  durations: EarlierDurations | undefined
  lastEnded: EvalRun | undefined
  /** Cases without a pass in `lastEnded`, once requested. */
  failedLast: readonly string[] | undefined
  /** Cases that the person marked. */
  marked: readonly string[]
  previews: ReadonlyMap<string, Preview>
  /** What is not known of the facts above; absent once read. */
  unread: { slots?: Unread; durations?: Unread; environments?: Unread }
}

/** Why facts are not known: they are still being read, or cannot be. */
export type Unread = 'reading' | 'failed'

export function suiteName({ name, id }: Pick<EvalSuiteDetail, 'name' | 'id'>): string {
  return clean(name ?? id)
}

const byId = onceFor((all: LaunchFacts['environments']) => new Map(all.map(each => [each.id, each])))

/** Returns an environment's name; one that is not among the current ones was archived or deleted. */
export function environmentName({ environments, previews }: LaunchFacts, id: string): string {
  const known = byId(environments).get(id) ?? previews.get(id)?.resolved?.environment
  return clean(known?.name ?? id)
}

export function holderName({ runId, runNumber, suiteName: name }: SlotHolder): string {
  const run = runNumber === undefined ? `run ${clean(runId)}` : `run #${runNumber}`
  return name === undefined ? `${run} of another project` : `${run} of ${clean(name)}`
}
