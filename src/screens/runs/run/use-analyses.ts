import { isDeepStrictEqual } from 'node:util'
import { useEffect, useRef } from 'react'
import { contract } from '../../../api/contract/contract.ts'
import { isTerminalRunStatus, type EvalRun, runName } from '../../../api/contract/runs.ts'
import { unavailable, type KeyHandler, type Unavailable } from '../../../tui/keymap/binding.ts'
import { useFormDialog } from '../../../components/form/form-dialog.tsx'
import { useToasts } from '../../../components/toasts.tsx'
import { NotSent, useWrite } from '../../../hooks/use-write.tsx'
import { useLiveQuery } from '../../../hooks/use-api-query.ts'
import { useWorkspace } from '../../../hooks/workspace.tsx'

/** Whether a model is analyzing the run. */
function isAnalysed({ insights, judges }: EvalRun): boolean {
  const states = [insights, judges?.goalCompletion, judges?.groundedness]
  return states.some(state => state?.status === 'pending')
}

/** Reads a run again while a model is analyzing it, and announces how insights and goal completion ended. */
export function useAnalysesWatch(projectId: string, runId: string): void {
  const { queries } = useWorkspace()
  const toasts = useToasts()
  const { data: run } = useLiveQuery(queries.runs.get.options({ projectId, runId }), {
    isLive: isAnalysed,
    requests: 1,
  })
  const before = useRef<{ insights: string | undefined; judge: string | undefined }>(undefined)
  const insights = run?.insights?.status
  const judge = run?.judges?.goalCompletion?.status ?? undefined
  useEffect(() => {
    const earlier = before.current
    before.current = { insights, judge }
    const name = run ? runName(run) : runId
    if (earlier?.insights === 'pending' && insights && insights !== 'pending')
      toasts.show(insights === 'completed' ? 'ok' : 'warn', `Insights of ${name}: ${insights}.`)
    if (earlier?.judge === 'pending' && judge && judge !== 'pending')
      toasts.show(judge === 'completed' ? 'ok' : 'warn', `The judge of ${name}: ${judge}.`)
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only the two states are watched
  }, [insights, judge, toasts, runId])
}

const NOT_ENDED = unavailable('The run has not ended yet.')
const NO_RUN = unavailable('The run is still being read.')

/** Returns what the keys for insights and for a judge do, or why they are unavailable. */
export function useAnalysisRequests(
  projectId: string,
  run: EvalRun | undefined,
): { insights: KeyHandler | Unavailable; judge: KeyHandler | Unavailable } {
  const { client } = useWorkspace()
  const requestInsights = useWrite(contract.runs.requestInsights)
  const requestJudge = useWrite(contract.runs.requestJudge)
  const ask = useFormDialog()
  if (!run) return { insights: NO_RUN, judge: NO_RUN }
  if (!isTerminalRunStatus(run.status)) return { insights: NOT_ENDED, judge: NOT_ENDED }
  const place = { projectId, runId: run.id }
  const name = runName(run)
  const hasInsights = run.insights?.status === 'completed'
  const judge = run.judges?.goalCompletion?.status
  /** Prevents paying again for what someone else has just requested. */
  const requireSame = async (part: (run: EvalRun) => unknown): Promise<void> => {
    if (!isDeepStrictEqual(part(await client.runs.get(place)), part(run)))
      throw new NotSent('Not requested: it changed meanwhile. The newest is shown.')
  }
  const askInsights = async (): Promise<void> => {
    const again = { text: 'There are insights already. Generating them again is charged again.', tone: 'warn' } as const
    await requestInsights({
      confirm: {
        title: `Request insights of ${name}?`,
        lines: [
          'A model looks for causes in what went wrong.',
          'It uses one of the organization’s daily insights; the quota resets at 00:00 UTC.',
          ...(hasInsights ? [again] : []),
        ],
        action: hasInsights ? 'Generate them again' : 'Request insights',
      },
      start: `Requesting insights of ${name}…`,
      work: async ({ send }) => {
        if (hasInsights) await requireSame(({ insights }) => insights)
        return await send(contract.runs.requestInsights, { ...place, body: hasInsights ? { force: true } : {} })
      },
      done: () => IN_THE_MAKING,
    })
  }
  const askJudge = async (): Promise<void> => {
    const isGraded = judge === 'completed'
    const values = await ask({
      title: `Have a model judge ${name}?`,
      about: [
        {
          text: 'What is left empty is as set in the suite. A request does not keep what an earlier one chose.',
          tone: 'muted',
        },
      ],
      fields: [
        { id: 'model', label: 'model', kind: 'name', note: 'The model that grades.' },
        {
          id: 'threshold',
          label: 'threshold',
          kind: 'from 0 to 1',
          note: 'The minimum score for a case to pass.',
          input: { kind: 'number', least: 0, most: 1, whole: false },
        },
      ],
      act: isGraded ? 'Grade again' : 'Grade the run',
      effect: () => [
        {
          text: 'A model reads the final answer of every trial, which has a cost. The result of the run stays.',
          tone: 'plain',
        },
        ...(isGraded
          ? [{ text: 'It was already graded. Grading again is charged again.', tone: 'warn' as const }]
          : []),
      ],
    })
    if (!values) return
    const model = values['model']?.trim()
    const threshold = values['threshold']?.trim()
    await requestJudge({
      confirm: 'done',
      start: `Requesting a judge for ${name}…`,
      work: async ({ send }) => {
        if (isGraded) await requireSame(({ judges }) => judges?.goalCompletion)
        const body = {
          ...(model && { model }),
          ...(threshold && { threshold: Number(threshold) }),
          ...(isGraded && { force: true }),
          // A judge that was never requested may be off in the suite; this switches it on for this run only.
          ...(judge == null && { enable: true }),
        }
        return await send(contract.runs.requestJudge, { ...place, body })
      },
      done: () => IN_THE_MAKING,
    })
  }
  return {
    insights:
      run.insights?.status === 'pending'
        ? unavailable('Insights are being generated; another request would be charged again.')
        : askInsights,
    judge:
      judge === 'pending' ? unavailable('The judge is running; another request would be charged again.') : askJudge,
  }
}

const IN_THE_MAKING = 'It is being generated and appears here.'
