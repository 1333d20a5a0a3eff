import { isPlainObject } from '../../api/contract/shapes.ts'
import type { ModelMessage, ToolSet } from 'ai'
import { defined, hasMoreLevels, MAX_INPUT_LEVELS } from '../../lib/json.ts'
import type { Tool } from '../connections/types.ts'
import type { ServiceError } from '../core/errors.ts'
import { RefusedCall, TrialEnd } from '../evals/trial-calls.ts'
import type { TrialModels } from '../evals/trial-prompt.ts'
import type { PromptSettings } from '../evals/types.ts'
import { chooseEndpoint, type ModelAccess, type ModelName } from '../models/endpoint.ts'
import { toModelFailure } from '../models/failures.ts'
import { loadModelLibrary, openModel, type ModelLibrary } from '../models/library.ts'
import { toToolOutput } from '../models/tool-output.ts'

/** Tokens of one answer; endpoints may leave out all but the sum, which is made where it is missing. */
export type TurnUsage = { inputTokens?: number; outputTokens?: number; totalTokens: number }

/** Where the tools of a turn come from, and who records their calls. */
export type TurnTools = {
  serverNames: readonly string[]
  listTools(serverName: string): Promise<Tool[]>
  /**
   * The MCP result. Rejects with a {@link RefusedCall} that may be shown to the model; any other rejection ends the
   * turn, whatever the model makes of it.
   */
  callTool(serverName: string, toolName: string, args: Record<string, unknown>): Promise<Record<string, unknown>>
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

/** How a turn ended; `broken` is the endpoint's failure, after so many answers, `isCut` a text that tokens ended. */
export type TurnEnd =
  | { kind: 'answered'; text: string; isCut: boolean }
  | { kind: 'exhausted' }
  | { kind: 'broken'; failure: ServiceError; answers: number }

/**
 * Says something to a model and lets it use tools until it answers with text. What was said and answered is added to
 * the conversation when the turn is answered.
 * Rejects with the signal's reason, with what ended a tool call, or with what kept the turn from beginning: a
 * ServiceError of the choice of the endpoint or of a server's tools.
 */
export async function runModelTurn(
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
      ...defined({ instructions: systemPrompt, temperature, toolChoice }),
      // A demanded call is made once: demanded again after its result, the model could never answer.
      prepareStep: ({ stepNumber }) => (stepNumber > 0 && toolChoice === 'required' ? { toolChoice: 'auto' } : {}),
      stopWhen: library.isStepCount(request.maxSteps),
      abortSignal: signal,
      onLanguageModelCallEnd: ({ usage }) => {
        answers += 1
        request.spend(toUsage(usage))
      },
    })
    if (answers >= request.maxSteps && result.finalStep.toolCalls.length > 0) return { kind: 'exhausted' }
    conversation.push(said, ...result.responseMessages)
    return { kind: 'answered', text: result.text, isCut: result.finishReason === 'length' }
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

type Counted = { inputTokens: number | undefined; outputTokens: number | undefined; totalTokens: number | undefined }

function toUsage({ inputTokens, outputTokens, totalTokens }: Counted): TurnUsage {
  const total = totalTokens ?? (inputTokens ?? 0) + (outputTokens ?? 0)
  return defined({ totalTokens: total, inputTokens, outputTokens })
}

/** Answers that a model may give to one prompt, tool calls included. */
export const MAX_MODEL_STEPS = 20

/**
 * The models of one trial. Its prompts are one conversation, with the tool calls and results of every turn before.
 */
export function createTrialModels(access: ModelAccess): TrialModels {
  const conversation: ModelMessage[] = []
  return {
    async run(prompt, { model, provider, ...context }) {
      const name = { model, provider }
      const end = await runModelTurn(conversation, prompt, { ...context, access, name, maxSteps: MAX_MODEL_STEPS })
      if (end.kind === 'answered') return { text: end.text }
      if (end.kind === 'exhausted') throw new TrialEnd('execution_failed', neverAnswered(MAX_MODEL_STEPS))
      const { failure, answers } = end
      throw answers > 0 ? new TrialEnd('execution_failed', failure.message, failure) : failure
    },
  }
}

/** Longest name of a tool that every provider takes. */
const MAX_LENGTH = 64

type ServerTool = { serverName: string; toolName: string }

/**
 * A name for each tool that no other has and every provider takes: the tool's own where it is free, else with its
 * server's before it, else with a number behind it. The same tools in the same order get the same names.
 */
export function nameTools<T extends ServerTool>(tools: readonly T[]): Map<string, T> {
  const own = Map.groupBy(tools, ({ toolName }) => clean(toolName))
  const named = new Map<string, T>()
  for (const tool of tools) {
    const plain = clean(tool.toolName)
    const wanted = own.get(plain)?.length === 1 ? plain : clean(`${tool.serverName}__${tool.toolName}`)
    named.set(
      firstFree(wanted, name => named.has(name) || (name !== plain && own.has(name))),
      tool,
    )
  }
  return named
}

function clean(name: string): string {
  return name.replaceAll(/[^\w-]/g, '_').slice(0, MAX_LENGTH) || '_'
}

function firstFree(wanted: string, isTaken: (name: string) => boolean): string {
  let name = wanted
  for (let number = 2; isTaken(name); number += 1) {
    const ending = `_${number}`
    name = wanted.slice(0, MAX_LENGTH - ending.length) + ending
  }
  return name
}
