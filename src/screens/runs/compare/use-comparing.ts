import { useQueryClient } from '@tanstack/react-query'
import { unavailable, type Unavailable } from '../../../tui/keymap/binding.ts'
import { useRouter } from '../../../tui/router/router-context.tsx'
import { hasEnded, takeEnded } from '../rerun/ended-reruns.ts'
import type { RunsLists } from '../use-lists.ts'

/**
 * Opens the comparison: that of a rerun which ended while the person was elsewhere, else of the chosen run, against the one
 * marked run where there is one.
 */
export function useComparing(projectId: string, lists: RunsLists): (() => void) | Unavailable {
  const router = useRouter()
  const queryClient = useQueryClient()
  const { run, runList, suiteList } = lists
  const show = (place: { suiteId: string | undefined; runId: string; base: string | undefined }): void => {
    if (place.suiteId !== undefined) suiteList.selection.select(place.suiteId)
    runList.selection.select(place.runId)
    router.replace({ ...place, middle: undefined, pane: 'run', tab: 'compare', iterationId: undefined })
  }
  const compare = (): void => {
    const ended = takeEnded(queryClient, projectId)
    if (ended) return show({ suiteId: ended.suiteId, runId: ended.runId, base: ended.parentId })
    const chosen = runList.choose()
    if (!chosen) return
    const others = runList.marked().filter(({ id }) => id !== chosen.id)
    show({
      suiteId: suiteList.choose()?.id,
      runId: chosen.id,
      base: others.length === 1 ? others[0]?.id : undefined,
    })
  }
  return run || hasEnded(queryClient, projectId) ? compare : unavailable('There is no run to compare.')
}
