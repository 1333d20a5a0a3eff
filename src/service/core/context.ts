import type { OutputOf, ParsedInputOf, PathParameter } from '../../api/contract/endpoint.ts'
import type { Connections } from '../connections/engine.ts'
import type { OnDoctorStep } from '../connections/types.ts'
import type { Caller } from './access/keys.ts'
import type { Background } from './background.ts'
import type { Jobs } from './jobs.ts'
import type { EvalVocabulary } from '../evals/vocabulary.ts'
import type { OrganizationLimits } from './limits/limits.ts'
import type { Quotas } from './limits/quotas.ts'
import type { ModelSettings } from '../models/settings.ts'
import type { Reply } from './reply.ts'
import type { RunEngine } from '../runs/engine.ts'
import type { Visits } from '../scenarios/visits.ts'
import type { Served } from '../served.ts'
import type { ServerTargets } from '../servers/targets.ts'
import type { ProjectRow } from '../store/projects.ts'
import type { Store } from '../workspace/store.ts'

/** What every handler works with. */
export type ServiceContext = {
  store: Store
  connections: Connections
  targets: ServerTargets
  runs: RunEngine
  limits: OrganizationLimits
  quotas: Quotas
  jobs: Jobs
  background: Background
  visits: Visits
  /** Origin under which visitors reach this workspace, such as `http://127.0.0.1:4747`. */
  visitOrigin: () => string
  /** The clock of everything that happens at a time, in epoch milliseconds. */
  now: () => number
  /** The configured model endpoint; undefined = features with a model refuse and say how to configure one. */
  models: ModelSettings | undefined
  /** Hears of each step of a doctor's examination, which is answered whole when it has ended. */
  onDoctorStep: (serverId: string, ...step: Parameters<OnDoctorStep>) => void
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
    /** How answers that vary are spelt. */
    vocabulary: EvalVocabulary
    /** Aborts when the caller hangs up. */
    signal: AbortSignal
  }

type Answer<E> = OutputOf<E> | Reply<OutputOf<E>>
type Handler<E> = (call: Call<E>) => Answer<E> | Promise<Answer<E>>

/** One handler for every served operation; a missing one does not compile. */
export type Handlers = { [R in keyof Served]: { [O in keyof Served[R]]: Handler<Served[R][O]> } }
