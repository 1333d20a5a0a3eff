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

/** Dependencies of every handler. An engine adds itself to this interface in the file of its type. */
export interface ServiceContext {
  store: Store
  limits: OrganizationLimits
  quotas: Quotas
  jobs: Jobs
  background: Background
  /** Characters of answers that stay in memory: as many for ended trials as for ended runs. */
  cachedTextChars: number
  /** Logs a failure whose cause no answer shows. */
  onError: (error: unknown) => void
  /** Returns the current time in epoch milliseconds. Every time in the service comes from this clock. */
  now: () => number
  /** Performs a request on behalf of a handler's caller, with all rules except key and rate limit. */
  perform: (request: ApiRequest, inner: InnerRequest) => Promise<ApiResponse>
}

/** Options for carrying out a request that a handler makes. */
export type InnerRequest = {
  caller: Caller
  /** Makes the checks that precede the handler, does not call the handler, and answers 204. */
  checkOnly?: boolean
  /** Carries out the work, for example in a transaction that writes more. */
  carry?: (work: () => unknown) => unknown
}

type ProjectOf<E> = E extends { path: infer P extends string }
  ? 'projectId' extends PathParameter<P>
    ? { project: ProjectRow }
    : unknown
  : unknown

/** A request after the checks of key, limit, input and rights. `project` is set if the path names one. */
type Call<E> = ParsedInputOf<E> &
  ProjectOf<E> & {
    caller: Caller
    /** Id of the request, sent in the answer's header and logged. */
    requestId: string
    idempotencyKey: string | undefined
    /** The vocabulary of answers that depend on it. */
    vocabulary: EvalVocabulary
    /** Receives progress; absent if the caller does not want it or runs in another process. */
    onProgress?: OnProgress | undefined
    /** Aborts when the caller disconnects or the service closes. */
    signal: AbortSignal
  }

type Answer<E> = OutputOf<E> | Reply<OutputOf<E>> | JsonText<OutputOf<E>>
type Handler<E> = (call: Call<E>) => Answer<E> | Promise<Answer<E>>

/** One handler for every served operation. If one is missing, this does not compile. */
export type Handlers = { [R in keyof Served]: { [O in keyof Served[R]]: Handler<Served[R][O]> } }
