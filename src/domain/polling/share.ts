import { createListeners } from '../../lib/listeners.ts'

/** How often a screen is read, of what the rate of requests allows. */
export const SHARES = ['less', 'usual', 'more'] as const
export type Share = (typeof SHARES)[number]

/** How many times as long the pauses of a screen are; the rate that there is bounds them all the same. */
export const SHARE_FACTORS: Readonly<Record<Share, number>> = { less: 3, usual: 1, more: 0.5 }

/** What the person gives to each screen. */
export type Shares = {
  of: (screen: string) => Share
  /** Holds from now on; rejects where it cannot be saved, and then holds for this session. */
  give: (screen: string, share: Share) => Promise<void>
  subscribe: (listener: () => void) => () => void
}

/** @param save stores one for the next start */
export function createShares(
  given: Readonly<Partial<Record<string, Share>>>,
  save: (screen: string, share: Share) => Promise<void>,
): Shares {
  const shares = new Map(Object.entries(given))
  const { subscribe, notify } = createListeners()
  return {
    of: screen => shares.get(screen) ?? 'usual',
    give(screen, share) {
      shares.set(screen, share)
      notify()
      return save(screen, share)
    },
    subscribe,
  }
}
