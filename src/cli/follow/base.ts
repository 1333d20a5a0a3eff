import { isMissing } from '../../api/client/errors/api-error.ts'
import type { Client } from '../../api/client/client.ts'
import { contract } from '../../api/contract/contract.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { isEarlier, settingDifferences } from '../../domain/runs/bases.ts'
import type { Gate } from '../../domain/runs/gates.ts'
import { outcomeOfRun, type RunOutcome } from '../../domain/runs/outcome.ts'
import { reportRun } from '../../domain/runs/suite-state.ts'
import type { WebAddresses } from '../../tui/router/web-address.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { parseRun, type NamedRun, type RunPlace } from './reference.ts'

/** The run to compare with: a given run, or a word for one that is chosen when the run has ended. */
export type Base = NamedRun | keyof typeof CHOSEN_LATER

/** The run that a base refers to, or a sentence that says why there is none. */
type Found = ChosenBase | { why: string }
/** `run` is undefined if the service chooses; `isNamed` if a person named this very run. */
type ChosenBase = { run?: EvalRun; isNamed: boolean }
type Compared = { client: Client; place: RunPlace; run: EvalRun; trials: readonly EvalIteration[]; signal: AbortSignal }

/** Each word for a base, with the function that finds its run. */
const CHOSEN_LATER = {
  last: async (compared: Compared): Promise<Found> =>
    await latest(compared, ['passed', 'failed'], 'the suite has no earlier run with a verdict'),
  'last-passed': async (compared: Compared): Promise<Found> =>
    await latest(compared, ['passed'], 'the suite has no earlier run that passed'),
  baseline: async (): Promise<Found> => ({ isNamed: false }),
}

/**
 * Returns the run that the gates compare with, if any does.
 * @param pages addresses of the hosted UI, from the profile
 * @throws UsageError if the text names no run
 */
export function baseOf(gates: readonly Gate[], pages?: WebAddresses): Base | undefined {
  const gate = gates.find(each => each.gate === 'no-new-failures-against')
  if (!gate) return undefined
  return isChosenLater(gate.wanted) ? gate.wanted : parseRun(gate.wanted, pages)
}

function isChosenLater(text: string): text is keyof typeof CHOSEN_LATER {
  return Object.hasOwn(CHOSEN_LATER, text)
}

/**
 * Checks that a run named as a base exists in this project, before anything spends credits.
 * @throws UsageError if it does not
 */
export async function checkBase(client: Client, projectId: string, base: Base | undefined): Promise<void> {
  if (base === undefined || typeof base === 'string') return
  const { runId } = base
  if (base.projectId !== undefined && base.projectId !== projectId)
    throw new UsageError(
      `Run ${runId} is of project ${base.projectId}, and only runs of one project are compared, here of ${projectId}.`,
    )
  try {
    await client.runs.get({ projectId, runId })
  } catch (error) {
    if (isMissing(error))
      throw new UsageError(
        `There is no run "${runId}" to compare with in this project; mcpdeck get runs lists those there are.`,
      )
    throw error
  }
}

/** @throws ApiError */
export async function findBase(base: Base, compared: Compared): Promise<Found> {
  if (typeof base === 'string') return await CHOSEN_LATER[base](compared)
  const { client, place, signal } = compared
  return { run: await client.runs.get({ ...place, runId: base.runId }, { signal }), isNamed: true }
}

const LATEST_RUNS = 100
/** Maximum number of runs whose trials are read to learn their models. */
const MOST_READ = 10

/**
 * Finds the latest earlier run of the whole suite in the same environment, with the same client and models. Runs with
 * the first of the `outcomes` are preferred, however old: if a newer failed run were preferred to a passed one, a
 * failure would be new in one run and accepted in the next.
 */
async function latest(compared: Compared, outcomes: readonly RunOutcome[], none: string): Promise<Found> {
  const { client, place, run, trials, signal } = compared
  const { projectId } = place
  const { items } = await client.runs.list({ projectId, suiteId: run.suiteId, limit: LATEST_RUNS }, { signal })
  const earlier = items
    .filter(other => isEarlier(other, run) && reportRun(other).coverage.isWhole !== false)
    .toSorted((one, other) => (toEpochMs(other.createdAt) ?? 0) - (toEpochMs(one.createdAt) ?? 0))
  const verdicts = outcomes.flatMap(outcome => earlier.filter(other => outcomeOfRun(other) === outcome))
  if (verdicts.length === 0) return { why: none }
  const alike = verdicts.filter(other => settingDifferences({ run }, { run: other }).length === 0)
  for (const other of alike.slice(0, MOST_READ)) {
    const own = await trialsOf(client, { ...place, runId: other.id }, signal)
    if (settingDifferences({ run, trials }, { run: other, trials: own }).length === 0)
      return { run: other, isNamed: false }
  }
  return { why: `${none} in the same environment, with the same client and on the same models` }
}

/** Reads all trials of a run. @throws ApiError */
export async function trialsOf(client: Client, place: RunPlace, signal: AbortSignal): Promise<EvalIteration[]> {
  return await client.items(contract.iterations.list, place, { signal })
}
