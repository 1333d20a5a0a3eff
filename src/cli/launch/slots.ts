import { ApiError } from '../../api/client/errors/api-error.ts'
import type { Client } from '../../api/client/client.ts'
import { slotFree, slotHolders, type SlotHolder } from '../../domain/runs/launch-slots.ts'
import { clean } from '../../tui/theme/text.ts'

export type SlotOptions = {
  signal: AbortSignal
  say: (sentence: string) => void
  /** Whether to wait for a free slot instead of giving up. */
  wait: boolean
}

/**
 * Launches. At the organization's run limit it names the runs that occupy the slots, and waits for one to end if
 * allowed.
 * @throws ApiError from `launch`, also the refusal at the limit if it may not wait
 */
export async function launchInSlot<T>(
  client: Client,
  projectId: string,
  launch: () => Promise<T>,
  { signal, say, wait }: SlotOptions,
): Promise<T> {
  let lastShown = ''
  for (;;) {
    try {
      return await attempt(launch, signal, say)
    } catch (error) {
      if (!(error instanceof ApiError) || error.limit !== 'concurrent-runs') throw error
      const holders = await slotHolders(client, projectId, error)
      const names = holders.map(holderName).join(', ')
      const sentence = names ? `The run slots are held by ${names}.` : 'All run slots are held.'
      if (sentence !== lastShown) say(wait ? `${sentence} Waiting for one to end.` : sentence)
      lastShown = sentence
      if (!wait) throw error
      await slotFree(client, projectId, holders, signal)
    }
  }
}

/** Attempts a launch. A launch that is stopped while its request is in flight may have happened. */
async function attempt<T>(launch: () => Promise<T>, signal: AbortSignal, say: SlotOptions['say']): Promise<T> {
  signal.throwIfAborted()
  const warn = (): void => say('The launch may have happened; the next start of mcpdeck finds out.')
  signal.addEventListener('abort', warn)
  try {
    return await launch()
  } finally {
    signal.removeEventListener('abort', warn)
  }
}

function holderName({ runId, suiteName, status }: SlotHolder): string {
  if (suiteName === undefined) return `${clean(runId)} of another project`
  return `${clean(runId)} of ${clean(suiteName)}${status === undefined ? '' : ` (${clean(status)})`}`
}
