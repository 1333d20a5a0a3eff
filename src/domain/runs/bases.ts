import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'

/** The settings of a run. Only runs with the same settings can be compared. */
export const SETTINGS = ['environment', 'client', 'model'] as const
export type Setting = (typeof SETTINGS)[number]

/** A run with all its trials, if these were read. */
export type RunWithTrials = { run: EvalRun; trials?: readonly EvalIteration[] | undefined }

/**
 * Returns the settings in which two runs of a suite differ. Models of trials count if the trials of both runs were
 * read.
 */
export function settingDifferences(one: RunWithTrials, other: RunWithTrials): Setting[] {
  const differs: Record<Setting, boolean> = {
    environment: one.run.environment?.id !== other.run.environment?.id,
    client: clientOf(one.run) !== clientOf(other.run),
    model: modelsDiffer(one, other),
  }
  return SETTINGS.filter(setting => differs[setting])
}

/**
 * Whether a run was created before another one, and not together with it.
 * @param run the later run
 */
export function isEarlier(other: EvalRun, run: EvalRun): boolean {
  const [before, after] = [toEpochMs(other.createdAt), toEpochMs(run.createdAt)]
  if (other.id === run.id || before === undefined || after === undefined) return false
  return before < after && (groupOf(run) === undefined || groupOf(other) !== groupOf(run))
}

function clientOf({ client }: EvalRun): string | undefined {
  return client ? (client.id ?? client.name) : undefined
}

/** Returns the group of a run. Services report it, but the contract does not name the field. */
function groupOf(run: object): unknown {
  return (run as { runGroupId?: unknown }).runGroupId ?? undefined
}

function modelsDiffer(one: RunWithTrials, other: RunWithTrials): boolean {
  if ((one.run.client?.modelId ?? undefined) !== (other.run.client?.modelId ?? undefined)) return true
  if (!one.trials || !other.trials) return false
  const [left, right] = [modelsByCase(one.trials), modelsByCase(other.trials)]
  const both = [...left.keys()].filter(key => right.has(key))
  // Runs without a common case do not show whether their models were the same.
  return both.length === 0 || both.some(key => left.get(key) !== right.get(key))
}

function modelsByCase(trials: readonly EvalIteration[]): Map<string, string> {
  const byCase = Map.groupBy(trials, ({ testCaseId, title, id }) => testCaseId ?? title ?? id)
  return new Map(
    [...byCase].map(([key, own]) => {
      const models = new Set(own.map(({ model, provider }) => JSON.stringify([model ?? null, provider ?? null])))
      return [key, [...models].sort().join(' ')]
    }),
  )
}
