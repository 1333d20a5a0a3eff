import type { OutputOf, ParsedInputOf, PathParameter } from '../../api/contract/endpoint.ts'
import type { ApiRequest, ApiResponse, OnProgress } from '../../api/contract/message.ts'
import type { Caller } from './access.ts'
import type { Background } from './background.ts'
import type { Jobs } from './jobs.ts'
import type { EvalVocabulary } from './vocabulary.ts'
import type { OrganizationLimits, Quotas } from './organization-limits.ts'
import type { JsonText, Reply } from './reply.ts'
import type { Served } from './refusals.ts'
import type { ProjectRow } from './database/rows.ts'
import type { Store } from './database/store.ts'

/** What every handler may use. Each engine is added to this interface in the file that declares its type. */
export interface ServiceContext {
  store: Store
  limits: OrganizationLimits
  quotas: Quotas
  jobs: Jobs
  background: Background
  /** Number of characters of answers that stay in memory, once for ended trials and once for ended runs. */
  cachedTextChars: number
  /** Logs a failure whose cause no answer shows. */
  onError: (error: unknown) => void
  /** Returns the current time in epoch milliseconds. Every time in the service comes from this clock. */
  now: () => number
  /** Performs a request for the caller of a handler. All checks apply, except those of the key and the rate limit. */
  perform: (request: ApiRequest, inner: InnerRequest) => Promise<ApiResponse>
}

/** How to carry out a request that a handler makes. */
export type InnerRequest = {
  caller: Caller
  /** Makes the checks that precede the handler and answers 204 without calling the handler. */
  checkOnly?: boolean
  /** Runs the work of the handler, for example in a transaction that also writes other records. */
  carry?: (work: () => unknown) => unknown
}

type ProjectOf<E> = E extends { path: infer P extends string }
  ? 'projectId' extends PathParameter<P>
    ? { project: ProjectRow }
    : unknown
  : unknown

/** A request that passed the checks of key, limit, input and rights. `project` is set if the path names one. */
type Call<E> = ParsedInputOf<E> &
  ProjectOf<E> & {
    caller: Caller
    /** Id of the request, which is logged and sent in a header of the answer. */
    requestId: string
    idempotencyKey: string | undefined
    /** The vocabulary in which the caller wants the answer. */
    vocabulary: EvalVocabulary
    /** Receives the progress; absent if the caller does not want it or is in another process. */
    onProgress?: OnProgress | undefined
    /** Aborts when the caller disconnects or the service closes. */
    signal: AbortSignal
  }

type Answer<E> = OutputOf<E> | Reply<OutputOf<E>> | JsonText<OutputOf<E>>
type Handler<E> = (call: Call<E>) => Answer<E> | Promise<Answer<E>>

/** One handler for every served operation. A missing handler is a type error. */
export type Handlers = { [R in keyof Served]: { [O in keyof Served[R]]: Handler<Served[R][O]> } }
