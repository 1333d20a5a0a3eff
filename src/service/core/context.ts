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

/** What every handler works with. An engine adds itself to this interface where its type is. */
export interface ServiceContext {
  store: Store
  limits: OrganizationLimits
  quotas: Quotas
  jobs: Jobs
  background: Background
  /** Characters of ended trials, and as many of ended runs, that stay in memory as they are answered. */
  cachedTextChars: number
  /** The clock of everything that happens at a time, in epoch milliseconds. */
  now: () => number
  /** Performs a request of a handler for its caller, under all rules but the rate limit of the key. */
  perform: (request: ApiRequest, inner: InnerRequest) => Promise<ApiResponse>
}

/** How a request of a handler's own is carried out. */
export type InnerRequest = {
  caller: Caller
  /** Makes every check, does nothing, and answers 204. */
  checkOnly?: boolean
  /** Carries out the work, for instance in a transaction that writes more. */
  carry?: (work: () => unknown) => unknown
}

type ProjectOf<E> = E extends { path: infer P extends string }
  ? 'projectId' extends PathParameter<P>
    ? { project: ProjectRow }
    : unknown
  : unknown

/** A request that passed key, limit, validation and rights; `project` is there when the path names one. */
type Call<E> = ParsedInputOf<E> &
  ProjectOf<E> & {
    caller: Caller
    /** In the answer's header, and in the log. */
    requestId: string
    idempotencyKey: string | undefined
    /** How answers that vary are spelt. */
    vocabulary: EvalVocabulary
    /** Receives progress; absent if the caller does not want it, or is another process. */
    onProgress?: OnProgress | undefined
    /** Aborts when the caller hangs up. */
    signal: AbortSignal
  }

type Answer<E> = OutputOf<E> | Reply<OutputOf<E>> | JsonText<OutputOf<E>>
type Handler<E> = (call: Call<E>) => Answer<E> | Promise<Answer<E>>

/** One handler for every served operation; a missing one does not compile. */
export type Handlers = { [R in keyof Served]: { [O in keyof Served[R]]: Handler<Served[R][O]> } }
