import { contract } from '../../api/contract/contract.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { ApiError } from '../../api/client/errors/api-error.ts'
import type { Client } from '../../api/client/client.ts'
import { isTerminalRunStatus } from '../../api/contract/runs.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import { livePause } from '../polling/cadence.ts'

/** Milliseconds before a launch is tried again if nothing shows when a slot becomes free. */
const BLIND_PAUSE_MS = 15_000

/** A run in flight that holds a run slot of the organization; one with unknown fields may be of another project. */
export type SlotHolder = {
  runId: string
  runNumber?: number | undefined
  suiteId?: string | undefined
  suiteName?: string | undefined
  status?: string | undefined
}

/** Returns the runs in flight in the list of suites, which contains the latest run of each. */
export function latestInFlight(suites: readonly EvalSuite[]): SlotHolder[] {
  return suites.flatMap(({ id, name, latestRun }) =>
    latestRun?.id && latestRun.status && !isTerminalRunStatus(latestRun.status)
      ? [{ runId: latestRun.id, suiteId: id, suiteName: name ?? id, status: latestRun.status }]
      : [],
  )
}

/**
 * Returns the runs that a refusal at the limit names. If it names none, returns those in the list of suites. The
 * contract does not name the field, so ids are searched in all lists of the refusal.
 */
export async function slotHolders(
  client: Client,
  projectId: string,
  { details }: Pick<ApiError, 'details'>,
): Promise<SlotHolder[]> {
  const lists = Object.values(details ?? {}).filter(value => Array.isArray(value)) as unknown[][]
  const ids = lists.flat().filter(value => typeof value === 'string')
  const suites = await client.items(contract.suites.list, { projectId })
  if (ids.length === 0) return latestInFlight(suites)
  const names = new Map(suites.map(({ id, name }) => [id, name ?? id]))
  return await Promise.all(
    ids.map(async (runId): Promise<SlotHolder> => {
      try {
        const run = await client.runs.get({ projectId, runId })
        const { suiteId, status, runNumber } = run
        const suiteName = names.get(suiteId) ?? suiteId
        return { runId, suiteId, suiteName, status, ...(runNumber != null && { runNumber }) }
      } catch {
        // The run may belong to another project of the organization.
        return { runId }
      }
    }),
  )
}

/**
 * Resolves when one of these runs has ended, or after a while if none can be read.
 * @throws ApiError, or the reason of the signal
 */
export async function slotFree(
  client: Client,
  projectId: string,
  holders: readonly SlotHolder[],
  signal: AbortSignal,
): Promise<void> {
  const readable = new Set(holders.map(({ runId }) => runId))
  const stop = client.budget.startPolling()
  try {
    while (readable.size > 0) {
      await delay(livePause(client.budget.snapshot(), readable.size), undefined, { signal })
      for (const runId of readable) {
        const standing = await runStateOf(client, { projectId, runId }, signal)
        if (standing === 'ended') return
        if (standing === 'unreadable') readable.delete(runId)
      }
    }
    await delay(BLIND_PAUSE_MS, undefined, { signal })
  } finally {
    stop()
  }
}

async function runStateOf(
  client: Client,
  run: { projectId: string; runId: string },
  signal: AbortSignal,
): Promise<'ended' | 'in-flight' | 'unreadable'> {
  try {
    const { status } = await client.runs.get(run, { signal, priority: 'visible' })
    return isTerminalRunStatus(status) ? 'ended' : 'in-flight'
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind === 'aborted') throw error
    return error.retryable ? 'in-flight' : 'unreadable'
  }
}
