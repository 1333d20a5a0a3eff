import { historyOf, openAssistant, type AssistantEngines, type AssistantParts } from '../conversations/assistant.ts'
import type { Conversation, ConversationToolCall, ConversationTurn } from '../conversations/conversation.ts'
import type { TokenUsage } from '../core/token-usage.ts'
import { resolveEnvironment, type Resolution } from '../environments/environments.ts'
import { credentialsOf } from '../servers/records.ts'
import { ServiceError } from '../core/errors.ts'
import { messageOf, oneLine } from '../core/one-line.ts'
import { guarded, isAbandoned, leaseEnd, releaseLease, RENEW_EVERY_MS, takeLease, type Lease } from '../core/lease.ts'
import type { ScenarioRow } from './rows.ts'
import type { Store } from '../core/database/store.ts'
import { DAY_MS, type VisitorMessageRow, type VisitorSessionRow } from './visitor-session-rows.ts'
import { whyEnded, sessionEnded, toVisitorRefusal } from './access.ts'

export type AnswersOptions = AssistantEngines & { store: Store; now: () => number; onError: (error: unknown) => void }

/** Answers visitors with the assistant of the scenario's environment. */
export type Answers = {
  /**
   * Stores the visitor's message, lets the assistant answer, and stores the answer with its calls.
   * @returns the rows of the answer
   * @throws ServiceError `UNAUTHORIZED` if the session has ended; `CONFLICT` while another answer is being written, and
   * without servers; `FORBIDDEN` and `RATE_LIMITED` because of the caps
   */
  say(sessionId: string, text: string, signal: AbortSignal): Promise<VisitorMessageRow[]>
  /**
   * Aborts answers whose session has ended, and renews the leases of the others. Called after every change of access.
   */
  abortEnded(): void
}

/** Milliseconds between two checks whether another process ended a session that is being answered. */
const WATCH_EVERY_MS = 200
const ANSWER_MS = 120_000

type Running = { sessionId: string; stop: AbortController; lease: Lease; renewedAt: number }
type Opened = { conversation: Conversation; resolution: Resolution }

export function createAnswers(options: AnswersOptions): Answers {
  const { store, now, onError } = options
  const running = new Map<string, Running>()
  let watch: NodeJS.Timeout | undefined

  const renewOrStop = () => {
    for (const work of running.values()) {
      const session = store.visitorSessions.get(work.sessionId)
      const ending = session && whyEnded(store, session, now())
      if (!session || ending) work.stop.abort(sessionEnded(ending))
      else if (performance.now() - work.renewedAt >= RENEW_EVERY_MS) {
        work.renewedAt = performance.now()
        store.write(() => store.visitorSessions.renewLease(work.lease.token, leaseEnd()))
      }
    }
  }
  const abortEnded = guarded(renewOrStop, onError)

  return {
    abortEnded,
    async say(sessionId, text, signal) {
      let spent = 0
      const onSpend = ({ totalTokens }: TokenUsage) => void (spent += totalTokens)
      const begun = store.write(() => begin(options, sessionId, text, onSpend))
      if ('failure' in begun) throw toVisitorRefusal(begun.failure)
      const { conversation, resolution, lease } = begun
      // Another process takes the session over if this one seemed to have ended, as after a pause of the machine.
      const isOurs = () => store.visitorSessions.lease(sessionId)?.token === lease.token
      const stop = new AbortController()
      const late = () => stop.abort(new ServiceError('TIMEOUT', 'The answer took longer than two minutes.'))
      const deadline = setTimeout(late, ANSWER_MS)
      running.set(lease.token, { sessionId, stop, lease, renewedAt: performance.now() })
      watch ??= setInterval(abortEnded, WATCH_EVERY_MS).unref()
      try {
        const turn = await conversation.say(text, AbortSignal.any([signal, stop.signal]))
        return store.write(() => {
          if (!isOurs()) throw new ServiceError('SERVER_UNREACHABLE', 'Another process took over this session.')
          return noteAnswer(options, sessionId, turn, resolution)
        })
      } catch (error) {
        const failure = signal.aborted && !(error instanceof ServiceError) ? hungUp(error) : error
        store.write(() => isOurs() && noteFailure(options, sessionId, failure, spent))
        throw toVisitorRefusal(failure)
      } finally {
        clearTimeout(deadline)
        running.delete(lease.token)
        releaseLease(lease)
        if (running.size === 0) {
          clearInterval(watch)
          watch = undefined
        }
      }
    },
  }
}

/** Checks everything before anything is spent, and stores the visitor's message. Runs inside a transaction. */
function begin(
  options: AnswersOptions,
  sessionId: string,
  text: string,
  onSpend: (usage: TokenUsage) => void,
): (Opened & { lease: Lease }) | { failure: unknown } {
  const { store, now } = options
  const session = store.visitorSessions.get(sessionId)
  const scenario = session && store.scenarios.getEver(session.scenarioId)
  if (!session || !scenario) throw sessionEnded(undefined)
  const ending = whyEnded(store, session, now())
  if (ending) throw sessionEnded(ending)
  const other = store.visitorSessions.lease(session.id)
  if (other && !isAbandoned(other)) throw new ServiceError('CONFLICT', 'The last message is still being answered.')
  requireAllowance(store, scenario, session, now())
  const history = historyOf(store.visitorSessions.messages.all(session.id))
  noteQuestion(options, session.id, text)
  try {
    const opened = openedFor(options, scenario, { history, onSpend })
    const lease = takeLease()
    store.visitorSessions.update({ ...session, lastActivityAt: now() })
    store.visitorSessions.setLease(session.id, lease)
    return { ...opened, lease }
  } catch (failure) {
    noteFailure(options, session.id, failure)
    return { failure }
  }
}

