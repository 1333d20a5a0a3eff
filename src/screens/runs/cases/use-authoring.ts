import type { AnyEndpoint } from '../../../api/contract/endpoint.ts'
import { changeLine, type Change } from '../../../api/authoring/changes.ts'
import { useTheme } from '../../../app/theme/theme-context.tsx'
import { useConfirm } from '../../../components/confirm.tsx'
import { useEditor, useKeptTexts } from '../../../components/editor/use-editor.tsx'
import { useReview } from '../../../components/review.tsx'
import { useTextOverlay } from '../../../components/text-overlay.tsx'
import { useToasts } from '../../../components/toasts.tsx'
import type { Line } from '../../../components/viewer.tsx'
import { useRunTask } from '../../../hooks/tasks.tsx'
import { useWrite } from '../../../hooks/use-write.ts'
import { useWorkspace } from '../../../hooks/workspace.tsx'
import { useFieldsDialog } from './fields-dialog.tsx'
import { useOutcomes } from './outcomes.tsx'

/** Requests of what a person just asked for. */
export const ASKED = { priority: 'asked' } as const

type Progress = { progress: (done: number, total: number) => void }
export type Write<T> = {
  endpoints: readonly AnyEndpoint[]
  start: string
  send: (task: Progress) => Promise<T>
  done?: (value: T) => string | { tone: 'ok' | 'warn' | 'error'; text: string }
}

/** What every act of authoring needs: the editor, questions, and a way to write that tells its end. */
export function useAuthoring(projectId: string) {
  const { client, profile } = useWorkspace()
  const write = useWrite()
  const edit = useEditor()
  const keptTexts = useKeptTexts()
  const runTask = useRunTask()
  const confirm = useConfirm()
  const review = useReview()
  const ask = useFieldsDialog()
  const showOutcomes = useOutcomes()
  const showText = useTextOverlay()
  const toasts = useToasts()
  const { symbols } = useTheme()
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
    /** What a text is about, the same for the same thing of the same source. */
    keyOf: (...about: readonly string[]): string =>
      [profile.name, profile.host, projectId, ...about].join('\n'),
    read: <T>(start: string, work: () => Promise<T>): Promise<T | undefined> => runTask({ start, work }),
    /** Sends writes, and reads what they made out of date whatever came of them. */
    write: <T>({ endpoints, start, send, done }: Write<T>): Promise<T | undefined> =>
      runTask({
        start,
        work: task => write(endpoints, () => send(task)),
        ...(done && { done }),
      }),
    changeLines: (changes: readonly Change[]): Line[] =>
      changes.map(change => ({
        text: changeLine(change, symbols.crumb),
        tone: change.to === undefined ? 'warn' : 'plain',
        indent: 1,
      })),
  }
}

export type Authoring = ReturnType<typeof useAuthoring>
