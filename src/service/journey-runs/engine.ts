import type { OwnSessions, ServerTarget } from '../connections/types.ts'
import { ServiceError } from '../core/errors.ts'
import { messageOf } from '../core/one-line.ts'
import type { ServiceContext } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import { addUsage, NO_TOKENS, type TokenUsage } from '../core/token-usage.ts'
import { excerptOf } from '../insights/advice.ts'
import type { ModelAccess } from '../models/endpoint.ts'
import { RENEW_EVERY_MS } from '../core/lease.ts'
import type { AttemptEnd, AttemptRow, JourneyRunRow } from './rows.ts'
import type { JourneyMessageRow } from './session-rows.ts'
import type { Store } from '../core/database/store.ts'
import { isBusy } from '../../lib/sqlite.ts'
import { MODEL_DEADLINE_MS, withDeadline } from '../models/ask.ts'
import { gradeSession } from './grading.ts'
import { playerModel, playSession } from './session.ts'
import { endJourneyRun } from './settlement.ts'

/** A run as it was launched, with everything its execution needs. */
export type JourneyRunLaunch = {
  run: JourneyRunRow
  attempts: AttemptRow[]
  /** Of each target of the plan, in its order. */
  servers: ServerTarget[][]
}

type Context = Pick<ServiceContext, 'store' | 'connections' | 'jobs' | 'models'>
type Execution = { context: Context; launch: JourneyRunLaunch; access: ModelAccess; signal: AbortSignal }
type Playing = Execution & { servers: OwnSessions }

/** Sessions of one run that are played at once. */
const SESSIONS_AT_ONCE = 4

/** Says how runs end whose process is gone. */
export function defineJourneyRuns({ store, jobs }: Pick<ServiceContext, 'store' | 'jobs'>): void {
  jobs.define('journey-run', (runId, why) => endJourneyRun(store, runId, { stale: why }))
}

/** Begins a run that the caller's transaction writes. */
export function startJourneyRun(context: Context, launch: JourneyRunLaunch): void {
  const access = { configured: context.models, keys: {} }
  context.jobs.start('journey-run', launch.run.id, signal => execute({ context, launch, access, signal }))
}

/** Plays all sessions, a few at a time, grades them and ends the run; rejects only when it is to stop. */
async function execute(execution: Execution): Promise<void> {
  const { context, launch, signal: outer } = execution
  const { store } = context
  // What runs already may be older than what is on disk.
  const servers = context.connections.separate()
  const stop = new AbortController()
  const signal = AbortSignal.any([outer, stop.signal])
  const waiting = launch.attempts.values()
  const work = async () => {
    try {
      for (const attempt of waiting) await runAttempt({ ...execution, servers, signal }, attempt)
    } catch (error) {
      stop.abort(error)
      throw error
    }
  }
  const pulse = setInterval(() => beat(execution, stop), RENEW_EVERY_MS).unref()
  const workers = Array.from({ length: Math.min(SESSIONS_AT_ONCE, launch.attempts.length) }, work)
  const results = await Promise.allSettled(workers).finally(() => {
    clearInterval(pulse)
    servers.end()
  })
  const broken = results.find(result => result.status === 'rejected')
  if (broken) outer.throwIfAborted()
  const ending = broken ? { broken: excerptOf(messageOf(broken.reason)) } : 'ended'
  store.write(() => endJourneyRun(store, launch.run.id, ending))
}

/** Says that the run lives, however long its models think, and stops it when it is gone. */
function beat({ context: { store }, launch: { run } }: Execution, stop: AbortController): void {
  try {
    if (!store.write(() => store.journeyRuns.beat(run.id, Date.now()))) stop.abort(endedElsewhere())
  } catch (error) {
    // While another process keeps the database the next beat is soon enough.
    if (!isBusy(error)) stop.abort(error)
  }
}

