import { unlessEnded } from '../../api/client/errors/api-error.ts'
import { contract } from '../../api/contract/contract.ts'
import { cancelRun } from '../../domain/runs/actions.ts'
import { useAction } from '../../hooks/use-write.tsx'

/** Cancels a run in flight, after describing the effect; `name` is the name that the person knows. */
export function useCancelRun(projectId: string): (runId: string, name: string) => Promise<void> {
  const cancel = useAction(cancelRun)
  return async (runId, name) => {
    await cancel({ name }, { work: ({ send }) => unlessEnded(send(contract.runs.cancel, { projectId, runId })) })
  }
}
