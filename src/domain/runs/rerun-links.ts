import type { ProfileKey, Stored } from '../../lib/files/profile-store.ts'
import { BOUNDS } from '../../lib/bounds.ts'

/** Stores which run a rerun repeats, for services that do not report it. */
export type RerunLinks = {
  /** Returns the run that this one repeats; undefined if it was not launched from this machine. */
  parentOf(runId: string): string | undefined
  remember(runId: string, parentId: string): void
}

/** Maximum number of stored links. The oldest are removed. */
const MOST_LINKS = BOUNDS.rerunLinks.most
const LONGEST_ID = 200

/** Parents by the id of the run that repeats them. */
export const rerunsKey: ProfileKey<ReadonlyMap<string, string>> = {
  name: 'reruns',
  version: 1,
  empty: new Map(),
  read: ({ links }) => (Array.isArray(links) ? new Map(links.filter(isLink)) : undefined),
  write: links => ({ links: [...links] }),
}

export function createRerunLinks(stored: Stored<ReadonlyMap<string, string>>): RerunLinks {
  return {
    parentOf: runId => stored.get().get(runId),
    remember(runId, parentId) {
      if (runId.length > LONGEST_ID || parentId.length > LONGEST_ID) return
      stored.change(before => {
        const others = [...before].filter(([id]) => id !== runId)
        return new Map([...others, [runId, parentId] as const].slice(-MOST_LINKS))
      })
    },
  }
}

function isLink(link: unknown): link is [string, string] {
  return Array.isArray(link) && link.length === 2 && link.every(id => typeof id === 'string')
}