async function runAttempt(execution: Playing, attempt: AttemptRow): Promise<void> {
  const { context, launch, access, signal } = execution
  const { store } = context
  const { run } = launch
  const target = run.plan.targets[attempt.targetPosition]
  const servers = launch.servers[attempt.targetPosition]
  if (!target || !servers) throw new Error('The attempt has no target.')
  signal.throwIfAborted()
  const sessionId = store.write(() => beginAttempt(store, run, attempt, Date.now()))
  let end: AttemptEnd = { status: 'succeeded', errorCode: null, errorMessage: null }
  try {
    await playSession({
      sessionId,
      plan: run.plan,
      target,
      servers,
      access,
      connections: execution.servers,
      signal,
      record: message => record(execution, message),
      spend: usage => store.write(() => store.journeySessions.spend(sessionId, usage)),
    })
  } catch (error) {
    signal.throwIfAborted()
    end = failedBy(error)
  }
  store.write(() => endAttempt(store, attempt, { sessionId, end }, Date.now()))
  if (end.status === 'succeeded') await grade(execution, sessionId, playerModel({ access, target }))
}

/**
 * Begins an attempt with a session of its own. Runs inside the caller's transaction.
 * @returns the session's id
 * @throws when the run was ended in between
 */
export function beginAttempt(
  store: Store,
  { id: runId, projectId }: JourneyRunRow,
  { position }: AttemptRow,
  startedAt: number,
): string {
  if (!store.journeyRuns.attempts.begin(runId, position, startedAt)) throw endedElsewhere()
  const id = newId('ses')
  const chatSessionId = newId('cht')
  store.journeySessions.insert({ id, chatSessionId, projectId, runId, attemptPosition: position, startedAt })
  return id
}

/**
 * Ends an attempt; a session that came to its end waits for its grades. Runs inside the caller's transaction.
 * @throws when the run was ended in between
 */
export function endAttempt(
  store: Store,
  { runId, position }: AttemptRow,
  { sessionId, end }: { sessionId: string; end: AttemptEnd },
  at: number,
): void {
  if (!store.journeyRuns.attempts.end(runId, position, end, at)) throw endedElsewhere()
  if (end.status === 'succeeded') store.journeySessions.claimForGrading(sessionId)
}

/** A run that was ended or deleted in between says nothing more. */
function record({ context: { store }, launch: { run } }: Execution, message: JourneyMessageRow): void {
  store.write(() => {
    if (!store.journeyRuns.beat(run.id, Date.now())) throw endedElsewhere()
    store.journeySessions.append(message)
  })
}

async function grade({ context, launch, access, signal }: Execution, sessionId: string, modelId: string) {
  const { store } = context
  const { run } = launch
  const session = { plan: run.plan, modelId, messages: store.journeySessions.messages(sessionId) }
  let spent = NO_TOKENS
  const spend = (usage: TokenUsage) => void (spent = addUsage(spent, usage))
  const grading = (limited: AbortSignal) => gradeSession(access, session, limited, spend)
  const end = await withDeadline(MODEL_DEADLINE_MS, signal, grading).then(
    grades => ({ grades }),
    (error: unknown) => {
      signal.throwIfAborted()
      return { error: excerptOf(messageOf(error)) }
    },
  )
  store.write(() => {
    store.journeySessions.endGrading(sessionId, end)
    store.journeySessions.spend(sessionId, spent)
  })
}

/** As another process that cancels the run does. */
function endedElsewhere(): Error {
  return new Error('The run ended in the meantime.')
}

/** How a session ends that could not be played; reasons quote models and servers, so they are scrubbed. */
function failedBy(error: unknown): AttemptEnd {
  const errorCode = error instanceof ServiceError ? error.code : 'INTERNAL_ERROR'
  return {
    status: errorCode === 'RATE_LIMITED' ? 'rate_limited' : 'failed',
    errorCode,
    errorMessage: excerptOf(messageOf(error)),
  }
}
