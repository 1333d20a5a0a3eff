import { useQueryClient } from '@tanstack/react-query'
import { contract } from '../../api/contract/contract.ts'
import { describeError } from '../../api/client/errors/error-text.ts'
import { sendDismissals } from '../../domain/findings/dismissal.ts'
import type { Finding } from '../../domain/findings/finding.ts'
import { rereadSwarmPages, shareSwarmPages, swarmPagesKey } from '../../api/client/cache/swarm-pages.ts'
import type { WriteTask } from '../../hooks/use-write.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { cachedFindings } from './cached.ts'
import type { RowNotes } from './use-findings.ts'

/** The results of the last read. */
type Reread = {
  now: ReadonlyMap<string, Finding>
  /** Scenarios whose list could not be read again, so that what is known of their findings is older. */
  unread: ReadonlySet<string | undefined>
}

/** Sends dismissals one after the other, and reads the lists before and after them. */
export function useDismissalWrites(projectId: string, notes: RowNotes) {
  const { client, budget } = useWorkspace()
  const queryClient = useQueryClient()

  const requestOf = ({ id = '', scenario }: Finding, dismissed: boolean) => {
    const name = dismissed ? 'dismiss' : 'undismiss'
    return scenario === undefined
      ? { endpoint: contract.journeyFindings[name], input: { projectId, findingId: id } }
      : { endpoint: contract.userTestingFindings[name], input: { projectId, scenarioId: scenario.id, findingId: id } }
  }

  const send =
    (dismissed: boolean, { send: to, signal }: WriteTask) =>
    async (finding: Finding) => {
      const { endpoint, input } = requestOf(finding, dismissed)
      const answer = await to<typeof endpoint>(endpoint, input, { signal })
      notes.note(finding.key, { answered: answer.dismissed ?? dismissed })
    }

  const cached = (): Map<string, Finding> =>
    new Map(
      cachedFindings(queryClient)
        .filter(each => each.projectId === projectId)
        .map(({ finding }) => [finding.key, finding]),
    )

  /** If requests are limited, reads only the pages of the swarms' list that contain these findings. */
  const readSwarm = async (ids: ReadonlySet<string>): Promise<void> => {
    const isCheap = budget.snapshot().unlimited
    if (isCheap || !(await rereadSwarmPages(client, queryClient, { projectId, ids })))
      await queryClient.refetchQueries({ queryKey: swarmPagesKey(projectId), exact: true }, { throwOnError: true })
    shareSwarmPages(queryClient, projectId)
  }

  /** Reads the lists of these findings again. A list that cannot be read does not affect the others. */
  const reread = async (findings: readonly Listed[]): Promise<Reread> => {
    const unread = new Set<string | undefined>()
    const read = async (scenarioId: string | undefined): Promise<void> => {
      try {
        if (scenarioId === undefined)
          await readSwarm(new Set(findings.flatMap(each => (each.scenarioId ? [] : (each.id ?? [])))))
        else
          await queryClient.refetchQueries(
            { queryKey: ['userTestingFindings', 'list', { projectId, scenarioId }] },
            { throwOnError: true },
          )
      } catch {
        unread.add(scenarioId)
      }
    }
    await Promise.all([...new Set(findings.map(({ scenarioId }) => scenarioId))].map(read))
    return { now: cached(), unread }
  }

  /**
   * After the writes: reads the lists again and returns their findings. The answers about findings whose list cannot be
   * read are kept.
   */
  const readBack = async (findings: readonly Finding[]): Promise<ReadonlyMap<string, Finding>> => {
    const { now, unread } = await reread(listed(findings))
    notes.settle(findings.filter(({ scenario }) => !unread.has(scenario?.id)).map(({ key }) => key))
    return now
  }

  const work = async (findings: readonly Finding[], dismissed: boolean, task: WriteTask) => {
    task.progress(0, findings.length)
    notes.forget(findings.map(({ key }) => key))
    await task.plan(findings.map(finding => requestOf(finding, dismissed)))
    const outcome = await sendDismissals(findings, {
      send: send(dismissed, task),
      signal: task.signal,
      onEach: (_finding, ended) => task.progress(ended, findings.length),
    })
    for (const { finding, error } of [...outcome.refused, ...outcome.doubtful])
      notes.note(finding.key, { refused: describeError(error).title })
    return outcome
  }

  return { reread, readBack, work }
}

/** A finding and its list: that of a scenario or, without `scenarioId`, that of the swarms. */
export type Listed = { id: string | undefined; scenarioId: string | undefined }

export function listed(findings: readonly Finding[]): Listed[] {
  return findings.map(({ id, scenario }) => ({ id, scenarioId: scenario?.id }))
}
