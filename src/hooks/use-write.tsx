import { useQueryClient, type QueryFilters } from '@tanstack/react-query'
import { createContext, useCallback, useContext, type ReactNode } from 'react'
import { ApiError } from '../api/client/errors/api-error.ts'
import type { CallOptions } from '../api/client/client.ts'
import type { PlannedWrite } from '../api/client/journal/entry.ts'
import type { Intent } from '../api/client/journal/journal.ts'
import {
  newIdempotencyKey,
  type AnyEndpoint,
  type InputOf,
  type OutputOf,
  type Risk,
} from '../api/contract/endpoint.ts'
import { refresh } from '../api/client/cache/queries.ts'
import type { Action } from '../domain/writes/action.ts'
import type { Question } from '../domain/writes/question.ts'
import { useRunTask, type TaskRun } from './tasks.tsx'
import { useWorkspace } from './workspace.tsx'

type Confirm = (question: Question) => Promise<boolean>

const ConfirmContext = createContext<Confirm>(() => Promise.reject(new Error('ConfirmProvider is missing')))

/** Provides the dialog that asks before writes. */
export function ConfirmProvider(props: { confirm: Confirm; children: ReactNode }) {
  return <ConfirmContext.Provider value={props.confirm}>{props.children}</ConfirmContext.Provider>
}

/** Risks that require a question before sending. A plain write can be undone by another change. */
const ASKS_FIRST: ReadonlySet<Risk> = new Set(['spend', 'end', 'expose', 'delete'])

/** Thrown by the work of a write if nothing should be sent after all; its message says why. */
export class NotSent extends Error {
  override readonly name = 'NotSent'
}

/**
 * Sends one request of the write: with the priority of a person, under the intent's key if the endpoint takes one, or
 * under that of `call` if it is one of several. Stopping the task does not cancel it, so that its outcome is known,
 * unless it receives the task's `signal`.
 */
type Send = <E extends AnyEndpoint>(
  endpoint: E,
  input: InputOf<E>,
  call?: Pick<CallOptions, 'signal' | 'idempotencyKey' | 'onProgress'>,
) => Promise<OutputOf<E>>

/**
 * The arguments of a write's work: the running task, functions to send, and one to refresh data before it has ended.
 */
export type WriteTask = Parameters<TaskRun<unknown>['work']>[0] & {
  send: Send
  refresh: () => void
  /**
   * Records the writes that are about to be sent one after the other: if the work is interrupted, the remaining ones
   * are reported and offered.
   */
  plan: (writes: readonly PlannedWrite[]) => Promise<void>
}

/** One write, from its question to the sentence about its outcome. */
export type Act<T, E extends AnyEndpoint = AnyEndpoint> = Pick<TaskRun<T>, 'start' | 'done' | 'stopped'> & {
  /**
   * The question before sending, if the endpoint's risk or the caller requires one; `done` if a form or review already
   * asked.
   */
  confirm?: Question | 'done'
  /** Key of an intent that outlives this act; by default a new one for each request. */
  idempotencyKey?: string
  /** Which of the reads that it makes stale are repeated; `false` if the caller does that itself. */
  rereads?: QueryFilters['predicate'] | false
  /** Receives the failure before the person sees it. */
  failed?: (error: unknown) => void
} & ({ input: InputOf<E> } | { work: (task: WriteTask) => Promise<T> })

/** An act with the endpoints that it may call; the data affected by any of these is read again afterwards. */
export type ActOf<T, E extends AnyEndpoint = AnyEndpoint> = Act<T, E> & { endpoint: E | readonly AnyEndpoint[] }

/**
 * Runs every write of a screen: asks first, sends with priority, shows the running task, and reports its outcome or
 * failure with the next step. Resolves as soon as the answer is known, to `undefined` if there is none. Data that the
 * write made stale is read again afterwards, also after an error that leaves its effect open, without anybody waiting
 * for it.
 */
