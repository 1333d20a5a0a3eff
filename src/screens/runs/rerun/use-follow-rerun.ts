import { setTimeout as delay } from 'node:timers/promises'
import { useQueryClient } from '@tanstack/react-query'
import { isMissing } from '../../../api/client/errors/api-error.ts'
import { isTerminalRunStatus, type EvalRun, runNumberOf } from '../../../api/contract/runs.ts'
import { livePause } from '../../../domain/polling/cadence.ts'
import { groupedCases, rerunLabel } from '../../../domain/runs/comparison-groups.ts'
import { useKeyName } from '../../../tui/keymap/use-bindings.ts'
import { useRouter } from '../../../tui/router/router-context.tsx'
import { useNotify } from '../../../hooks/notify.tsx'
import { useWorkspace } from '../../../hooks/workspace.tsx'
import { runsKeys } from '../bindings.ts'
import { middleOf, runsRoute } from '../route.ts'
import { runLook } from '../../../components/records/run-look.ts'
import { keepEnded, type EndedRerun } from './ended-reruns.ts'

/** Number of trials read to see whether the trials of one case disagree. */
const TRIALS_READ = 200
/** Number of polls in a row that may fail before the rerun is no longer followed. */
const MOST_FAILURES = 100

/**
 * Follows a rerun to its end, on any screen. If the rerun is then still in front, opens the comparison with its parent;
 * if not, says how it ended and which key opens the comparison.
 */
export function useFollowRerun(): (rerun: EndedRerun) => Promise<void> {
  const { client, queries, budget } = useWorkspace()
  const queryClient = useQueryClient()
  const router = useRouter()
  const notify = useNotify()
  const key = useKeyName()

  /**
   * Resolves to the ended run; to a sentence if it is gone or the service no longer answers. Its timer does not keep
   * the process alive.
   */
  const untilEnded = async ({ projectId, runId }: EndedRerun): Promise<EvalRun | string> => {
    const stopPolling = budget.startPolling()
    const options = queries.runs.get.options({ projectId, runId })
    try {
      for (let failures = 0; failures < MOST_FAILURES;) {
        const pause = livePause(budget.snapshot(), 1)
        await delay(pause, undefined, { ref: false })
        try {
          // Data that the pane has just read is not requested again.
          const run = await queryClient.fetchQuery({ ...options, staleTime: pause })
          if (isTerminalRunStatus(run.status)) return run
          failures = 0
        } catch (error) {
          if (isMissing(error)) return 'The rerun is gone, and how it ended is unknown.'
          failures += 1
        }
      }
      return `The rerun is no longer followed: ${MOST_FAILURES} reads of it in a row failed. How it ended is unknown.`
    } finally {
      stopPolling()
    }
  }

  const wordsOf = async ({ projectId, runId, parentId }: EndedRerun): Promise<string> => {
    try {
      const options = { priority: 'visible' } as const
      const comparison = await client.runs.compare({ projectId, runId, baseRunId: parentId }, options)
      const trials = await client.iterations.list({ projectId, runId, limit: TRIALS_READ }, options)
      return ` ${rerunLabel(groupedCases(comparison, trials.items))}`
    } catch {
      // The end of the run is worth reporting without the comparison, which the tab reads again and explains.
      return ''
    }
  }

  return async rerun => {
    const run = await untilEnded(rerun)
    if (typeof run === 'string') return notify('warn', run)
    const { params, screen } = router.current()
    const isOnIt = screen === runsRoute.screen && params['runId'] === rerun.runId
    // While the cases are shown no run is visible: the person has moved on.
    if (isOnIt && middleOf(params['middle']) !== 'cases') {
      router.replace({ pane: 'run', tab: 'compare', base: rerun.parentId })
      return
    }
    keepEnded(queryClient, rerun)
    const { word, tone } = runLook(run)
    const name = runNumberOf(run)
    const told = await wordsOf(rerun)
    notify(
      tone === 'ok' ? 'ok' : tone === 'error' ? 'error' : 'warn',
      `Rerun ${name} ${word}.${told} ${key(runsKeys, 'compare')} on the Runs screen compares it with its parent.`,
    )
  }
}
