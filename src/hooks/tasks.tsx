import { useQueryClient } from '@tanstack/react-query'
import { createListeners } from '../lib/listeners.ts'
import { createContext, useCallback, useContext, useState, useSyncExternalStore, type ReactNode } from 'react'
import { connectionFault } from '../api/client/errors/api-error.ts'
import { failureSentence } from '../api/client/errors/error-text.ts'
import { doubtConnection } from './connection-watch.ts'
import { useNotify, type Notify } from './notify.tsx'

/** Something under way that a person asked for. */
export type Task = {
  id: number
  /** What is being done, as a sentence that is not over: `Launching nightly…`. */
  text: string
  /** `share` of it never goes back, also where more turns out to be to do. */
  progress: { done: number; total: number; share: number } | undefined
  /** Whether it sends writes, whose end is not seen where the program ends before. */
  writes: boolean
  /** Gives it up; absent if that cannot be done, or was. */
  stop: (() => void) | undefined
  /** Whether it was given up, and what had begun is not over yet. */
  isStopping: boolean
}

type Tasks = {
  /** Shows a task until its `end`. */
  begin(task: Pick<Task, 'text' | 'writes' | 'stop'>): {
    progress: (done: number, total: number) => void
    stopping: () => void
    end: () => void
  }
  /** What is under way, oldest first; the same array until that changes. */
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

/** `onBegin` is called with each task before it shows. */
export function TasksProvider(props: { onBegin: () => void; children: ReactNode }) {
  const [tasks] = useState(() => createTasks(props.onBegin))
  return <TasksContext.Provider value={tasks}>{props.children}</TasksContext.Provider>
}

function useTasks(): Tasks {
  const tasks = useContext(TasksContext)
  if (!tasks) throw new Error('TasksProvider is missing')
  return tasks
}

/** What is under way, oldest first. */
export function useCurrentTasks(): readonly Task[] {
  const tasks = useTasks()
  return useSyncExternalStore(tasks.subscribe, tasks.current)
}

/** How something ended, when that is more than one good sentence. */
export type TaskResult = {
  /** Green where nothing else is said. */
  tone?: Parameters<Notify>[0]
  text: string
  /** Names the key for what may come next; shown after the text, and not repeated in reports. */
  next?: string
}

export type TaskRun<T> = {
  /** Shows while it runs: `Launching nightly…`. */
  start: string
  /**
   * The work; `progress` shows a bar. After a stop, `signal` is aborted, and what it answers or throws ends the task.
   */
  work: (task: {
    signal: AbortSignal
    /** Does what the key does that stops it. */
    stop: () => void
    progress: (done: number, total: number) => void
  }) => Promise<T>
  /** Says how it ended; without it the answer speaks for itself. */
  done?: (value: T) => string | TaskResult | undefined
  /** What holds when it was stopped; where this is given, a key stops it. */
  stopped?: string
  /** Whether the work sends writes. */
  writes?: boolean
}

/**
 * Does something a person asked for: its start shows at once, its end or what went wrong, with the next step, as a
 * sentence. Resolves to what came of it, `undefined` where it failed or was stopped; never rejects.
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
        if (controller.signal.aborted && stopped !== undefined) notify('warn', stopped)
        else notify('error', failureSentence(error))
        return undefined
      } finally {
        task.end()
      }
    },
    [tasks, notify, queryClient],
  )
}
