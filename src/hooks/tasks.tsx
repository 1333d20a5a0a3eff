import { useQueryClient } from '@tanstack/react-query'
import { createListeners } from '../lib/listeners.ts'
import { createContext, useCallback, useContext, useState, useSyncExternalStore, type ReactNode } from 'react'
import { ApiError, connectionFault } from '../api/client/errors/api-error.ts'
import { failureSentence } from '../api/client/errors/error-text.ts'
import { doubtConnection } from './connection-watch.ts'
import { useNotify, type Notify } from './notify.tsx'

/** Work in progress that a person asked for. */
export type Task = {
  id: number
  /** The work, as an unfinished sentence: `Launching nightly…`. */
  text: string
  /** `share` never decreases, even if more work turns up. */
  progress: { done: number; total: number; share: number } | undefined
  /** Whether it sends writes, whose outcome is not seen if the program ends first. */
  writes: boolean
  /** Cancels the task; absent if that is not possible, or already happened. */
  stop: (() => void) | undefined
  /** Whether it was cancelled, but requests in flight are not finished. */
  isStopping: boolean
}

type Tasks = {
  /** Shows a task until `end` is called. */
  begin(task: Pick<Task, 'text' | 'writes' | 'stop'>): {
    progress: (done: number, total: number) => void
    stopping: () => void
    end: () => void
  }
  /** Returns the tasks in progress, oldest first; the same array until that changes. */
  current(): readonly Task[]
  subscribe(listener: () => void): () => void
}

function createTasks(onBegin: () => void): Tasks {
  let tasks: readonly Task[] = []
  let next = 1
  const { subscribe, notify } = createListeners()
  const set = (value: readonly Task[]): void => {
    tasks = value
    notify()
  }
  return {
    begin(begun) {
      const id = next
      next += 1
      onBegin()
      set([...tasks, { ...begun, id, progress: undefined, isStopping: false }])
      const change = (changed: (task: Task) => Partial<Task>): void =>
        set(tasks.map(task => (task.id === id ? { ...task, ...changed(task) } : task)))
      return {
        progress: (done, total) =>
          change(({ progress }) => {
            const share = Math.max(progress?.share ?? 0, total > 0 ? done / total : 0)
            return { progress: { done, total, share } }
          }),
        stopping: () => change(() => ({ stop: undefined, isStopping: true })),
        end: () => set(tasks.filter(task => task.id !== id)),
      }
    },
    current: () => tasks,
    subscribe,
  }
}

const TasksContext = createContext<Tasks | undefined>(undefined)

/** `onBegin` is called with each task before it is shown. */
export function TasksProvider(props: { onBegin: () => void; children: ReactNode }) {
  const [tasks] = useState(() => createTasks(props.onBegin))
  return <TasksContext.Provider value={tasks}>{props.children}</TasksContext.Provider>
}

function useTasks(): Tasks {
  const tasks = useContext(TasksContext)
  if (!tasks) throw new Error('TasksProvider is missing')
  return tasks
}

/** Returns the tasks in progress, oldest first. */
export function useCurrentTasks(): readonly Task[] {
  const tasks = useTasks()
  return useSyncExternalStore(tasks.subscribe, tasks.current)
}

/** The result of a task, if it is more than one sentence of success. */
export type TaskResult = {
  /** By default the tone of success. */
  tone?: Parameters<Notify>[0]
  text: string
  /** Names the key for a possible next step; shown after the text, and not repeated in reports. */
  next?: string
}

export type TaskRun<T> = {
  /** Shown while it runs: `Launching nightly…`. */
  start: string
  /** The work; `progress` shows a bar. Stopping aborts `signal`; then the task ends when the work returns or throws. */
  work: (task: {
    signal: AbortSignal
    /** Stops the task, as its key does. */
    stop: () => void
    progress: (done: number, total: number) => void
  }) => Promise<T>
  /** Returns the text of the result; if absent, the result needs no message. */
  done?: (value: T) => string | TaskResult | undefined
  /**
   * Message after it was stopped, unless a write that it did not cancel lost its answer; if given, a key stops the
   * task.
   */
  stopped?: string
  /** Whether the work sends writes. */
  writes?: boolean
}

/**
 * Runs work that a person asked for: shows its start at once, and its result or failure, with the next step, as a
 * sentence. Resolves to the result, `undefined` if it failed or was stopped; never rejects.
 */
export function useRunTask(): <T>(run: TaskRun<T>) => Promise<T | undefined> {
  const tasks = useTasks()
  const notify = useNotify()
  const queryClient = useQueryClient()
  return useCallback(
    async <T,>({ start, work, done, stopped, writes = false }: TaskRun<T>) => {
      const controller = new AbortController()
      const stop = (): void => {
        task.stopping()
        controller.abort()
      }
      const task = tasks.begin({ text: start, writes, stop: stopped === undefined ? undefined : stop })
      try {
        const value = await work({ signal: controller.signal, stop, progress: task.progress })
        const result = done?.(value)
        if (typeof result === 'string') notify('ok', result)
        else if (result) notify(result.tone ?? 'ok', [result.text, result.next].filter(Boolean).join(' '))
        return value
      } catch (error) {
        if (connectionFault(error) !== undefined) doubtConnection(queryClient)
        if (controller.signal.aborted && stopped !== undefined && !hasLostAnswer(error)) notify('warn', stopped)
        else notify('error', failureSentence(error))
        return undefined
      } finally {
        task.end()
      }
    },
    [tasks, notify, queryClient],
  )
}

/** Whether a write may have happened anyway. One that the stop itself cancelled is covered by the task's sentence. */
function hasLostAnswer(error: unknown): boolean {
  return error instanceof ApiError && error.leavesDoubt && error.kind !== 'aborted'
}
