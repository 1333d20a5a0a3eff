import type { ModelMessage } from 'ai'
import { withoutKnown } from '../../lib/redaction/redaction.ts'
import { untilAborted } from '../core/deadline.ts'
import type { Connections } from '../connections/engine.ts'
import type { ServerTarget } from '../connections/types.ts'
import { messageOf } from '../core/one-line.ts'
import { RefusedCall } from '../evals/trial-calls.ts'
import type { ModelAccess } from '../models/endpoint.ts'
import { unusableAnswer } from '../models/library.ts'
import { toToolOutput } from '../models/tool-output.ts'
import { addUsage, NO_TOKENS, type TokenUsage } from '../core/token-usage.ts'
import { createTrialServers } from '../evals/trial-servers.ts'
import type { UnsentCall } from '../evals/types.ts'
import { neverAnswered, readText, runModelTurn } from './model-turn.ts'

/** A tool call that the assistant made. */
export type ConversationToolCall = {
  /** Empty if no server has the tool. */
  serverName: string
  toolName: string
  arguments: Record<string, unknown>
  /** Whether the tool reported an error, or the server was unreachable, did not answer or refused the call. */
  isError: boolean
  /** The result that the assistant saw. The server wrote it, so it is untrusted. */
  resultText: string
  /** Epoch milliseconds. */
  startedAt: number
  durationMs: number
}

/** One answer of the assistant, with its calls and usage. */
export type ConversationTurn = {
  text: string
  /** Why the answer is incomplete or was withheld, which the text says too; undefined if it is complete. */
  cut: string | undefined
  /** Calls by the time at which they started. */
  toolCalls: ConversationToolCall[]
  usage: TokenUsage
  durationMs: number
}

/** An assistant that remembers the conversation and uses the tools of real servers. */
export type Conversation = {
  /**
   * Sends a message and waits for the answer. If it rejects, the message does not count as sent. It rejects with a
   * ServiceError of the model or of the listing of tools, or with the signal's reason.
   */
  say(text: string, signal: AbortSignal): Promise<ConversationTurn>
}

export type ConversationOptions = {
  access: ModelAccess
  /** Absent means the configured model. */
  model: string | undefined
  systemPrompt?: string
  temperature?: number
  servers: ServerTarget[]
  connections: Pick<Connections, 'use'>
  /** Texts that are removed from the results and errors of tools before the assistant sees them. Default: none. */
  hidden?: readonly string[]
  /** Maximum number of calls in one turn; further ones are refused. Default 20. */
  maxToolCalls?: number
  history?: History
  /** Called with each call when it begins. Its outcome is added to the same object later. */
  onCall?: (call: ConversationToolCall) => void
  /** Called with the usage of each answer of the model, even if the turn fails. */
  onSpend?: (usage: TokenUsage) => void
}

/** Questions with their answers, oldest first. */
export type History = { role: 'user' | 'assistant'; text: string }[]

const DEFAULT_TOOL_CALLS = 20

/** Opens a conversation. Nothing is requested or connected before the first message. */
export function openConversation(options: ConversationOptions): Conversation {
  const { access, systemPrompt, temperature, hidden = [], maxToolCalls = DEFAULT_TOOL_CALLS } = options
  const messages: ModelMessage[] = (options.history ?? []).map(({ role, text }) => ({ role, content: text }))
  const servers = createTrialServers(options.servers, { connections: options.connections, serialServers: false })
  const settings = {
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(temperature !== undefined && { temperature }),
  }
  // The step that reaches the limit may contain further calls, and one more step is needed for the final text.
  const maxSteps = maxToolCalls + 2

  return {
    async say(text, signal) {
      const startedAt = performance.now()
      const toolCalls: ConversationToolCall[] = []
      let spent = NO_TOKENS

      const noteUnsent = ({ serverName = '', error, ...unsent }: UnsentCall): void => {
        const isKnown = toolCalls.some(({ toolName }) => toolName === unsent.toolName)
        if (toolCalls.length >= (isKnown ? 1 : 2) * maxToolCalls) return
        const call = { ...unsent, serverName, isError: true, resultText: error, startedAt: Date.now(), durationMs: 0 }
        toolCalls.push(call)
        options.onCall?.(call)
      }

      const callTool = async (serverName: string, toolName: string, args: Record<string, unknown>) => {
        if (toolCalls.length >= maxToolCalls) {
          const error = `No more than ${maxToolCalls} tool calls a turn: answer with what you have.`
          // The refused call is recorded, because "never called" would not be true of it.
          noteUnsent({ serverName, toolName, arguments: args, error })
          throw new RefusedCall(error)
        }
        const call: ConversationToolCall = {
          serverName,
          toolName,
          arguments: args,
          isError: true,
          resultText: 'Its outcome is not known.',
          startedAt: Date.now(),
          durationMs: 0,
        }
        toolCalls.push(call)
        options.onCall?.(call)
        const calledAt = performance.now()
        try {
          const answer = await untilAborted(servers.callTool(serverName, toolName, args, signal), signal)
          const { result, durationMs } = { ...answer, result: withoutKnown(answer.result, hidden) }
          const resultText = toToolOutput(result).value
          Object.assign(call, { isError: result['isError'] === true, resultText, durationMs })
          return result
        } catch (error) {
          signal.throwIfAborted()
          const resultText = withoutKnown(messageOf(error), hidden)
          Object.assign(call, { resultText, durationMs: performance.now() - calledAt })
          throw new RefusedCall(call.resultText, { cause: error })
        }
      }

      const turn = runModelTurn(messages, text, {
        access,
        name: { model: options.model, provider: undefined },
        settings,
        maxSteps,
        serverNames: servers.names,
        listTools: serverName => servers.listTools(serverName, signal),
        callTool,
        noteUnsent,
        spend(usage = NO_TOKENS) {
          spent = addUsage(spent, usage)
          options.onSpend?.(usage)
        },
        signal,
      })
      const end = await untilAborted(turn, signal)
      if (end.kind === 'broken') throw end.failure
      if (end.kind === 'exhausted') throw unusableAnswer(neverAnswered(maxSteps))
      const { cut } = end
      return { text: readText(end), cut, toolCalls, usage: spent, durationMs: performance.now() - startedAt }
    },
  }
}
