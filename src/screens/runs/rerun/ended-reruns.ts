import type { QueryClient } from '@tanstack/react-query'

/** A rerun that ended while the person was elsewhere. */
export type EndedRerun = { projectId: string; suiteId: string; runId: string; parentId: string }

const ended = new WeakMap<QueryClient, EndedRerun>()

/** Stores the rerun that ended last, until its comparison is opened. */
export function keepEnded(session: QueryClient, rerun: EndedRerun): void {
  ended.set(session, rerun)
}

/** Whether the comparison of a rerun of this project has not been viewed. */
export function hasEnded(session: QueryClient, projectId: string): boolean {
  return ended.get(session)?.projectId === projectId
}

/** Returns the rerun of this project whose comparison has not been viewed; it is returned only once. */
export function takeEnded(session: QueryClient, projectId: string): EndedRerun | undefined {
  const rerun = ended.get(session)
  if (rerun?.projectId !== projectId) return undefined
  ended.delete(session)
  return rerun
}
