import { setTimeout as delay } from 'node:timers/promises'
import { ApiError } from '../../api/api-error.ts'
import type { Client } from '../../api/client.ts'
import { isTerminalRunStatus } from '../../api/contract/runs.ts'
import { pollInterval } from '../../api/poll-interval.ts'
import { clean } from '../../app/theme/text.ts'

/** Pause before a launch is tried again where nothing shows when a slot becomes free, in milliseconds. */
const BLIND_PAUSE_MS = 15_000

export type SlotOptions = {
  signal: AbortSignal
  say: (sentence: string) => void
  /** Wait for a free slot instead of giving up. */
  wait: boolean
}

/**
 * Launches; at the organization's run limit it says which runs hold the slots, and waits for one to end where it may.
 * @throws ApiError of `launch`, also the refusal at the limit where it may not wait
 */
export async function launchInSlot<T>(
  client: Client,
  projectId: string,
  launch: () => Promise<T>,
  { signal, say, wait }: SlotOptions,
): Promise<T> {
  let told = ''
  for (;;) {
    try {
      return await attempt(launch, signal, say)
    } catch (error) {
      if (!(error instanceof ApiError) || error.limit !== 'concurrent-runs') throw error
      const holders = await runsInFlight(client, projectId, error)
      const names = holders.map(({ name }) => name).join(', ')
      const sentence = names ? `The run slots are held by ${names}.` : 'All run slots are held.'
      if (sentence !== told) say(wait ? `${sentence} Waiting for one to end.` : sentence)
      told = sentence
      if (!wait) throw error
      await slotFree(client, projectId, holders, signal)
    }
  }
}

/** A launch that is stopped while its request is on the way may have happened. */
async function attempt<T>(
  launch: () => Promise<T>,
  signal: AbortSignal,
  say: SlotOptions['say'],
): Promise<T> {
  signal.throwIfAborted()
  const warn = (): void => say('The launch may have happened; the next start of mcpdeck finds out.')
  signal.addEventListener('abort', warn)
  try {
    return await launch()
  } finally {
    signal.removeEventListener('abort', warn)
  }
}

type Holder = { id: string; name: string }

/** The contract does not say under which key the refusal names them, so ids are looked for in all its lists. */
async function runsInFlight(client: Client, projectId: string, { details }: ApiError): Promise<Holder[]> {
  const lists = Object.values(details ?? {}).filter(value => Array.isArray(value)) as unknown[][]
  const ids = lists.flat().filter(value => typeof value === 'string')
  const suites = new Map<string, string>()
  const latest: Holder[] = []
  for (const { id, name, latestRun } of (await client.suites.list({ projectId }, { priority: 'asked' }))
    .items) {
    suites.set(id, clean(name ?? id))
    if (latestRun?.id && latestRun.status && !isTerminalRunStatus(latestRun.status))
      latest.push({ id: latestRun.id, name: `${latestRun.id} of ${clean(name ?? id)}` })
  }
  if (ids.length === 0) return latest
  return await Promise.all(
    ids.map(async id => {
      try {
        const { suiteId, status } = await client.runs.get({ projectId, runId: id }, { priority: 'asked' })
        return { id, name: `${clean(id)} of ${suites.get(suiteId) ?? suiteId} (${clean(status)})` }
      } catch {
        // It may be a run of another project of the organization.
        return { id, name: `${clean(id)} of another project` }
      }
    }),
  )
}

/** Resolves when one of these runs has ended, or after a while where none of them can be read. */
async function slotFree(
  client: Client,
  projectId: string,
  holders: readonly Holder[],
  signal: AbortSignal,
): Promise<void> {
  const readable = new Set(holders.map(({ id }) => id))
  const stop = client.budget.startPolling()
  try {
    while (readable.size > 0) {
      const { pollers, unlimited, refillPerSecond } = client.budget.snapshot()
      const load = { live: pollers, requestsEach: readable.size, visible: true, unlimited, refillPerSecond }
      await delay(pollInterval(load), undefined, { signal })
      for (const runId of readable) {
        const standing = await standingOf(client, { projectId, runId }, signal)
        if (standing === 'ended') return
        if (standing === 'unreadable') readable.delete(runId)
      }
    }
    await delay(BLIND_PAUSE_MS, undefined, { signal })
  } finally {
    stop()
  }
}

async function standingOf(
  client: Client,
  run: { projectId: string; runId: string },
  signal: AbortSignal,
): Promise<'ended' | 'in-flight' | 'unreadable'> {
  try {
    const { status } = await client.runs.get(run, { signal })
    return isTerminalRunStatus(status) ? 'ended' : 'in-flight'
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind === 'aborted') throw error
    return error.retryable ? 'in-flight' : 'unreadable'
  }
}