/**
 * Checks the remaining credits of anonymous visitors. Each answer takes one credit, which is counted before the answer.
 */
function requireAllowance(store: Store, scenario: ScenarioRow, { authType }: VisitorSessionRow, now: number) {
  if (authType !== 'guest') return
  const caps = scenario.guestExecution
  if (!caps?.enabled)
    throw new ServiceError('FORBIDDEN', 'The owner of this scenario has not allowed answers for anonymous visitors.')
  const midnight = now - (now % DAY_MS)
  if (store.visitorSessions.messages.countOfGuests(scenario.id, midnight) + 1 <= caps.dailyCreditCap) return
  throw new ServiceError(
    'RATE_LIMITED',
    'Anonymous visitors have used up today’s answers; come back after 00:00 UTC.',
    { retryAfterSeconds: Math.ceil((midnight + DAY_MS - now) / 1000) },
  )
}

/** Opens the assistant of the scenario's current environment. @throws ServiceError if the environment cannot be used */
function openedFor(
  options: AnswersOptions,
  scenario: ScenarioRow,
  more: Pick<AssistantParts, 'history' | 'onSpend'>,
): Opened {
  const { store } = options
  const environment = store.environments.get(scenario.projectId, scenario.environmentId)
  if (!environment) throw new ServiceError('CONFLICT', 'The environment of the scenario is gone.')
  const resolution = resolveEnvironment(store, environment)
  const { client, servers, model } = resolution
  // Members of the project set these secrets, and a stranger may make a tool print them.
  const hidden = servers.flatMap(credentialsOf)
  const conversation = openAssistant(options, { config: client.config, servers, model: model.id, hidden, ...more })
  return { conversation, resolution }
}

type Noting = Pick<AnswersOptions, 'store' | 'now'>

/** Stores the visitor's message, inside the caller's transaction. */
export function noteQuestion({ store, now }: Noting, sessionId: string, text: string): void {
  store.visitorSessions.messages.insert({ ...blank(sessionId, now()), role: 'user', text })
}

/**
 * Stores an answer and releases the lease, inside the caller's transaction. @throws ServiceError `UNAUTHORIZED` if the
 * session ended meanwhile
 */
export function noteAnswer(
  { store, now }: Noting,
  sessionId: string,
  { text, toolCalls, usage, durationMs }: ConversationTurn,
  { servers, model }: Pick<Resolution, 'servers' | 'model'>,
) {
  const session = store.visitorSessions.get(sessionId)
  const ending = session && whyEnded(store, session, now())
  if (!session || ending) throw sessionEnded(ending)
  const { messages } = store.visitorSessions
  const idOf = new Map(servers.map(({ name, id }) => [name, id]))
  const rows = toolCalls.map(call =>
    messages.insert({ ...blank(sessionId, now()), ...ofCall(call), serverId: idOf.get(call.serverName) ?? null }),
  )
  rows.push(
    messages.insert({ ...blank(sessionId, now()), role: 'assistant', text, durationMs, tokens: usage.totalTokens }),
  )
  store.visitorSessions.update({ ...session, modelId: model.id, authInterrupted: false, lastActivityAt: now() })
  store.visitorSessions.setLease(sessionId, undefined)
  return rows
}

function ofCall({ serverName, toolName, isError, resultText, durationMs }: ConversationToolCall) {
  return { role: 'tool', text: isError ? oneLine(resultText) : '', serverName, toolName, isError, durationMs } as const
}

/** Stores for the owner why there is no answer, and the tokens that were used. Runs inside the caller's transaction. */
export function noteFailure({ store, now }: Noting, sessionId: string, error: unknown, tokens = 0): void {
  const session = store.visitorSessions.get(sessionId)
  if (!session) return
  const code = error instanceof ServiceError ? error.code : null
  store.visitorSessions.messages.insert({
    ...blank(sessionId, now()),
    role: 'system',
    text: messageOf(error),
    isError: true,
    errorCode: code,
    tokens: tokens || null,
  })
  store.visitorSessions.update({ ...session, authInterrupted: code === 'OAUTH_REQUIRED', lastActivityAt: now() })
  store.visitorSessions.setLease(sessionId, undefined)
}

function blank(sessionId: string, createdAt: number): Omit<VisitorMessageRow, 'position' | 'role'> {
  return {
    sessionId,
    text: '',
    toolName: null,
    serverId: null,
    serverName: null,
    isError: false,
    errorCode: null,
    durationMs: null,
    tokens: null,
    createdAt,
  }
}

function hungUp(cause: unknown): ServiceError {
  return new ServiceError('TIMEOUT', 'The visitor disconnected before the answer.', { cause })
}
