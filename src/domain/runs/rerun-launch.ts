import { ApiError } from '../../api/client/errors/api-error.ts'
import type { Client } from '../../api/client/client.ts'
import { type EvalRun, runName } from '../../api/contract/runs.ts'

/**
 * The result of sending a rerun: the service named its run, or the run was found in the suite. `unclear` means several
 * candidates, or none. `lost` is the reason if no answer came.
 */
export type RerunSent =
  | { kind: 'named'; runId: string }
  | { kind: 'found'; runId: string; lost: ApiError | undefined }
  | { kind: 'unclear'; runs: readonly EvalRun[]; lost: ApiError | undefined }

const LATEST_RUNS = 100

type SuitePlace = { projectId: string; suiteId: string }

/**
 * Returns the latest runs of a suite, newest first.
 * @throws ApiError
 */
export async function latestRuns(
  client: Client,
  place: SuitePlace,
  options: { signal?: AbortSignal } = {},
): Promise<readonly EvalRun[]> {
  return (await client.runs.list({ ...place, limit: LATEST_RUNS }, options)).items
}

/** Returns a sentence about which of the latest runs did not exist before; undefined if there are none. */
export function launchedMeanwhile(before: readonly EvalRun[], now: readonly EvalRun[]): string | undefined {
  const names = launchedSince(before, now).map(runName)
  if (names.length === 0) return undefined
  return `Meanwhile ${names.join(', ')} of this suite ${names.length === 1 ? 'was' : 'were'} launched.`
}

function launchedSince(before: readonly EvalRun[], now: readonly EvalRun[]): EvalRun[] {
  const known = new Set(before.map(({ id }) => id))
  return now.filter(({ id }) => !known.has(id))
}

/**
 * Launches the failed cases of a run again. A rerun accepts no idempotency key, so it is sent only once. Its answer is
 * not documented and may be lost, so a run that it does not name is searched among the suite's new runs.
 * @param before the latest runs just before
 * @param send sends the request once
 * @throws ApiError a refusal, or the failure of the lost answer if reading back fails too
 */
export async function sendRerun(
  client: Client,
  place: SuitePlace,
  before: readonly EvalRun[],
  send: () => Promise<{ runId?: string | null | undefined }>,
): Promise<RerunSent> {
  let outcomeUnknown: ApiError | undefined
  try {
    const { runId } = await send()
    if (runId) return { kind: 'named', runId }
  } catch (error) {
    if (!(error instanceof ApiError) || !error.leavesDoubt) throw error
    outcomeUnknown = error
  }
  const now = await latestRuns(client, place).catch((error: unknown) => {
    // The rerun may have begun, whatever became of this read.
    if (!(error instanceof ApiError)) throw error
    return undefined
  })
  if (!now) return { kind: 'unclear', runs: [], lost: outcomeUnknown }
  const runs = launchedSince(before, now)
  const [only] = runs
  return only && runs.length === 1
    ? { kind: 'found', runId: only.id, lost: outcomeUnknown }
    : { kind: 'unclear', runs, lost: outcomeUnknown }
}
