import { defined } from '../../lib/json.ts'
import { untilAborted } from '../core/deadline.ts'
import { ServiceError } from '../core/errors.ts'
import { messageOf } from '../core/one-line.ts'
import type { ToolCallRecord, Transcript, TrialServers, UnsentCall } from './types.ts'

/** How a trial ends if not all of its steps were run. */
export type EarlyClass = 'setup_failed' | 'execution_failed' | 'timed_out' | 'cancelled'

export class TrialEnd extends Error {
  override readonly name = 'TrialEnd'
  readonly class: EarlyClass
  /** Whether a server broke during a call while other trials were using it. */
  readonly besideOthers: boolean

  constructor(earlyClass: EarlyClass, message: string, cause?: unknown, besideOthers = false) {
    super(message, { cause })
    this.class = earlyClass
    this.besideOthers = besideOthers
  }
}

/**
 * Thrown if the server answered a call with a JSON-RPC error. The error is part of the transcript, and the trial
 * continues.
 */
export class RefusedCall extends Error {
  override readonly name = 'RefusedCall'
}

export type TrialCaller = {
  /**
   * Calls a tool. The call is recorded when it starts, so that parallel calls keep their order.
   * @param serverName may be absent if there is only one server
   * @throws RefusedCall for a protocol error
   * @throws TrialEnd if the trial cannot continue
   */
  call(
    stepId: string,
    serverName: string | undefined,
    toolName: string,
    args: Record<string, unknown>,
  ): Promise<Record<string, unknown>>
  /** Records a call that a model made but that was not sent, so that it does not count as never made. */
  noteUnsent(stepId: string, call: UnsentCall): void
  /** The error with which a call ended the trial, even if the caller ignored it. */
  readonly ended: TrialEnd | undefined
}

type SentCall = ToolCallRecord & { serverName: string }

/** Makes and records the tool calls of one trial, and classifies their failures. */
export function createCaller(trial: {
  servers: TrialServers
  transcript: Transcript
  signal: AbortSignal
  now: () => number
}): TrialCaller {
  const { servers, transcript, signal, now } = trial
  const answered = new Set<string>()
  let ended: TrialEnd | undefined

  async function attempt(record: SentCall): Promise<Record<string, unknown>> {
    const { serverName, toolName } = record
    try {
      const pending = servers.callTool(serverName, toolName, record.arguments, signal)
      const { result, durationMs } = await untilAborted(pending, signal)
      answered.add(serverName)
      Object.assign(record, { result, durationMs })
      return result
    } catch (error) {
      const failure = signal.aborted ? (signal.reason as unknown) : error
      Object.assign(record, { error: messageOf(failure), durationMs: now() - record.startedAt })
      if (!isProtocolAnswer(failure)) throw toTrialEnd(failure, !answered.has(serverName))
      answered.add(serverName)
      throw new RefusedCall(messageOf(failure), { cause: failure })
    } finally {
      tell(record)
    }
  }

  function tell({ stepId, serverName, toolName, arguments: args, result, error }: ToolCallRecord): void {
    const answer = error === undefined ? { result } : { error }
    const content = { ...defined({ serverName }), toolName, arguments: args, ...answer }
    transcript.messages.push({ role: 'tool', stepId, content })
  }

  return {
    get ended() {
      return ended
    },
    async call(stepId, wanted, toolName, args) {
      try {
        if (ended) throw ended
        signal.throwIfAborted()
        const serverName = chooseServer(wanted, servers.names)
        const record = { stepId, serverName, toolName, arguments: args, startedAt: now(), durationMs: 0 }
        transcript.toolCalls.push(record)
        return await attempt(record)
      } catch (error) {
        if (error instanceof TrialEnd) ended ??= error
        throw error
      }
    },
    noteUnsent(stepId, call) {
      const record = { ...call, stepId, startedAt: now(), durationMs: 0 }
      transcript.toolCalls.push(record)
      tell(record)
    },
  }
}

/**
 * Returns the end of the trial that a failure causes: a set-up failure if the server had not answered before, else an
 * execution failure. A timeout has a class of its own. An error that is no ServiceError is always an execution failure.
 */
export function toTrialEnd(error: unknown, firstContact: boolean): TrialEnd {
  if (error instanceof TrialEnd) return error
  const message = messageOf(error)
  if (!(error instanceof ServiceError)) return new TrialEnd('execution_failed', message, error)
  if (error.code === 'TIMEOUT') return new TrialEnd('timed_out', message, error)
  return new TrialEnd(firstContact ? 'setup_failed' : 'execution_failed', message, error)
}

/** Whether an error is an answer of the server, namely a JSON-RPC error. */
export function isProtocolAnswer(error: unknown): boolean {
  return error instanceof ServiceError && error.details?.['protocolError'] !== undefined
}

function chooseServer(wanted: string | undefined, names: readonly string[]): string {
  const choices = names.length > 0 ? names.join(', ') : 'none'
  if (wanted !== undefined) {
    if (names.includes(wanted)) return wanted
    throw new TrialEnd('setup_failed', `The run has no server "${wanted}"; its servers: ${choices}.`)
  }
  const [only] = names
  if (only !== undefined && names.length === 1) return only
  throw new TrialEnd('setup_failed', `Name the server of the call with serverName; the run's servers: ${choices}.`)
}

/** Returns a signal that is aborted by the trial's time limit or by the run's stop signal, whichever is first. */
export function startClock(ms: number, signal: AbortSignal): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController()
  const cancel = () => controller.abort(new TrialEnd('cancelled', 'The run was cancelled.'))
  const timer = setTimeout(
    () => controller.abort(new TrialEnd('timed_out', `The trial did not end within ${ms / 1000} s.`)),
    ms,
  )
  if (signal.aborted) cancel()
  else signal.addEventListener('abort', cancel, { once: true })
  return {
    signal: controller.signal,
    stop() {
      clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
    },
  }
}
