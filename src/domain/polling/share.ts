import { createListeners } from '../../lib/listeners.ts'

/** Frequencies of reading a screen, relative to what the request rate allows. */
export const SHARES = ['less', 'usual', 'more'] as const
export type Share = (typeof SHARES)[number]

/** Factor for the pauses of a screen; the available rate still limits them. */
export const SHARE_FACTORS: Readonly<Record<Share, number>> = { less: 3, usual: 1, more: 0.5 }

/** The share that the person gives each screen. */
export type Shares = {
  of: (screen: string) => Share
  /** Sets the share of a screen at once. Rejects if it cannot be saved; it then applies only to this session. */
  give: (screen: string, share: Share) => Promise<void>
  subscribe: (listener: () => void) => () => void
}

/** @param save stores a share for the next start */
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
