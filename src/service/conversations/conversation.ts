import type { ModelMessage } from 'ai'
import { untilAborted } from '../core/deadline.ts'
import type { Connections } from '../connections/engine.ts'
import type { ServerTarget } from '../connections/types.ts'
import { ServiceError } from '../core/errors.ts'
import { messageOf } from '../core/one-line.ts'
import { RefusedCall } from '../evals/trial-calls.ts'
import type { ModelAccess } from '../models/endpoint.ts'
import { toToolOutput } from '../models/tool-output.ts'
import { createTrialServers } from '../evals/trial-servers.ts'
import { neverAnswered, runModelTurn } from './model-turn.ts'

/** A call that the assistant made. */
export type ConversationToolCall = {
  serverName: string
  toolName: string
  arguments: Record<string, unknown>
  /** The tool's own error as well as a server that cannot be reached, stays silent or refuses the call. */
  isError: boolean
  /** What the assistant was told of the result; the server's own words and therefore hostile. */
  resultText: string
  /** Epoch milliseconds. */
  startedAt: number
  durationMs: number
}

export type ConversationUsage = { inputTokens: number; outputTokens: number; totalTokens: number }

/** One answer of the assistant with everything it took. */
export type ConversationTurn = {
  text: string
  /** In the order in which they were begun. */
  toolCalls: ConversationToolCall[]
  usage: ConversationUsage
  durationMs: number
}

/** An assistant that remembers what was said, and works with the tools of real servers. */
export type Conversation = {
  /**
   * Says something and waits for the answer. After a rejection nothing was said, and it may be said again.
   * Rejects with a ServiceError when the model refuses or breaks, or when the tools of a server cannot be listed; with
   * the signal's reason when it aborts.
   */
  say(text: string, signal: AbortSignal): Promise<ConversationTurn>
}

export type ConversationOptions = {
  access: ModelAccess
  /** Absent = the configured one. */
  model: string | undefined
  systemPrompt?: string
  temperature?: number
  servers: ServerTarget[]
  connections: Connections
  /** Calls of one turn; more are refused. Default 20. */
  maxToolCalls?: number
  /** What was said before, oldest first. */
  history?: History
  /** Hears of each call as it begins; its outcome is set on it later. */
  onCall?: (call: ConversationToolCall) => void
}

/** Questions with their answers, oldest first. */
export type History = { role: 'user' | 'assistant'; text: string }[]

const DEFAULT_TOOL_CALLS = 20

/** Opens a conversation; nothing is asked or connected before something is said. */
export function openConversation(options: ConversationOptions): Conversation {
  const { access, systemPrompt, temperature, maxToolCalls = DEFAULT_TOOL_CALLS } = options
  const messages: ModelMessage[] = (options.history ?? []).map(({ role, text }) => ({ role, content: text }))
  const servers = createTrialServers(options.servers, { connections: options.connections, serialServers: false })
  const settings = {
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(temperature !== undefined && { temperature }),
  }
  // One answer may ask for more than the limit, and the next one still has to be the text.
  const maxSteps = maxToolCalls + 2

  return {
    async say(text, signal) {
      const startedAt = performance.now()
      const toolCalls: ConversationToolCall[] = []
      const usage: ConversationUsage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }

      const callTool = async (serverName: string, toolName: string, args: Record<string, unknown>) => {
        if (toolCalls.length >= maxToolCalls)
          throw new RefusedCall(`No more than ${maxToolCalls} tool calls a turn: answer with what you have.`)
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
          const { result, durationMs } = await untilAborted(
            servers.callTool(serverName, toolName, args, signal),
            signal,
          )
          const resultText = toToolOutput(result).value
          Object.assign(call, { isError: result['isError'] === true, resultText, durationMs })
          return result
        } catch (error) {
          signal.throwIfAborted()
          Object.assign(call, { resultText: messageOf(error), durationMs: performance.now() - calledAt })
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
        spend({ inputTokens = 0, outputTokens = 0, totalTokens }) {
          usage.inputTokens += inputTokens
          usage.outputTokens += outputTokens
          usage.totalTokens += totalTokens
        },
        signal,
      })
      const end = await untilAborted(turn, signal)
      if (end.kind === 'broken') throw end.failure
      if (end.kind === 'exhausted') throw new ServiceError('INTERNAL_ERROR', neverAnswered(maxSteps))
      return { text: end.text, toolCalls, usage, durationMs: performance.now() - startedAt }
    },
  }
}
