import { contract } from '../../api/contract/contract.ts'
import { isTerminalRunStatus, type EvalRun } from '../../api/contract/runs.ts'
import { useConfirm } from '../../components/confirm.tsx'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWrite } from '../../hooks/use-write.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { useLaunch } from './launch/use-launch.tsx'

function runName(run: Pick<EvalRun, 'id' | 'runNumber'>): string {
  return run.runNumber == null ? `run ${run.id}` : `run #${run.runNumber}`
}

/** Launch and cancel: each says its effect, asks, acts once, and tells what became of it. */
export function useRunActions(projectId: string, onLaunched: (runId: string) => void) {
  const { client } = useWorkspace()
  const write = useWrite()
  const confirm = useConfirm()
  const runTask = useRunTask()
  const launch = useLaunch(projectId, onLaunched)
  const asked = { priority: 'asked' } as const

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
    await runTask({
      start: `Stopping ${runName(run)}…`,
      work: () => write(contract.runs.cancel, () => client.runs.cancel({ projectId, runId: run.id }, asked)),
      done: ({ status }) => `${runName(run)} is ${status}.`,
    })
  }

  return { launch, cancel, canCancel: (run: EvalRun) => !isTerminalRunStatus(run.status) }
}
