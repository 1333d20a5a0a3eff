import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'

/** Where, as whom and on which models a run was made: only runs that agree in all of it say something of each other. */
export const SETTINGS = ['environment', 'client', 'model'] as const
export type Setting = (typeof SETTINGS)[number]

/** A run with all its trials, where these were read. */
export type RunWithTrials = { run: EvalRun; trials?: readonly EvalIteration[] | undefined }

/** In which settings two runs of a suite differ. Models of trials count where those of both runs were read. */
export function settingDifferences(one: RunWithTrials, other: RunWithTrials): Setting[] {
  const differs: Record<Setting, boolean> = {
    environment: one.run.environment?.id !== other.run.environment?.id,
    client: clientOf(one.run) !== clientOf(other.run),
    model: modelsDiffer(one, other),
  }
  return SETTINGS.filter(setting => differs[setting])
}

/**
 * Whether one run was made before another one, and not together with it.
 * @param run the later one
 */
export function isEarlier(other: EvalRun, run: EvalRun): boolean {
  const [before, after] = [toEpochMs(other.createdAt), toEpochMs(run.createdAt)]
  if (other.id === run.id || before === undefined || after === undefined) return false
  return before < after && (groupOf(run) === undefined || groupOf(other) !== groupOf(run))
}

function clientOf({ client }: EvalRun): string | undefined {
  return client ? (client.id ?? client.name) : undefined
}

/** Services say of which group a run is, beside the contract. */
function groupOf(run: object): unknown {
  return (run as { runGroupId?: unknown }).runGroupId ?? undefined
}

function modelsDiffer(one: RunWithTrials, other: RunWithTrials): boolean {
  if ((one.run.client?.modelId ?? undefined) !== (other.run.client?.modelId ?? undefined)) return true
  if (!one.trials || !other.trials) return false
  const [left, right] = [modelsByCase(one.trials), modelsByCase(other.trials)]
  const both = [...left.keys()].filter(key => right.has(key))
  // Of runs that share no case nothing says that their models were the same.
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
