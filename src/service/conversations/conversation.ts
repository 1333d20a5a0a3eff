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

/** A call made by the assistant. */
export type ConversationToolCall = {
  /** Empty for a tool that no server has. */
  serverName: string
  toolName: string
  arguments: Record<string, unknown>
  /** True for the tool's own error, and for a server that is unreachable, silent or refuses the call. */
  isError: boolean
  /** The result as given to the assistant; written by the server, and therefore untrusted. */
  resultText: string
  /** Epoch milliseconds. */
  startedAt: number
  durationMs: number
}

/** An answer of the assistant with its calls and costs. */
export type ConversationTurn = {
  text: string
  /** In the order in which they started. */
  toolCalls: ConversationToolCall[]
  usage: TokenUsage
  durationMs: number
}

/** An assistant with a memory of the conversation, which uses the tools of real servers. */
export type Conversation = {
  /**
   * Sends a message and waits for the answer. Rejects with a ServiceError of the model or of listing tools, or the
   * signal's reason; the message is then dropped.
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
  connections: Pick<Connections, 'use'>
  /** Texts hidden from the assistant in what tools return. Default: nothing. */
  hidden?: readonly string[]
  /** Maximum number of calls in one turn. Default 20. */
  maxToolCalls?: number
  history?: History
  /** Called when a call starts; its result is set on it later. */
  onCall?: (call: ConversationToolCall) => void
  /** Called with the usage of each answer, even in a turn that fails. */
  onSpend?: (usage: TokenUsage) => void
}

/** Questions with their answers, oldest first. */
export type History = { role: 'user' | 'assistant'; text: string }[]

const DEFAULT_TOOL_CALLS = 20

/** Opens a conversation; nothing is requested or connected before the first message. */
export function openConversation(options: ConversationOptions): Conversation {
  const { access, systemPrompt, temperature, hidden = [], maxToolCalls = DEFAULT_TOOL_CALLS } = options
  const messages: ModelMessage[] = (options.history ?? []).map(({ role, text }) => ({ role, content: text }))
  const servers = createTrialServers(options.servers, { connections: options.connections, serialServers: false })
  const settings = {
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(temperature !== undefined && { temperature }),
  }
  // One answer may request more calls than the limit, and the next must still be the text.
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
          // A tool that the model tried to call was not "never called" either.
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
      return { text: readText(end), toolCalls, usage: spent, durationMs: performance.now() - startedAt }
    },
  }
}
