import { useQueryClient } from '@tanstack/react-query'
import { contract } from '../../../api/contract/contract.ts'
import type { EvalIteration } from '../../../api/contract/iterations.ts'
import { type EvalRun, type RerunPreview, runName } from '../../../api/contract/runs.ts'
import { nextCursorOf } from '../../../api/contract/shapes.ts'
import { previewLines, rerunObstacle } from '../../../domain/runs/rerun.ts'
import { latestRuns, launchedMeanwhile, sendRerun, type RerunSent } from '../../../domain/runs/rerun-launch.ts'
import { isOpenTrial } from '../../../domain/runs/trials.ts'
import { plural } from '../../../lib/format.ts'
import { useTheme } from '../../../tui/theme/theme-context.tsx'
import { useOpening } from '../../../components/opening.tsx'
import { useReview } from '../../../components/review.tsx'
import { useTextOverlay } from '../../../components/text-overlay.tsx'
import { useRunTask } from '../../../hooks/tasks.tsx'
import { useWrite } from '../../../hooks/use-write.tsx'
import { useWorkspace } from '../../../hooks/workspace.tsx'
import { rerunLines, type RerunSource } from './preview-lines.ts'
import { TRIALS_A_PAGE } from '../use-runs-data.ts'
import { useFollowRerun } from './use-follow-rerun.ts'

const COST = 'It occupies one of the organization’s run slots and spends whatever its models and servers cost.'
/** Number of trials read to see what they cost last time. */
const MOST_TRIALS = 1_000

/**
 * Runs the failed cases of a run again: shows a preview, launches once, then follows the rerun.
 * @param onLaunched called with the new run and the one that it repeats
 */
export function useRerun(
  projectId: string,
  onLaunched: (runId: string, parentId: string) => void,
): (run: EvalRun) => Promise<void> {
  const { client, queries, reruns } = useWorkspace()
  const queryClient = useQueryClient()
  const write = useWrite(contract.runs.rerun)
  const { symbols } = useTheme()
  const opening = useOpening(useRunTask())
  const ask = useReview()
  const openText = useTextOverlay()
  const follow = useFollowRerun()

  const launch = (run: EvalRun, preview: RerunPreview, before: readonly EvalRun[]): Promise<RerunSent | undefined> => {
    const cases = plural(preview.selectedCaseCount, 'case')
    const body = { scope: 'failed_cases' as const }
    return write<RerunSent>({
      confirm: 'done',
      start: `Launching a rerun of ${cases}…`,
      work: ({ send }) =>
        sendRerun(client, { projectId, suiteId: run.suiteId }, before, () =>
          send(contract.runs.rerun, { projectId, runId: run.id, body }),
        ),
      done: sent => launchedWords(sent, cases),
    })
  }

  return async run => {
    const name = runName(run)
    const source = await opening({
      start: `Checking what a rerun of ${name} would run…`,
      work: async (): Promise<RerunSource & { runs: readonly EvalRun[] }> => {
        const preview = await client.runs.rerunPreview({ projectId, runId: run.id })
        if (!preview.rerunnable) return { preview, trials: [], whole: true, titles: new Map(), runs: [] }
        const [{ trials, whole }, cases, runs] = await Promise.all([
          trialsOf(run.id),
          client.items(contract.cases.list, { projectId, suiteId: run.suiteId }),
          latestRuns(client, { projectId, suiteId: run.suiteId }),
        ])
        return { preview, trials, whole, titles: new Map(cases.map(({ id, title }) => [id, title ?? id])), runs }
      },
    })
    if (!source) return
    const { preview } = source
    const obstacle = rerunObstacle(preview)
    if (obstacle) {
      openText(`Rerun of ${name}`, [{ text: obstacle, tone: 'warn' }, '', ...previewLines(preview)])
      return
    }
    const before = await agreedRuns(run, source)
    const sent = before && (await launch(run, preview, before))
    if (!sent || sent.kind === 'unclear') return
    reruns?.remember(sent.runId, run.id)
    onLaunched(sent.runId, run.id)
    await follow({ projectId, suiteId: run.suiteId, runId: sent.runId, parentId: run.id })
  }

  /** Returns the suite's latest runs that the person knew of when they agreed; undefined if nothing was agreed. */
  async function agreedRuns(
    run: EvalRun,
    source: RerunSource & { runs: readonly EvalRun[] },
  ): Promise<readonly EvalRun[] | undefined> {
    const lines = rerunLines(source, COST, symbols)
    let { runs } = source
    for (let meanwhile: string | undefined; ;) {
      const agreed = await ask({
        title: `Rerun the failed cases of ${runName(run)}?`,
        lines: meanwhile === undefined ? lines : [{ text: meanwhile, tone: 'warn' }, '', ...lines],
        action: `Rerun ${plural(source.preview.selectedCaseCount, 'case')}`,
      })
      if (!agreed) return undefined
      const now = await opening({
        start: 'Checking what was launched meanwhile…',
        work: () => latestRuns(client, { projectId, suiteId: run.suiteId }),
      })
      if (!now) return undefined
      meanwhile = launchedMeanwhile(runs, now)
      runs = now
      if (meanwhile === undefined) return runs
    }
  }

  async function trialsOf(runId: string): Promise<{ trials: EvalIteration[]; whole: boolean }> {
    const input = { projectId, runId, limit: TRIALS_A_PAGE }
    // Data that the run's pane has read completely is not requested again.
    const shown = queryClient.getQueryData(queries.iterations.list.infinite(input).queryKey)
    const known = shown?.pages.flatMap(({ items }) => items) ?? []
    const last = shown?.pages.at(-1)
    if (last && nextCursorOf(last) === undefined && !known.some(isOpenTrial)) return { trials: known, whole: true }
    const trials: EvalIteration[] = []
    for await (const page of client.pages(contract.iterations.list, input)) {
      for (const item of page.items) trials.push(item)
      if (trials.length >= MOST_TRIALS) return { trials, whole: false }
    }
    return { trials, whole: true }
  }
}

function launchedWords(sent: RerunSent, cases: string): string | { tone: 'warn'; text: string } {
  if (sent.kind === 'named') return `Rerun of ${cases} launched.`
  if (sent.kind === 'found')
    return sent.lost
      ? { tone: 'warn', text: `The answer was lost, but the rerun of ${cases} began: it is the suite’s newest run.` }
      : `Rerun of ${cases} launched.`
  const found =
    sent.runs.length === 0
      ? 'no new run of the suite is there yet'
      : `${plural(sent.runs.length, 'new run')} of the suite could be it`
  const why = sent.lost ? 'The answer was lost' : 'The service does not name the rerun'
  return {
    tone: 'warn',
    text: `${why}, and ${found}. Check the runs of the suite before you launch it again; it was sent once.`,
  }
}
