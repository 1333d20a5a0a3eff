import type { AnyEndpoint, OutputOf } from '../../api/contract/endpoint.ts'
import { failureSentence } from '../../api/client/errors/error-text.ts'
import type { TextProblem, YamlDocument } from '../../lib/yaml/yaml-reading.ts'
import type { CallOptions } from '../../api/client/client.ts'
import { changeLine, type Change } from '../../domain/suites/changes.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { useConfirm } from '../../components/confirm.tsx'
import { useEditor, type Edited, useStoredTexts } from '../../components/editor/use-editor.tsx'
import { useFormDialog } from '../../components/form/form-dialog.tsx'
import { useOpening } from '../../components/opening.tsx'
import { useReview } from '../../components/review.tsx'
import { useTextOverlay } from '../../components/text-overlay.tsx'
import { useToasts } from '../../components/toasts.tsx'
import type { Line } from '../../components/viewer.tsx'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWrites, type ActOf } from '../../hooks/use-write.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { useOutcomes } from './outcomes.tsx'

/**
 * Returns what every action of authoring needs: the editor, questions, and a function that writes and reports the
 * outcome.
 */
export function useAuthoring(projectId: string) {
  const { client, profile } = useWorkspace()
  const write = useWrites()
  const edit = useEditor()
  const keptTexts = useStoredTexts()
  const opening = useOpening(useRunTask())
  const confirm = useConfirm()
  const review = useReview()
  const ask = useFormDialog()
  const showOutcomes = useOutcomes()
  const showText = useTextOverlay()
  const toasts = useToasts()
  const { symbols } = useTheme()
  /** Reads what an action needs; `work` passes the options on, so that a key can stop it. */
  const read = <T>(start: string, work: (call: CallOptions) => Promise<T>): Promise<T | undefined> =>
    opening({ start, work: signal => work({ signal }), stopped: 'Stopped reading; nothing was changed.' })
  /** Returns probable mistakes in documents whose rows are filled in. */
  const doubtsIn = async (documents: readonly YamlDocument[]): Promise<readonly TextProblem[]> => {
    const [{ documentFaults, serversOf }, { readCheckBasis }] = await Promise.all([
      import('../../domain/suites/case-faults.ts'),
      import('../../domain/suites/suite-store.ts'),
    ])
    const basis = await read('Checking the names of servers and tools…', call =>
      readCheckBasis(client, projectId, serversOf(documents), call),
    )
    return documents.flatMap(each => documentFaults(each, basis?.known ?? new Map(), basis?.models))
  }
  return {
    client,
    projectId,
    edit,
    keptTexts,
    confirm,
    review,
    ask,
    showOutcomes,
    showText,
    tell: (tone: 'ok' | 'warn' | 'error', text: string): void => toasts.show(tone, text),
    /** Returns the identity of a text, the same for the same subject from the same source. */
    keyOf: (...about: readonly string[]): string => [profile.name, profile.host, projectId, ...about].join('\n'),
    read,
    write,
    /**
     * Sends the edited text. If it is accepted, the stored text is discarded; if it is refused, it is kept with the
     * reason, at its line if the service names one. Resolves to the result, or to whether the person wants to correct
     * the text now.
     */
    sendEdited: async <E extends AnyEndpoint, V, T = OutputOf<E>>(
      edited: Edited<V>,
      act: ActOf<T, E>,
    ): Promise<{ value: T } | 'correct' | undefined> => {
      let refusal: unknown
      const value = await write<E, T>({ ...act, failed: error => void (refusal = error) })
      if (value !== undefined) {
        edited.discard()
        return { value }
      }
      const { refusalProblems } = await import('../../domain/suites/refusal-problems.ts')
      const problems = refusalProblems(refusal, edited.text)
      if (problems.length > 0) return (await edited.refuse(problems)) ? 'correct' : undefined
      edited.keep(refusal === undefined ? undefined : failureSentence(refusal))
      return undefined
    },
    doubtsIn,
    /** Returns probable mistakes in a text of cases: names that neither the contract nor the servers know. */
    doubts: async (text: string): Promise<readonly TextProblem[]> => {
      const { plainDocuments } = await import('../../domain/suites/case-faults.ts')
      const read = plainDocuments(text)
      return read.ok ? await doubtsIn(read.value) : read.problems
    },
    changeLines: (changes: readonly Change[]): Line[] =>
      changes.map(change => ({
        text: changeLine(change, symbols.crumb),
        tone: change.to === undefined ? 'warn' : 'plain',
        indent: 1,
      })),
  }
}

export type Authoring = ReturnType<typeof useAuthoring>
