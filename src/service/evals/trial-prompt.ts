import type { EvalTestStep } from '../../api/contract/eval-shapes.ts'
import { untilAborted } from '../core/deadline.ts'
import type { Tool } from '../connections/types.ts'
import { toTrialEnd, TrialEnd, type TrialCaller } from './trial-calls.ts'
import type { CaseSnapshot, Judged, PromptSettings, Transcript, TrialServers } from './types.ts'
import { defined } from '../../lib/json.ts'

const NO_MODEL =
  'A prompt step needs a model: set MCPDECK_MODEL_BASE_URL for mcpdeck, or send modelApiKeys with the run.'

type Usage = NonNullable<Transcript['usage']>

/** What a model sees of its trial while it answers one prompt. */
export type PromptContext = {
  model: string | undefined
  provider: string | undefined
  settings: PromptSettings
  serverNames: readonly string[]
  signal: AbortSignal
  listTools(serverName: string): Promise<Tool[]>
  /** Adds the tokens of one answer to the trial's, also where no final text follows. */
  spend(usage: Usage): void
  /**
   * Calls a tool for the model and records it. Rejects with a {@link RefusedCall} that may be shown to the model; any
   * other rejection ends the trial, whatever the model makes of it.
   */
  callTool(serverName: string, toolName: string, args: Record<string, unknown>): Promise<Record<string, unknown>>
}

/** How one trial reaches its model: one prompt in, the final text after all tool calls out. */
export type TrialModels = {
  /**
   * The prompts of a trial are one conversation. Rejects with a ServiceError; before the first final text that is
   * set-up, `TIMEOUT` aside; a {@link TrialEnd} says itself what it is.
   */
  run(prompt: string, context: PromptContext): Promise<{ text: string }>
}

/** A trial under way, as its steps see it. */
export type Trial = {
  snapshot: CaseSnapshot
  servers: TrialServers
  models: TrialModels | undefined
  transcript: Transcript
  caller: TrialCaller
  signal: AbortSignal
  /** Once a model has answered, its text is the final one and results of later tool calls don't replace it. */
  modelAnswered: boolean
}

/** Sends one prompt to the model and takes over what it did; without a model the trial ends in set-up. */
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
      transcript.usage = addUsage(transcript.usage, usage)
    },
    callTool: (serverName, toolName, args) => caller.call(step.id, serverName, toolName, args),
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

function addUsage(before: Transcript['usage'], more: Usage): Usage {
  const sum = (left: number | undefined, right: number | undefined) =>
    left === undefined && right === undefined ? undefined : (left ?? 0) + (right ?? 0)
  const inputTokens = sum(before?.inputTokens, more.inputTokens)
  const outputTokens = sum(before?.outputTokens, more.outputTokens)
  return defined({ totalTokens: (before?.totalTokens ?? 0) + more.totalTokens, inputTokens, outputTokens })
}
