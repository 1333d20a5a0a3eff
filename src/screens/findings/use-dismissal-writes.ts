import { useQueryClient } from '@tanstack/react-query'
import { describeError } from '../../api/error-text.ts'
import { sendDismissals } from '../../api/findings/dismissal.ts'
import type { Finding } from '../../api/findings/finding.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { cachedFindings } from './cached.ts'
import type { RowNotes } from './use-findings.ts'

/** What was read just now. */
type Reread = {
  now: ReadonlyMap<string, Finding>
  /** Lists, by scenario, that could not be read: what is known of them is older. */
  unread: ReadonlySet<string | undefined>
}

/** Sends dismissals one after the other, and reads the lists before and after them. */
export function useDismissalWrites(projectId: string, notes: RowNotes) {
  const { client } = useWorkspace()
  const queryClient = useQueryClient()

  const send = (dismissed: boolean, signal: AbortSignal) => async (finding: Finding) => {
    const findingId = finding.id ?? ''
    const options = { signal, priority: 'asked' } as const
    const scenarioId = finding.scenario?.id
    const answer =
      scenarioId === undefined
        ? await client.journeyFindings[dismissed ? 'dismiss' : 'undismiss']({ projectId, findingId }, options)
        : await client.userTestingFindings[dismissed ? 'dismiss' : 'undismiss'](
            { projectId, scenarioId, findingId },
            options,
          )
    notes.note(finding.key, { answered: answer.dismissed ?? dismissed })
  }

  const cached = (): Map<string, Finding> =>
    new Map(
      cachedFindings(queryClient)
        .filter(each => each.projectId === projectId)
        .map(({ finding }) => [finding.key, finding]),
    )

  /** Reads the lists of these findings again. One that cannot be read takes none of the others down. */
  const reread = async (lists: readonly (string | undefined)[]): Promise<Reread> => {
    const unread = new Set<string | undefined>()
    const read = async (scenarioId: string | undefined): Promise<void> => {
      const queryKey =
        scenarioId === undefined
          ? ['journeyFindings', 'list', { projectId }]
          : ['userTestingFindings', 'list', { projectId, scenarioId }]
      try {
        await queryClient.refetchQueries({ queryKey }, { throwOnError: true })
      } catch {
        unread.add(scenarioId)
      }
    }
    await Promise.all([...new Set(lists)].map(read))
    return { now: cached(), unread }
  }

  /** After the writes: the lists tell the truth, or the answers do while a list cannot be read. */
  const readBack = async (findings: readonly Finding[]): Promise<ReadonlyMap<string, Finding>> => {
    const { now, unread } = await reread(listsOf(findings))
    if (unread.size === 0) notes.settle()
    return now
  }

  const work = async (
    findings: readonly Finding[],
    dismissed: boolean,
    task: { signal: AbortSignal; progress: (done: number, total: number) => void },
  ) => {
    task.progress(0, findings.length)
    notes.forget(findings.map(({ key }) => key))
    const outcome = await sendDismissals(findings, {
      send: send(dismissed, task.signal),
      signal: task.signal,
      onEach: (_finding, ended) => task.progress(ended, findings.length),
    })
    for (const { finding, error } of outcome.refused)
      notes.note(finding.key, { refused: describeError(error).title })
    return outcome
  }

  return { reread, readBack, work }
}

/** The lists that findings stand in: a scenario's, or that of the swarms. */
export function listsOf(findings: readonly Finding[]): (string | undefined)[] {
  return findings.map(({ scenario }) => scenario?.id)
}
