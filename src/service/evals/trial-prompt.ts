import type { EvalTestStep } from '../../api/contract/eval-shapes.ts'
import { untilAborted } from '../core/deadline.ts'
import type { Tool } from '../connections/types.ts'
import { toTrialEnd, TrialEnd, type TrialCaller } from './trial-calls.ts'
import type { CaseSnapshot, Judged, PromptSettings, Transcript, TrialServers, UnsentCall } from './types.ts'
import { addUsage, type TokenUsage } from '../core/token-usage.ts'

const NO_MODEL =
  'A prompt step needs a model: set MCPDECK_MODEL_BASE_URL for mcpdeck, or send modelApiKeys with the run.'

/** What a model can use of a trial while it answers one prompt. */
export type PromptContext = {
  model: string | undefined
  provider: string | undefined
  settings: PromptSettings
  serverNames: readonly string[]
  signal: AbortSignal
  listTools(serverName: string): Promise<Tool[]>
  /** Adds the tokens of one answer to those of the trial, even if no final text follows; undefined if unknown. */
  spend(usage: TokenUsage | undefined): void
  /** Calls and records a tool. The model is told of a {@link RefusedCall}; any other rejection ends the trial. */
  callTool(serverName: string, toolName: string, args: Record<string, unknown>): Promise<Record<string, unknown>>
  /** Records a call that was not sent, because the tool does not exist or does not accept the arguments. */
  noteUnsent(call: UnsentCall): void
}

export type TrialModels = {
  /**
   * Answers a prompt of the trial's conversation. A ServiceError before the first answer counts as a set-up failure,
   * except `TIMEOUT`.
   */
  run(prompt: string, context: PromptContext): Promise<{ text: string }>
}

export type Trial = {
  snapshot: CaseSnapshot
  servers: TrialServers
  models: TrialModels | undefined
  transcript: Transcript
  caller: TrialCaller
  signal: AbortSignal
  /**
   * Whether a model has answered. Its text is then the final one, and results of later tool calls do not replace it.
   */
  modelAnswered: boolean
  /**
   * Tokens of the trial's models. `unknown` if any answer did not report its tokens, because the sum would be too
   * small.
   */
  spent: TokenUsage | 'unknown'
}

/** Sends one prompt to the model and records its answer and calls. Without a model the trial fails in set-up. */
export async function askModel(step: EvalTestStep, trial: Trial): Promise<Judged> {
  const { models, transcript, caller, snapshot, servers, signal } = trial
  if (!models) throw new TrialEnd('setup_failed', NO_MODEL)
  if (!step.prompt) throw new TrialEnd('setup_failed', `The prompt step "${step.id}" has no prompt.`)
  transcript.messages.push({ role: 'user', content: step.prompt, stepId: step.id })
  transcript.userTurns = (transcript.userTurns ?? 0) + 1
  const context: PromptContext = {
    model: snapshot.model,
    provider: snapshot.provider,
    settings: snapshot.modelSettings ?? {},
    serverNames: servers.names,
    signal,
    listTools: serverName => servers.listTools(serverName, signal),
    spend(usage) {
      trial.spent = usage && trial.spent !== 'unknown' ? addUsage(trial.spent, usage) : 'unknown'
      if (trial.spent === 'unknown') delete transcript.usage
      else transcript.usage = trial.spent
    },
    callTool: (serverName, toolName, args) => caller.call(step.id, serverName, toolName, args),
    noteUnsent: call => caller.noteUnsent(step.id, call),
  }
  try {
    const { text } = await untilAborted(models.run(step.prompt, context), signal)
    if (caller.ended) throw caller.ended
    transcript.messages.push({ role: 'assistant', content: text, stepId: step.id })
    transcript.finalText = text
    trial.modelAnswered = true
    return { status: 'ok' }
  } catch (error) {
    throw caller.ended ?? toTrialEnd(error, !trial.modelAnswered)
  }
}