export function useWrites(): <E extends AnyEndpoint, T = OutputOf<E>>(act: ActOf<T, E>) => Promise<T | undefined> {
  const queryClient = useQueryClient()
  const { client, journal } = useWorkspace()
  const confirm = useContext(ConfirmContext)
  const runTask = useRunTask()
  return useCallback(
    async <E extends AnyEndpoint, T>(act: ActOf<T, E>) => {
      const endpoints = [act.endpoint].flat() as readonly AnyEndpoint[]
      if (!(await isAgreed(act.confirm, endpoints, confirm))) return undefined
      const inputs: object[] = []
      const refreshAll = (): void => {
        const { rereads } = act
        if (rereads === false) return
        for (const endpoint of endpoints)
          refresh(queryClient, endpoint, { inputs, ...(rereads && { predicate: rereads }) })
      }
      const startedAt = Date.now()
      const ended = await runTask<{ value: T } | { unsent: string }>({
        start: act.start,
        writes: true,
        ...(act.stopped !== undefined && { stopped: act.stopped }),
        async work(task) {
          let wasAnswered = false
          const send: Send = async (endpoint, input, call) => {
            inputs.push(input)
            const takesKey = endpoint.idempotency === 'header'
            const key = call?.idempotencyKey ?? act.idempotencyKey
            const idempotencyKey = takesKey ? (key ?? newIdempotencyKey()) : undefined
            const answer = await client.call(endpoint, input, { ...call, idempotencyKey })
            wasAnswered = true
            return answer
          }
          let settle: Intent['settle'] | undefined
          const plan: WriteTask['plan'] = async writes => void (settle = await journal?.plan(writes))
          try {
            const value =
              'work' in act
                ? await act.work({ ...task, send, refresh: refreshAll, plan })
                : ((await send(endpoints[0]!, act.input as InputOf<AnyEndpoint>)) as T)
            refreshAll()
            settle?.({ outcome: 'succeeded', result: {} })
            return { value }
          } catch (error) {
            settle?.({ outcome: task.signal.aborted ? 'refused' : 'unknown', code: 'broken-off' })
            const isUnsent = error instanceof NotSent || (error instanceof ApiError && !error.sent)
            // Of several writes, the earlier ones took effect.
            if (wasAnswered || !isUnsent) refreshAll()
            if (error instanceof NotSent) return { unsent: error.message }
            act.failed?.(error)
            // Only the service knows what is missing and how to get it.
            if (error instanceof ApiError && error.code === 'FEATURE_NOT_SUPPORTED') return { unsent: error.message }
            throw error
          }
        },
        done(result) {
          if ('unsent' in result) return { tone: 'warn', text: result.unsent }
          const said = act.done?.(result.value)
          const operations = endpoints.map(({ operation }) => operation)
          // A failure to write the shift report must not hide what was just done.
          if (said !== undefined)
            journal?.tell(operations, startedAt, typeof said === 'string' ? said : said.text).catch(() => undefined)
          return said
        },
      })
      return ended && 'value' in ended ? ended.value : undefined
    },
    [queryClient, client, journal, confirm, runTask],
  )
}

/** Returns the writes of one endpoint. */
export function useWrite<E extends AnyEndpoint>(
  endpoint: E,
): <T = OutputOf<E>>(act: Act<T, E>) => Promise<T | undefined> {
  const write = useWrites()
  return useCallback(act => write({ ...act, endpoint }), [write, endpoint])
}

/** Returns the writes of a declared action: its subject, and how it is sent. */
export function useAction<E extends AnyEndpoint, Of, Done>({
  endpoint,
  question,
  progress,
  done,
}: Action<E, Of, Done>): (
  of: Of,
  how: Pick<Act<Done, E>, 'rereads'> & { work: (task: WriteTask) => Promise<Done> },
) => Promise<Done | undefined> {
  const write = useWrites()
  return async (of, how) =>
    await write<E, Done>({
      ...how,
      endpoint,
      confirm: question(of),
      start: progress(of),
      done: value => done(value, of),
    })
}

async function isAgreed(
  question: Question | 'done' | undefined,
  endpoints: readonly AnyEndpoint[],
  confirm: Confirm,
): Promise<boolean> {
  if (question !== undefined) return question === 'done' || (await confirm(question))
  const risky = endpoints.find(({ risk }) => ASKS_FIRST.has(risk))
  if (risky) throw new TypeError(`${risky.operation} is never sent without a question`)
  return true
}
