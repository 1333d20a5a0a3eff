import { useQueryClient } from '@tanstack/react-query'
import { contract } from '../../api/contract/contract.ts'
import type { AnyEndpoint } from '../../api/contract/endpoint.ts'
import { isTerminalRunStatus, type EvalRun } from '../../api/contract/runs.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import { newIdempotencyKey } from '../../api/client.ts'
import { refresh } from '../../api/queries.ts'
import { previewLines, rerunObstacle } from '../../api/runs/rerun.ts'
import { plural } from '../../app/theme/format.ts'
import { useConfirm } from '../../components/confirm.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'

const COST =
  'It occupies one of the organization’s run slots and spends whatever its models and servers cost.'

function runName(run: Pick<EvalRun, 'id' | 'runNumber'>): string {
  return run.runNumber == null ? `run ${run.id}` : `run #${run.runNumber}`
}

/** Launch, cancel and rerun: each says its effect, asks, acts once, and tells what became of it. */
export function useRunActions(projectId: string, onLaunched: (runId: string) => void) {
  const { client } = useWorkspace()
  const queryClient = useQueryClient()
  const confirm = useConfirm()
  const toasts = useToasts()
  const runTask = useRunTask()
  const asked = { priority: 'asked' } as const

  /** Sends a write, and reads what it made out of date whatever came of it. */
  const write = <T>(run: {
    endpoint: AnyEndpoint
    start: string
    send: () => Promise<T>
    done: (value: T) => string
  }): Promise<T | undefined> =>
    runTask({
      start: run.start,
      work: async () => {
        try {
          return await run.send()
        } finally {
          await refresh(queryClient, run.endpoint)
        }
      },
      done: run.done,
    })

  const launch = async (suite: EvalSuite): Promise<void> => {
    const name = suite.name ?? suite.id
    const cases = await runTask({
      start: `Reading the cases of ${name}…`,
      work: () => client.cases.list({ projectId, suiteId: suite.id }, asked),
    })
    if (!cases) return
    const trials = cases.items.reduce((sum, item) => sum + (item.iterations ?? 1), 0)
    const agreed = await confirm({
      title: `Launch ${name}?`,
      lines: [`${plural(cases.items.length, 'case')}, ${plural(trials, 'trial')}, as configured.`, COST],
      action: 'Launch the run',
    })
    if (!agreed) return
    const idempotencyKey = newIdempotencyKey()
    const created = await write({
      endpoint: contract.runs.create,
      start: `Launching ${name}…`,
      send: () =>
        client.runs.create({ projectId, body: { suiteId: suite.id } }, { ...asked, idempotencyKey }),
      done: ({ deduped }) => (deduped ? `${name} was already launched.` : `Launched ${name}.`),
    })
    if (created) onLaunched(created.runId)
  }

  const cancel = async (run: EvalRun): Promise<void> => {
    const agreed = await confirm({
      title: `Cancel ${runName(run)}?`,
      lines: [
        'Trials that are running stop, trials that wait never start.',
        'What has been graded so far stays readable.',
      ],
      action: 'Stop the run',
      decline: 'Keep it running',
    })
    if (!agreed) return
    await write({
      endpoint: contract.runs.cancel,
      start: `Stopping ${runName(run)}…`,
      send: () => client.runs.cancel({ projectId, runId: run.id }, asked),
      done: ({ status }) => `${runName(run)} is ${status}.`,
    })
  }

  const rerun = async (run: EvalRun): Promise<void> => {
    const preview = await runTask({
      start: `Asking what a rerun of ${runName(run)} would run…`,
      work: () => client.runs.rerunPreview({ projectId, runId: run.id }, asked),
    })
    if (!preview) return
    const obstacle = rerunObstacle(preview)
    if (obstacle) {
      toasts.show('warn', obstacle)
      return
    }
    const cases = plural(preview.selectedCaseCount, 'case')
    const agreed = await confirm({
      title: `Rerun the failed cases of ${runName(run)}?`,
      lines: [...previewLines(preview), COST],
      action: `Rerun ${cases}`,
    })
    if (!agreed) return
    const body = { scope: 'failed_cases' as const }
    const launched = await write({
      endpoint: contract.runs.rerun,
      start: `Launching a rerun of ${cases}…`,
      send: () => client.runs.rerun({ projectId, runId: run.id, body }, asked),
      done: () => `Rerun of ${cases} launched.`,
    })
    if (launched?.runId) onLaunched(launched.runId)
  }

  return { launch, cancel, rerun, canCancel: (run: EvalRun) => !isTerminalRunStatus(run.status) }
}
