import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { StoredNow } from '../../domain/now/memory.ts'
import { createNow, type NowData } from '../../domain/now/now.ts'
import type { NowReader } from '../../domain/now/reads.ts'
import { createNowReads, nowSources } from '../../hooks/now-reads.ts'
import { useBudget } from '../../hooks/use-budget.ts'
import { useAllKnownRuns } from '../../hooks/use-known-runs.ts'
import { useNow } from '../../hooks/use-now.ts'
import { useOpenWrites } from '../../hooks/use-open-writes.ts'
import { useConditions, usePoller } from '../../hooks/use-cadence.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { useRouter } from '../../tui/router/router-context.tsx'

/** Returns the data of Now, read by its plan while it is on screen. */
export function useNowData(kept: StoredNow): NowData {
  const workspace = useWorkspace()
  const { waves } = workspace
  const queryClient = useQueryClient()
  const now = useNow()
  const router = useRouter()
  const known = useAllKnownRuns()
  const { data, dataUpdatedAt, error } = useOpenWrites()
  const pause = useBudget(({ pausedUntil }) => ({
    seconds: pausedUntil === undefined ? 0 : Math.ceil((pausedUntil - Date.now()) / 1000),
  }))
  const [look] = useState(() => createNow(nowSources(workspace, queryClient)))
  const writes = { data, at: dataUpdatedAt || undefined, error }
  const pausedUntil = pause && Date.now() + pause.seconds * 1000
  // Read without rendering: moving the cursor changes the place, but nothing that Now shows.
  const { projectId } = router.current().params
  const { news, ...seen } = useNowReads(reader => look(reader, { kept, now, projectId, known, writes, pausedUntil }))
  const marks = JSON.stringify(news)
  useEffect(() => {
    for (const { id, runs } of JSON.parse(marks) as typeof news) waves?.see(id, runs)
  }, [marks, waves])
  return seen
}

/** Returns the result of `look`, which uses reads; runs it again when one of their answers has changed. */
export function useNowReads<T>(look: (reader: NowReader) => T): T {
  const { budget } = useWorkspace()
  const queryClient = useQueryClient()
  usePoller(true)
  const conditions = useConditions()
  const [reads] = useState(() => createNowReads(queryClient, budget))
  useSyncExternalStore(reads.subscribe, reads.version)
  const { seen, plan } = reads.look(look)
  useEffect(() => reads.carryOut(plan, conditions()))
  useEffect(() => reads.begin(), [reads])
  return seen
}
