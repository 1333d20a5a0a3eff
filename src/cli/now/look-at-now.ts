import type { QueryClient } from '@tanstack/react-query'
import { createPollingClient } from '../../api/client/cache/query-client.ts'
import type { StoredNow } from '../../domain/now/memory.ts'
import { createNow, type NowData, type NowFacts } from '../../domain/now/now.ts'
import { createNowReads, nowSources } from '../../hooks/now-reads.ts'
import { nowMemoryOf } from '../../hooks/use-now-memory.ts'
import type { Workspace } from '../../hooks/workspace.tsx'

/** What Now knows at a moment. */
export type NowLook = { data: NowData; kept: StoredNow }

/** How often the clock, and what other processes acknowledged and wrote, are looked at, in milliseconds. */
const REFRESH_MS = 10_000
const MINUTE_MS = 60_000

/**
 * Reads what the screen Now reads, by the same plan and within the same budget, and draws nothing.
 * @param projects ids of those to look at; what the person chose on Now by default
 * @returns what ends it, with the reads that are under way
 */
export function lookAtNow(
  workspace: Workspace,
  projects: readonly string[] | undefined,
  onLook: (look: NowLook) => void,
  queryClient: QueryClient = createPollingClient(),
): () => Promise<void> {
  const { budget, journal, waves } = workspace
  const memory = nowMemoryOf(workspace)
  const lookAt = createNow(nowSources(workspace, queryClient))
  const reads = createNowReads(queryClient, budget)
  let now = Date.now()
  let writes: NowFacts['writes'] = { data: undefined, at: undefined, error: null }
  let next: NodeJS.Immediate | undefined
  const look = (): void => {
    next = undefined
    const own = memory.kept()
    const kept = projects ? { ...own, projects } : own
    const { pausedUntil } = budget.snapshot()
    const facts = { kept, now, projectId: undefined, known: waves?.all() ?? new Map(), writes, pausedUntil }
    const { seen, plan } = reads.look(reader => lookAt(reader, facts))
    const { news, ...data } = seen
    reads.carryOut(plan, budget.snapshot())
    for (const { id, runs } of news) waves?.see(id, runs)
    onLook({ data, kept: own })
  }
  // What changes in the same moment is looked at once.
  const soon = (): void => void (next ??= setImmediate(look))
  const readWrites = async (): Promise<void> => {
    try {
      writes = { data: (await journal?.unresolved()) ?? [], at: Date.now(), error: null }
    } catch (error) {
      writes = { ...writes, error: error as Error }
    }
    soon()
  }
  let pause: number | undefined
  const readPause = (): void => {
    const { pausedUntil } = budget.snapshot()
    const seconds = pausedUntil && Math.ceil((pausedUntil - Date.now()) / 1_000)
    if (seconds !== pause) soon()
    pause = seconds
  }
  const refresh = (): void => {
    if (Math.floor(now / MINUTE_MS) !== Math.floor(Date.now() / MINUTE_MS)) now = Date.now()
    memory.refresh()
    if (journal) void readWrites()
    else soon()
  }
  const ends = [
    reads.begin(),
    reads.subscribe(soon),
    memory.subscribe(soon),
    waves?.subscribe(soon),
    journal?.subscribe(() => void readWrites()),
    budget.subscribe(readPause),
    budget.startPolling(),
  ]
  look()
  refresh()
  // It also keeps the process there between two reads.
  const timer = setInterval(refresh, REFRESH_MS)
  return async () => {
    clearInterval(timer)
    for (const end of ends) end?.()
    clearImmediate(next)
    // A read that ends after its query was removed would hold the process with the timer of what is unused.
    await queryClient.cancelQueries()
    queryClient.clear()
  }
}
