import { ApiError } from '../../api/client/errors/api-error.ts'
import type { Client } from '../../api/client/client.ts'
import type { EvalRun } from '../../api/contract/runs.ts'

/**
 * What became of a rerun that was sent: the service named its run, or it was found among the suite's runs; `unclear` =
 * several runs that might be it, or none. `lost` = why the answer never came, where it did not.
 */
export type RerunSent =
  | { kind: 'named'; runId: string }
  | { kind: 'found'; runId: string; lost: ApiError | undefined }
  | { kind: 'unclear'; runs: readonly EvalRun[]; lost: ApiError | undefined }

const LATEST_RUNS = 100

/**
 * Launches the failed cases of a run again. A rerun takes no idempotency key, so it is sent once; its answer is not
 * documented and may be lost, so a run that it does not name is looked for among those of the suite that were not there
 * before.
 * @param send sends it, once
 * @throws ApiError a refusal, or the fault of a lost answer where reading back fails too
 */
export async function sendRerun(
  client: Client,
  { projectId, suiteId }: { projectId: string; suiteId: string },
  send: () => Promise<{ runId?: string | null | undefined }>,
): Promise<RerunSent> {
  const list = async (): Promise<EvalRun[]> =>
    (await client.runs.list({ projectId, suiteId, limit: LATEST_RUNS })).items
  const before = new Set((await list()).map(({ id }) => id))
  let outcomeUnknown: ApiError | undefined
  try {
    const { runId } = await send()
    if (runId) return { kind: 'named', runId }
  } catch (error) {
    if (!(error instanceof ApiError) || !error.leavesDoubt) throw error
    outcomeUnknown = error
  }
  const runs = (await list()).filter(({ id }) => !before.has(id))
  const [only] = runs
  return only && runs.length === 1
    ? { kind: 'found', runId: only.id, lost: outcomeUnknown }
    : { kind: 'unclear', runs, lost: outcomeUnknown }
}
