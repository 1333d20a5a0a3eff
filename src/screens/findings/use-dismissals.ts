import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef } from 'react'
import { batchOf, carriedOut, planDismissals, planUndo, type DismissalBatch } from '../../domain/findings/dismissal.ts'
import { contract } from '../../api/contract/contract.ts'
import type { Finding } from '../../domain/findings/finding.ts'
import { plural } from '../../lib/format.ts'
import type { ListState } from '../../components/list/use-list.ts'
import { useNotify } from '../../hooks/notify.tsx'
import { useWrites } from '../../hooks/use-write.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import type { FindingRow } from './columns.ts'
import { dismissalQuestion, dismissalSentence, undoSentence } from './dismissal-labels.ts'
import { listed, useDismissalWrites } from './use-dismissal-writes.ts'
import type { RowNotes } from './use-findings.ts'

type Dismissals = {
  /** Dismisses findings, or shows them again, after a question. */
  change(findings: readonly FindingRow[], dismissed: boolean, undoKey: string): Promise<void>
  /** Undoes the last change, or reports that there is none. */
  undo(): Promise<void>
}

const { journeyFindings, userTestingFindings } = contract
/**
 * The writes that dismiss findings or show them again. Afterwards only parts of the long lists are read, within the
 * budget.
 */
const DISMISSALS = {
  endpoint: [
    journeyFindings.dismiss,
    journeyFindings.undismiss,
    userTestingFindings.dismiss,
    userTestingFindings.undismiss,
  ],
  rereads: false,
} as const

/** Dismisses findings and shows them again, one at a time within the budget; changes by others are kept. */
export function useDismissals(
  projectId: string,
  { list, notes }: { list: ListState<FindingRow>; notes: RowNotes },
): Dismissals {
  const { budget } = useWorkspace()
  const write = useWrites()
  const notify = useNotify()
  const last = useLastBatch(projectId)

  /** The read after the last change; it never rejects. */
  const reading = useRef<Promise<void>>(undefined)
  const { reread, readBack, work } = useDismissalWrites(projectId, notes)

  const unmark = (findings: readonly Pick<Finding, 'key'>[]): void => {
    for (const { key } of findings) if (list.marks.has(key)) list.marks.toggle(key)
  }

  const change: Dismissals['change'] = async (findings, dismissed, undoKey) => {
    const asked = planDismissals(findings, dismissed)
    const shown = new Set(list.items.map(({ key }) => key))
    await write({
      ...DISMISSALS,
      confirm: dismissalQuestion({
        plan: asked,
        dismissed,
        hidden: findings.filter(({ key }) => !shown.has(key)).length,
        unlimited: budget.snapshot().unlimited,
      }),
      start:
        `${dismissed ? 'Dismissing' : 'Showing'} ` +
        `${plural(asked.send.length, 'finding')}${dismissed ? '' : ' again'}…`,
      stopped: 'Stopped before anything was sent.',
      work: async task => {
        const { now: before } = await reread(listed(asked.send))
        task.signal.throwIfAborted()
        const wanted = asked.send.map(finding => before.get(finding.key) ?? finding)
        const plan = planDismissals(wanted, dismissed)
        const outcome = await work(plan.send, dismissed, task)
        unmark([...outcome.done, ...plan.already, ...asked.already])
        if (outcome.done.length > 0) last.set(batchOf(dismissed, outcome.done, new Map()))
        const batch = last.get()
        // The answers are shown at once; the state in the service is read for undo, and to settle lost answers.
        const readLeft = async (): Promise<void> => {
          const left = await readBack(asked.send)
          const found = carriedOut(outcome, dismissed, left)
          notes.forget(found.map(({ key }) => key))
          unmark(found)
          const done = [...outcome.done, ...found]
          if (done.length > 0 && last.get() === batch) last.set(batchOf(dismissed, done, left))
        }
        reading.current = readLeft()
        return { outcome, already: plan.already.length, total: asked.send.length }
      },
      done: result => dismissalSentence(result, dismissed, undoKey),
    })
  }

  const undo = async (): Promise<void> => {
    const batch = last.get()
    if (!batch) {
      notify('warn', 'There is nothing to undo: nothing was dismissed or shown again here yet.')
      return
    }
    await write({
      ...DISMISSALS,
      start: `Undoing ${plural(batch.entries.length, batch.dismissed ? 'dismissal' : 'showing')}…`,
      stopped: 'Stopped before anything was undone.',
      work: async task => {
        await reading.current
        const { now, unread } = await reread(batch.entries)
        task.signal.throwIfAborted()
        const plan = planUndo(last.get() ?? batch, now, unread)
        const outcome = await work(plan.send, !batch.dismissed, task)
        void readBack(plan.send)
        const left = new Set(
          [...outcome.unsent, ...[...outcome.refused, ...outcome.doubtful].map(({ finding }) => finding)].map(
            ({ key }) => key,
          ),
        )
        const entries = batch.entries.filter(({ key, scenarioId }) => left.has(key) || unread.has(scenarioId))
        last.set(entries.length > 0 ? { ...batch, entries } : undefined)
        return { plan, outcome }
      },
      done: result => undoSentence(result, batch.dismissed),
    })
  }

  return { change, undo }
}

/**
 * Returns the last change of a project, kept while the program runs, so that it can be undone after visiting another
 * screen.
 */
function useLastBatch(projectId: string) {
  const queryClient = useQueryClient()
  const get = useCallback(
    () => queryClient.getQueryData<DismissalBatch | null>(['findings undo', projectId]) ?? undefined,
    [queryClient, projectId],
  )
  const set = useCallback(
    (batch: DismissalBatch | undefined) => {
      queryClient.setQueryDefaults(['findings undo'], { gcTime: Infinity })
      queryClient.setQueryData<DismissalBatch | null>(['findings undo', projectId], batch ?? null)
    },
    [queryClient, projectId],
  )
  return { get, set }
}
