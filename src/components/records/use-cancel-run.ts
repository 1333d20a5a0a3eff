import { unlessEnded } from '../../api/client/errors/api-error.ts'
import { contract } from '../../api/contract/contract.ts'
import { useWrite } from '../../hooks/use-write.tsx'

/** Cancels a run in flight, after saying what that does; `name` is what the person knows it by. */
export function useCancelRun(projectId: string): (runId: string, name: string) => Promise<void> {
  const cancel = useWrite(contract.runs.cancel)
  return async (runId, name) => {
    await cancel({
      confirm: {
        title: `Cancel ${name}?`,
        lines: [
          'Running trials stop, waiting ones never start. Its run slot becomes free.',
          'Results so far stay readable.',
        ],
        action: 'Stop the run',
        decline: 'Keep it running',
      },
      work: ({ send }) => unlessEnded(send(contract.runs.cancel, { projectId, runId })),
      start: `Stopping ${name}…`,
      done: stopped =>
        stopped
          ? `${name} is ${stopped.status}.`
          : { tone: 'warn', text: `Nothing was stopped: ${name} had already ended.` },
    })
  }
}
