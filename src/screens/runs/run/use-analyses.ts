import { isDeepStrictEqual } from 'node:util'
import { useEffect, useRef } from 'react'
import { ApiError } from '../../../api/client/errors/api-error.ts'
import { contract } from '../../../api/contract/contract.ts'
import type { AnyEndpoint } from '../../../api/contract/endpoint.ts'
import { isTerminalRunStatus, type EvalRun } from '../../../api/contract/runs.ts'
import { unavailable, type KeyHandler, type Unavailable } from '../../../tui/keymap/binding.ts'
import { useConfirm } from '../../../components/confirm.tsx'
import { useToasts } from '../../../components/toasts.tsx'
import { useRunTask } from '../../../hooks/tasks.tsx'
import { useWrite } from '../../../hooks/use-write.ts'
import { useLiveQuery } from '../../../hooks/use-api-query.ts'
import { useWorkspace } from '../../../hooks/workspace.tsx'
import { useJudgeDialog, type JudgeChoice } from './judge-dialog.tsx'

/** Whether a model is at work on the run. */
function isAnalysed({ insights, judges }: EvalRun): boolean {
  const states = [insights, judges?.goalCompletion, judges?.groundedness]
  return states.some(state => state?.status === 'pending')
}

/** Reads an ended run on while a model is at work on it, and says when that is done. */
export function useAnalysesWatch(projectId: string, runId: string): void {
  const { queries } = useWorkspace()
  const toasts = useToasts()
  const { data: run } = useLiveQuery(queries.runs.get.options({ projectId, runId }), {
    isLive: isAnalysed,
    requestsEach: 1,
  })
  const before = useRef<{ insights: string | undefined; judge: string | undefined }>(undefined)
  const insights = run?.insights?.status
  const judge = run?.judges?.goalCompletion?.status ?? undefined
  useEffect(() => {
    const earlier = before.current
    before.current = { insights, judge }
    const name = run ? nameOf(run) : runId
    if (earlier?.insights === 'pending' && insights && insights !== 'pending')
      toasts.show(insights === 'completed' ? 'ok' : 'warn', `Insights of ${name}: ${insights}.`)
    if (earlier?.judge === 'pending' && judge && judge !== 'pending')
      toasts.show(judge === 'completed' ? 'ok' : 'warn', `The judge of ${name}: ${judge}.`)
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only the two states are watched
  }, [insights, judge, toasts, runId])
}

const NOT_ENDED = unavailable('The run has not ended yet.')
const NO_RUN = unavailable('The run is still being read.')

/** What a model can be asked about a run, each with what it costs. */
export function useAnalysisRequests(
  projectId: string,
  run: EvalRun | undefined,
): { insights: KeyHandler | Unavailable; judge: KeyHandler | Unavailable } {
  const { client } = useWorkspace()
  const confirm = useConfirm()
  const send = useSend()
  const openJudge = useJudgeDialog()
  if (!run) return { insights: NO_RUN, judge: NO_RUN }
  if (!isTerminalRunStatus(run.status)) return { insights: NOT_ENDED, judge: NOT_ENDED }
  const place = { projectId, runId: run.id }
  const name = nameOf(run)
  const look = () => client.runs.get(place, ASKED)
  const hasInsights = run.insights?.status === 'completed'
  const judge = run.judges?.goalCompletion?.status
  const askInsights = async (): Promise<void> => {
    const again = {
      text: 'There are insights already. Making them again is charged again.',
      tone: 'warn',
    } as const
    const agreed = await confirm({
      title: `Ask for insights of ${name}?`,
      lines: [
        'A model looks for causes in what went wrong.',
        'It takes one of the organization’s insights of the day; once they are used up there are more at midnight UTC.',
        ...(hasInsights ? [again] : []),
      ],
      action: hasInsights ? 'Make them again' : 'Ask for insights',
    })
    if (!agreed) return
    await send(contract.runs.requestInsights, `Asking for insights of ${name}…`, {
      request: () =>
        client.runs.requestInsights({ ...place, body: hasInsights ? { force: true } : {} }, ASKED),
      ...(hasInsights && { stays: now => isDeepStrictEqual(now.insights, run.insights), look }),
    })
  }
  const askJudge = (): void => {
    const isGraded = judge === 'completed'
    openJudge({
      title: `Have a model judge ${name}?`,
      act: isGraded ? 'Grade again' : 'Grade the run',
      effect: [
        {
          text: 'A model reads the final answer of every trial, which spends. The result stays as it is.',
          tone: 'plain',
        },
        ...(isGraded
          ? [{ text: 'It was graded already. Grading again is charged again.', tone: 'warn' as const }]
          : []),
      ],
      onSend: (choice: JudgeChoice) => {
        // One that was never asked for may be off in the suite; this switches it on for this run alone.
        const body = { ...choice, ...(isGraded && { force: true }), ...(judge == null && { enable: true }) }
        void send(contract.runs.requestJudge, `Asking for a judge of ${name}…`, {
          request: () => client.runs.requestJudge({ ...place, body }, ASKED),
          ...(isGraded && {
            stays: now => isDeepStrictEqual(now.judges?.goalCompletion, run.judges?.goalCompletion),
            look,
          }),
        })
      },
    })
  }
  return {
    insights:
      run.insights?.status === 'pending'
        ? unavailable('Insights are being made; asking again would be charged again.')
        : askInsights,
    judge:
      judge === 'pending'
        ? unavailable('The judge is at work; asking again would be charged again.')
        : askJudge,
  }
}

const ASKED = { priority: 'asked' } as const

type Request = {
  request: () => Promise<unknown>
  /** Of what is charged again: whether the run is still as it was asked about. */
  stays?: (now: EvalRun) => boolean
  look?: () => Promise<EvalRun>
}

/** Sends a request and reads the run again whatever came of it; a refusal for want of a model says how to get one. */
function useSend() {
  const write = useWrite()
  const runTask = useRunTask()
  return (
    endpoint: AnyEndpoint,
    start: string,
    { request, stays, look }: Request,
  ): Promise<string | undefined> =>
    runTask({
      start,
      work: async () => {
        try {
          if (stays && look && !stays(await look()))
            return 'Not asked: it changed while you decided. What shows now is the newest.'
          await write(endpoint, request)
          return ''
        } catch (error) {
          if (error instanceof ApiError && error.code === 'FEATURE_NOT_SUPPORTED') return error.message
          throw error
        }
      },
      done: refusal =>
        refusal === '' ? 'It is being made; this shows it.' : { tone: 'warn', text: refusal },
    })
}

function nameOf({ runNumber, id }: EvalRun): string {
  return runNumber == null ? `run ${id}` : `run #${runNumber}`
}
