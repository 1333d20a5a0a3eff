import type { OutputOf, ParsedInputOf, PathParameter } from '../../api/contract/endpoint.ts'
import type { Connections } from '../connections/engine.ts'
import type { Caller } from '../keys.ts'
import type { RateLimit } from '../rate-limiter.ts'
import type { RunEngine } from '../runs/engine.ts'
import type { Served } from '../served.ts'
import type { ServerTargets } from '../server-targets.ts'
import type { ProjectRow } from '../store/projects.ts'
import type { Store } from '../store/store.ts'

/** The numbers that clients meet. */
type ServiceLimits = {
  /** Undefined = no rate limit. */
  rate: RateLimit | undefined
  /** Runs of one organization that may be in flight at once. */
  concurrentRuns: number
}

/** What every handler works with. */
export type ServiceContext = {
  store: Store
  connections: Connections
  targets: ServerTargets
  runs: RunEngine
  limits: ServiceLimits
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
    idempotencyKey: string | undefined
    /** Aborts when the caller hangs up. */
    signal: AbortSignal
  }

type Handler<E> = (call: Call<E>) => OutputOf<E> | Promise<OutputOf<E>>

/** One handler for every served operation; a missing one does not compile. */
export type Handlers = { [R in keyof Served]: { [O in keyof Served[R]]: Handler<Served[R][O]> } }
