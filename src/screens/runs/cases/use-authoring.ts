import { useQueryClient } from '@tanstack/react-query'
import type { AnyEndpoint } from '../../../api/contract/endpoint.ts'
import type { CallOptions } from '../../../api/client.ts'
import { refresh } from '../../../api/queries.ts'
import { changeLine, type Change } from '../../../api/authoring/changes.ts'
import { useTheme } from '../../../app/theme/theme-context.tsx'
import { useConfirm } from '../../../components/confirm.tsx'
import { useEditor, useKeptTexts } from '../../../components/editor/use-editor.tsx'
import { useReview } from '../../../components/review.tsx'
import { useTextOverlay } from '../../../components/text-overlay.tsx'
import { useToasts } from '../../../components/toasts.tsx'
import type { Line } from '../../../components/viewer.tsx'
import { useRunTask } from '../../../hooks/tasks.tsx'
import { useWorkspace } from '../../../hooks/workspace.tsx'
import { useFieldsDialog } from './fields-dialog.tsx'
import { useOutcomes } from './outcomes.tsx'

/** Requests of what a person just asked for. */
export const ASKED = { priority: 'asked' } as const

type Task = { progress: (done: number, total: number) => void; signal: AbortSignal }
export type Write<T> = {
  endpoints: readonly AnyEndpoint[]
  start: string
  send: (task: Task) => Promise<T>
  done?: (value: T) => string | { tone: 'ok' | 'warn' | 'error'; text: string }
  /** What holds when it was stopped; where this is given, a key stops it, and `send` heeds the signal. */
  stopped?: string
}

/** What every act of authoring needs: the editor, questions, and a way to write that tells its end. */
export function useAuthoring(projectId: string) {
  const { client, profile } = useWorkspace()
  const queryClient = useQueryClient()
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
    /** Reads what an action needs; `work` passes the options on, so that a key can stop it. */
    read: <T>(start: string, work: (call: CallOptions) => Promise<T>): Promise<T | undefined> =>
      runTask({
        start,
        work: ({ signal }) => work({ ...ASKED, signal }),
        stopped: 'Stopped reading; nothing was changed.',
      }),
    /** Sends writes, and reads what they made out of date whatever came of them. */
    write: <T>({ endpoints, start, send, done, stopped }: Write<T>): Promise<T | undefined> =>
      runTask({
        start,
        work: async task => {
          try {
            return await send(task)
          } finally {
            for (const endpoint of endpoints) await refresh(queryClient, endpoint)
          }
        },
        ...(done && { done }),
        ...(stopped !== undefined && { stopped }),
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
