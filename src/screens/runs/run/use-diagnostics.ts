import { useState } from 'react'
import { isTerminalRunStatus, type Diagnostics, type EvalRun } from '../../../api/contract/runs.ts'
import { describeError, type ErrorText } from '../../../api/client/errors/error-text.ts'
import { ownName, useEach } from '../../../hooks/use-each.ts'
import { useWorkspace } from '../../../hooks/workspace.tsx'

export type Failure = NonNullable<NonNullable<Diagnostics['failures']>[number]>

/** The failures of a run, as far as their pages were read. */
export type FailurePages = {
  failures: readonly Failure[]
  /** Number of trials that the service examined for this; undefined if it does not say. */
  scanned: number | undefined
  /** Whether the service says, or its last page shows, that there is nothing more. */
  isComplete: boolean
  problem: ErrorText | undefined
  isReading: boolean
  /** Reads the next page; undefined if there is none. */
  more: (() => void) | undefined
}

/**
 * Reads the failures of a run: the first page is part of the run; each further page is requested with the cursor of the
 * previous page.
 */
export function useDiagnostics(projectId: string, run: EvalRun): FailurePages {
  const { queries } = useWorkspace()
  const first = run.decisionSummary?.diagnostics ?? undefined
  const [asked, setAsked] = useState<{ from: string | undefined; cursors: readonly string[] }>(NONE_ASKED)
  const from = first?.nextCursor ?? undefined
  // Another first page, such as that of a run in flight, starts over.
  const cursors = asked.from === from ? asked.cursors : NONE_ASKED.cursors
  const { reads: pages } = useEach(cursors, {
    nameOf: ownName,
    options: cursor => ({
      ...queries.runs.get.options({ projectId, runId: run.id, cursor }),
      // An ended run has no further failures.
      ...(isTerminalRunStatus(run.status) && { staleTime: Infinity }),
    }),
    most: Infinity,
  })
  const read = pages.map(page => page.data?.decisionSummary?.diagnostics ?? undefined)
  const all = [first, ...read].filter(page => page !== undefined)
  const failed = pages.find(page => page.error)
  const last = cursors.length === 0 ? first : read.at(-1)
  const next = last?.nextCursor || undefined
  const isReading = pages.some(page => page.isPending && page.isFetching)
  // A repeated cursor would page forever.
  const isNew = next !== undefined && !cursors.includes(next)
  return {
    failures: all.flatMap(page => page.failures ?? []),
    scanned: all.reduce<number | undefined>(
      (sum, { scannedIterations }) => (scannedIterations == null ? sum : (sum ?? 0) + scannedIterations),
      undefined,
    ),
    isComplete: first?.complete === true || (cursors.length > 0 && last !== undefined && !next),
    problem: failed?.error ? describeError(failed.error) : undefined,
    isReading,
    more: failed
      ? () => void failed.refetch()
      : isNew && !isReading
        ? () => setAsked({ from, cursors: [...cursors, next] })
        : undefined,
  }
}

const NONE_ASKED = { from: undefined, cursors: [] as readonly string[] }
