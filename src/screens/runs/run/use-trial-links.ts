import type { Cause } from '../../../domain/runs/causes.ts'
import { useRouter } from '../../../tui/router/router-context.tsx'
import { useToasts } from '../../../components/toasts.tsx'
import type { Trials } from '../trial/use-trials.ts'
import type { RunData } from '../use-runs-data.ts'

/** The ways from what is said of a run to its trials. */
export function useTrialLinks(data: RunData, { list }: Trials) {
  const router = useRouter()
  const toasts = useToasts()
  return {
    /** The trials of one cause, or all of them. */
    openCause(cause: Cause | undefined): void {
      list.setFilter(cause === undefined ? '' : `cause:${cause}`)
      router.replace({ tab: 'trials', rows: undefined })
    },
    openTrial(iterationId: string): void {
      list.setFilter('')
      if (!data.trials.some(({ id }) => id === iterationId)) {
        toasts.show(
          'warn',
          'That trial has not been read yet; more trials are read as one goes down their list.',
        )
        router.replace({ tab: 'trials', rows: undefined })
        return
      }
      list.selection.select(iterationId)
      router.replace({ tab: 'trial', iterationId, rows: undefined })
    },
  }
}
