import type { EvalTestStep } from '../../api/contract/eval-shapes.ts'
import { textOfResult } from '../../domain/suites/result-text.ts'
import { untilAborted } from '../core/deadline.ts'
import { expectedToolCalls } from './call-matching.ts'
import { scoreIntegrity } from './scores.ts'
import { NO_TOKENS } from '../core/token-usage.ts'
import { createCaller, isProtocolAnswer, RefusedCall, toTrialEnd, TrialEnd, startClock } from './trial-calls.ts'
import { askModel, type Trial, type TrialModels } from './trial-prompt.ts'
import type { CaseSnapshot, Judged, StepVerdict, Transcript, TrialOutcome, TrialServers } from './types.ts'
import { classOf, firstReason, judge, judgeChecks, judgeEarly, type EarlyEnd } from './verdicts.ts'

const DEFAULT_DEADLINE_MS = 120_000

const NO_BROWSER = 'An interact step needs a browser runner, and the local service has none.'

export type TrialRequest = {
  case: CaseSnapshot
  servers: TrialServers
  signal: AbortSignal
  /** Time limit of the whole trial, in milliseconds. */
  deadlineMs?: number
  models?: TrialModels | undefined
  /** Epoch milliseconds. */
  now?: () => number
}

/**
 * Executes one trial and judges it. Steps run in order, even after a failed assertion. A protocol error fails only its
 * step. If the trial ends early, only little is judged: see {@link judgeEarly}. Never rejects because of servers or
 * models: what they do is part of the outcome.
 */
export async function runTrial(request: TrialRequest): Promise<TrialOutcome> {
  const { case: snapshot, servers, models, now = Date.now } = request
  const startedAt = now()
  const clock = startClock(request.deadlineMs ?? DEFAULT_DEADLINE_MS, request.signal)
  const transcript: Transcript = { messages: [], toolCalls: [], finalText: '', userTurns: 0 }
  const caller = createCaller({ servers, transcript, signal: clock.signal, now })
  const listed = new Set<string>()
  const trial: Trial = {
    snapshot,
    servers: notingListings(servers, listed),
    models,
    transcript,
    caller,
    signal: clock.signal,
    modelAnswered: false,
    spent: NO_TOKENS,
  }
  try {
    const { steps, ended = await unreachable(trial, listed) } = await runSteps(trial, now)
    const expected = expectedToolCalls(snapshot)
    const checks = judgeChecks(snapshot, transcript, expected, ended && earlyEnd(ended))
    const verdicts = [...steps, ...checks]
    const trialClass = ended?.class ?? classOf(verdicts)
    const error = ended?.message ?? firstReason(verdicts)
    return settledOutcome(snapshot, {
      class: trialClass,
      error,
      steps,
      checks,
      expectedToolCalls: expected,
      transcript,
      startedAt,
      durationMs: now() - startedAt,
      ...(ended?.besideOthers && { brokeBesideOthers: true }),
    })
  } finally {
    clock.stop()
  }
}

function notingListings(servers: TrialServers, listed: Set<string>): TrialServers {
  return {
    ...servers,
    async listTools(serverName, signal) {
      const tools = await servers.listTools(serverName, signal)
      listed.add(serverName)
      return tools
    },
  }
}

/**
 * Returns the reason why a trial without calls must not be judged: a server whose tools were never listed cannot be
 * reached, so that "never called" would pass by accident. Undefined if the trial made calls or every server answers.
 */
async function unreachable(
  { servers, signal, transcript }: Trial,
  listed: ReadonlySet<string>,
): Promise<TrialEnd | undefined> {
  if (transcript.toolCalls.length > 0) return undefined
  for (const name of servers.names) {
    if (listed.has(name)) continue
    try {
      signal.throwIfAborted()
      await untilAborted(servers.listTools(name, signal), signal)
    } catch (error) {
      if (signal.aborted) return toTrialEnd(signal.reason, true)
      if (!isProtocolAnswer(error)) return toTrialEnd(error, true)
    }
  }
  return undefined
}

/** Returns the status and result of a trial. Only trials that passed or failed are `completed` and have a result. */
function settlement(trialClass: TrialOutcome['class']): Pick<TrialOutcome, 'status' | 'result'> {
  if (trialClass === 'passed' || trialClass === 'failed') return { status: 'completed', result: trialClass }
  return { status: trialClass === 'cancelled' ? 'cancelled' : 'failed', result: null }
}

/** Returns the outcome of a judged trial, including whether its scores match their definitions. */
export function settledOutcome(
  snapshot: CaseSnapshot,
  {
    class: trialClass,
    error,
    ...judged
  }: Omit<TrialOutcome, 'status' | 'result' | 'error'> & { error?: string | undefined },
): TrialOutcome {
  const scored = scoreIntegrity(snapshot, { class: trialClass, ...judged })
  return {
    class: trialClass,
    ...settlement(trialClass),
    ...(error !== undefined && { error }),
    ...(scored && { scoreIntegrity: scored }),
    ...judged,
  }
}

async function runSteps(trial: Trial, now: () => number): Promise<{ steps: StepVerdict[]; ended?: TrialEnd }> {
  const steps: StepVerdict[] = []
  let ended: TrialEnd | undefined
  for (const [stepIndex, step] of trial.snapshot.steps.entries()) {
    const identity = { stepId: step.id, stepIndex, kind: step.kind }
    if (ended) {
      steps.push({ ...identity, ...judgeEarly(step.assertion, trial.transcript, earlyEnd(ended)) })
      continue
    }
    const startedAt = now()
    let judged: Judged
    try {
      trial.signal.throwIfAborted()
      judged = await stepKinds[step.kind](step, trial)
    } catch (error) {
      ended = toTrialEnd(error, false)
      judged = { status: ended.class === 'cancelled' ? 'skipped' : 'fail', reason: ended.message }
    }
    steps.push({ ...identity, ...judged, startedAt, durationMs: now() - startedAt })
  }
  return ended ? { steps, ended } : { steps }
}

const stepKinds: Record<EvalTestStep['kind'], (step: EvalTestStep, trial: Trial) => Promise<Judged> | Judged> = {
  toolCall: callTool,
  prompt: askModel,
  assert: (step, trial) => judge(step.assertion, trial.transcript),
  interact() {
    throw new TrialEnd('setup_failed', NO_BROWSER)
  },
}

async function callTool(step: EvalTestStep, { caller, transcript, modelAnswered }: Trial): Promise<Judged> {
  if (!step.toolName) throw new TrialEnd('setup_failed', `The toolCall step "${step.id}" names no tool.`)
  try {
    const result = await caller.call(step.id, step.serverName, step.toolName, step.arguments ?? {})
    if (!modelAnswered) transcript.finalText = textOfResult(result)
    const isError = result['isError'] === true
    return { status: 'ok', ...(isError && { reason: 'the tool answered with isError', evidence: { isError } }) }
  } catch (error) {
    if (!(error instanceof RefusedCall)) throw error
    return { status: 'fail', reason: error.message }
  }
}

function earlyEnd({ class: earlyClass, message }: TrialEnd): EarlyEnd {
  return { why: `skipped, the trial had ended: ${message}`, callsBroke: earlyClass !== 'cancelled' }
}
