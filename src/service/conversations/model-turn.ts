import type { ModelMessage, ToolSet } from 'ai'
import { hasMoreLevels, MAX_INPUT_LEVELS } from '../../lib/json-depth.ts'
import type { Tool } from '../connections/types.ts'
import type { ServiceError } from '../core/errors.ts'
import { isPlainObject } from '../core/canonical.ts'
import { RefusedCall } from '../evals/trial-calls.ts'
import type { PromptSettings } from '../evals/types.ts'
import { chooseEndpoint, type ModelAccess, type ModelName } from '../models/endpoint.ts'
import { toModelFailure } from '../models/failures.ts'
import { loadModelLibrary, openModel, type ModelLibrary } from '../models/library.ts'
import { nameTools } from '../models/tool-names.ts'
import { toToolOutput } from '../models/tool-output.ts'

/** Tokens of one answer; endpoints may leave out all but the sum, which is made where it is missing. */
export type TurnUsage = { inputTokens?: number; outputTokens?: number; totalTokens: number }

/** Where the tools of a turn come from, and who records their calls. */
export type TurnTools = {
  serverNames: readonly string[]
  /** Every tool of one of the servers. */
  listTools(serverName: string): Promise<Tool[]>
  /**
   * The MCP result. Rejects with a {@link RefusedCall} that may be shown to the model; any other rejection ends the
   * turn, whatever the model makes of it.
   */
  callTool(
    serverName: string,
    toolName: string,
    args: Record<string, unknown>,
  ): Promise<Record<string, unknown>>
}

export type TurnRequest = TurnTools & {
  access: ModelAccess
  name: ModelName
  settings: PromptSettings
  /** Answers that the model may give, tool calls included. */
  maxSteps: number
  /** Told of each answer before the tools that it asks for, so that a call without end does not hide what was spent. */
  spend(usage: TurnUsage): void
  signal: AbortSignal
}

/** How a turn ended; `broken` is the endpoint's failure, after so many answers. */
export type TurnEnd =
  | { kind: 'answered'; text: string }
  | { kind: 'exhausted' }
  | { kind: 'broken'; failure: ServiceError; answers: number }

/**
 * Says something to a model and lets it use tools until it answers with text. What was said and answered is added to
 * the conversation when the turn is answered.
 * Rejects with the signal's reason, with what ended a tool call, or with what kept the turn from beginning: a
 * ServiceError of the choice of the endpoint or of a server's tools.
 */
export async function takeTurn(
  conversation: ModelMessage[],
  prompt: string,
  request: TurnRequest,
): Promise<TurnEnd> {
  const endpoint = chooseEndpoint(request.name, request.access)
  const library = await loadModelLibrary()
  const model = await openModel(endpoint)
  const stop = new AbortController()
  const signal = AbortSignal.any([request.signal, stop.signal])
  const tools = await offerTools(request, library, error => stop.abort(error))
  const { systemPrompt, temperature, toolChoice } = request.settings
  const said: ModelMessage = { role: 'user', content: prompt }
  let answers = 0
  try {
    const result = await library.generateText({
      model,
      messages: [...conversation, said],
      tools,
      ...(systemPrompt !== undefined && { instructions: systemPrompt }),
      ...(temperature !== undefined && { temperature }),
      ...(toolChoice && { toolChoice }),
      // A demanded call is made once: demanded again after its result, the model could never answer.
      prepareStep: ({ stepNumber }) =>
        stepNumber > 0 && toolChoice === 'required' ? { toolChoice: 'auto' } : {},
      stopWhen: library.isStepCount(request.maxSteps),
      abortSignal: signal,
      onLanguageModelCallEnd: ({ usage }) => {
        answers += 1
        request.spend(toUsage(usage))
      },
    })
    if (answers >= request.maxSteps && result.finalStep.toolCalls.length > 0) return { kind: 'exhausted' }
    conversation.push(said, ...result.responseMessages)
    return { kind: 'answered', text: result.text }
  } catch (error) {
    signal.throwIfAborted()
    return { kind: 'broken', failure: toModelFailure(error, endpoint, library), answers }
  }
}

/** What is said of a model that uses up its steps. */
export function neverAnswered(maxSteps: number): string {
  return `The model still called tools after ${maxSteps} steps and never answered.`
}

async function offerTools(
  { serverNames, listTools, callTool }: TurnTools,
  { dynamicTool, jsonSchema }: ModelLibrary,
  end: (error: unknown) => void,
): Promise<ToolSet> {
  const listed = await Promise.all(
    serverNames.map(async serverName =>
      (await listTools(serverName)).map(tool => ({ serverName, toolName: tool.name, tool })),
    ),
  )
  const tools: ToolSet = {}
  for (const [name, { serverName, toolName, tool }] of nameTools(listed.flat())) {
    tools[name] = dynamicTool({
      ...(tool.description !== undefined && { description: tool.description }),
      inputSchema: jsonSchema(tool.inputSchema ?? { type: 'object', properties: {} }),
      async execute(input) {
        if (!isPlainObject(input)) return refusal('The arguments of a tool are a JSON object.')
        if (hasMoreLevels(input, MAX_INPUT_LEVELS))
          return refusal(`The arguments of a tool have at most ${MAX_INPUT_LEVELS} levels.`)
        try {
          return await callTool(serverName, toolName, input)
        } catch (error) {
          if (error instanceof RefusedCall) return refusal(error.message)
          // The library would hand this to the model and ask again, though the turn has ended.
          end(error)
          throw error
        }
      },
      toModelOutput: ({ output }) => toToolOutput(output as Record<string, unknown>),
    })
  }
  return tools
}

function refusal(text: string): Record<string, unknown> {
  return { isError: true, content: [{ type: 'text', text }] }
}

type Counted = {
  inputTokens: number | undefined
  outputTokens: number | undefined
  totalTokens: number | undefined
}

function toUsage({ inputTokens, outputTokens, totalTokens }: Counted): TurnUsage {
  return {
    totalTokens: totalTokens ?? (inputTokens ?? 0) + (outputTokens ?? 0),
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
  }
}
