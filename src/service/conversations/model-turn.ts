import { isPlainObject } from '../../api/contract/shapes.ts'
import type { ModelMessage, ToolSet } from 'ai'
import { defined, MAX_INPUT_LEVELS, TOO_DEEP } from '../../lib/json.ts'
import type { Tool } from '../connections/types.ts'
import type { ServiceError } from '../core/errors.ts'
import { RefusedCall, TrialEnd } from '../evals/trial-calls.ts'
import type { TrialModels } from '../evals/trial-prompt.ts'
import type { PromptSettings, UnsentCall } from '../evals/types.ts'
import { chooseEndpoint, type ModelAccess, type ModelName } from '../models/endpoint.ts'
import { toModelFailure, loadModelLibrary, openModel, type ModelLibrary } from '../models/library.ts'
import { toToolOutput } from '../models/tool-output.ts'
import { readUsage, type TokenUsage } from '../core/token-usage.ts'
/** Provides the tools of a turn and records their calls. */
export type TurnTools = {
  serverNames: readonly string[]
  listTools(serverName: string): Promise<Tool[]>
  /** Returns the MCP result. The model is told of a {@link RefusedCall}; any other rejection ends the turn. */
  callTool(serverName: string, toolName: string, args: Record<string, unknown>): Promise<Record<string, unknown>>
  /** Records a call that the model made but that was not sent, so that it does not count as never made. */
  noteUnsent(call: UnsentCall): void
}

export type TurnRequest = TurnTools & {
  access: ModelAccess
  name: ModelName
  settings: PromptSettings
  /** Maximum number of the model's answers, including those that only contain tool calls. */
  maxSteps: number
  /** Number of times that a request is repeated if the endpoint refused it. Default: the library's own number. */
  maxRetries?: number
  /** Called with the usage of each answer before its tool calls run; undefined if the endpoint reports none. */
  spend(usage: TokenUsage | undefined): void
  signal: AbortSignal
}

/**
 * The end of a turn. `broken` means that the endpoint failed after `answers` answers. `cut` says why a text is
 * incomplete.
 */
export type TurnEnd =
  | { kind: 'answered'; text: string; cut: string | undefined }
  | { kind: 'exhausted' }
  | { kind: 'broken'; failure: ServiceError; answers: number }

/**
 * Lets a model use tools until it answers with text, and adds calls and answer to the conversation. Rejects with the
 * signal's reason, with the error that ended a tool call, or with a ServiceError of the choice of endpoint or the
 * listing of tools.
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
  const offered = await nameOffered(request)
  const tools = offerTools(offered, request, library, error => stop.abort(error))
  const { systemPrompt, temperature, toolChoice } = request.settings
  const { maxRetries } = request
  const said: ModelMessage = { role: 'user', content: prompt }
  let answers = 0
  try {
    const result = await library.generateText({
      model,
      messages: [...conversation, said],
      tools,
      ...defined({ instructions: systemPrompt, temperature, toolChoice, maxRetries }),
      // A call can be required only in the first step. If it were required in every step, the model could never answer.
      prepareStep: ({ stepNumber }) => (stepNumber > 0 && toolChoice === 'required' ? { toolChoice: 'auto' } : {}),
      stopWhen: library.isStepCount(request.maxSteps),
      abortSignal: signal,
      onLanguageModelCallEnd: ({ usage, content }) => {
        answers += 1
        request.spend(readUsage(usage))
        for (const part of content) {
          // The library tells the model that these calls were refused. Here they are only recorded.
          if (part.type !== 'tool-call' || !part.invalid) continue
          request.noteUnsent(toUnsent(part.toolName, part.input, offered.get(part.toolName)))
        }
      },
    })
    if (answers >= request.maxSteps && result.finalStep.toolCalls.length > 0) return { kind: 'exhausted' }
    conversation.push(said, ...result.responseMessages)
    return { kind: 'answered', text: result.text, cut: cutOf(result) }
  } catch (error) {
    signal.throwIfAborted()
    return { kind: 'broken', failure: toModelFailure(error, endpoint, library), answers }
  }
}

/** Messages for the reasons why an answer ends early although the model did not end it. */
const CUTS: Readonly<Record<string, string>> = {
  length: 'The model ran out of tokens: this answer is cut off.',
  'content-filter': 'The model or its endpoint withheld the answer, or the rest of it.',
  error: 'The endpoint ended the answer with an error.',
}

/**
 * Returns why an answer was cut. If the text is empty, the endpoint may have its own reason, such as a malformed call.
 */
function cutOf({ text, finishReason, rawFinishReason = '' }: TurnResult): string | undefined {
  if (CUTS[finishReason] !== undefined || finishReason === 'stop' || text.trim() !== '') return CUTS[finishReason]
  const named = rawFinishReason === '' ? '' : ` and gave "${rawFinishReason.slice(0, 60)}" as the reason`
  return `The endpoint ended the turn without an answer${named}.`
}

type TurnResult = { text: string; finishReason: string; rawFinishReason?: string | undefined }

/** Returns an answer as text to show, with a note if it was cut. */
export function readText({ text, cut }: Extract<TurnEnd, { kind: 'answered' }>): string {
  return cut === undefined ? text : `${text.trim()}\n\n(${cut})`.trimStart()
}

/** Message for a model that returns neither text nor calls. */
export const NO_ANSWER = 'The model ended the turn without an answer.'

/** Returns the message for a model that still makes calls in its last step. */
export function neverAnswered(maxSteps: number): string {
  return `The model still called tools after ${maxSteps} steps and never answered.`
}

function toUnsent(name: string, input: unknown, offered: OfferedTool | undefined): UnsentCall {
  const args = isPlainObject(input) ? input : {}
  if (!offered) return { toolName: name, arguments: args, error: 'No server of the run has a tool of this name.' }
  const { serverName, toolName } = offered
  return { serverName, toolName, arguments: args, error: NO_OBJECT }
}

const NO_OBJECT = 'The arguments of a tool are a JSON object.'

type OfferedTool = ServerTool & { tool: Tool }

async function nameOffered({ serverNames, listTools }: TurnTools): Promise<Map<string, OfferedTool>> {
  const listed = await Promise.all(
    serverNames.map(async serverName =>
      (await listTools(serverName)).map(tool => ({ serverName, toolName: tool.name, tool })),
    ),
  )
  return nameTools(listed.flat())
}

function offerTools(
  offered: ReadonlyMap<string, OfferedTool>,
  { callTool, noteUnsent }: TurnTools,
  { dynamicTool, jsonSchema }: ModelLibrary,
  end: (error: unknown) => void,
): ToolSet {
  const tools: ToolSet = {}
  for (const [name, { serverName, toolName, tool }] of offered) {
    const refuse = (args: Record<string, unknown>, error: string) => {
      noteUnsent({ serverName, toolName, arguments: args, error })
      return refusal(error)
    }
    tools[name] = dynamicTool({
      ...(tool.description !== undefined && { description: tool.description }),
      inputSchema: jsonSchema(tool.inputSchema ?? { type: 'object', properties: {} }),
      async execute(input) {
        if (input === TOO_DEEP) return refuse({}, `The arguments of a tool have at most ${MAX_INPUT_LEVELS} levels.`)
        if (!isPlainObject(input)) return refuse({}, NO_OBJECT)
        try {
          return await callTool(serverName, toolName, input)
        } catch (error) {
          if (error instanceof RefusedCall) return refusal(error.message)
          // The library would report this error to the model and ask again, although the turn has ended.
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

/** Maximum number of the model's answers to one prompt, including those that only contain tool calls. */
export const MAX_MODEL_STEPS = 20

/** Maximum number of tool calls for one prompt. A single answer can contain thousands. */
export const MAX_MODEL_CALLS = 200

/**
 * Creates the models of one trial. The prompts of a trial form one conversation, which includes earlier tool calls and
 * results.
 */
export function createTrialModels(access: ModelAccess): TrialModels {
  const conversation: ModelMessage[] = []
  return {
    async run(prompt, { model, provider, ...context }) {
      const name = { model, provider }
      let calls = 0
      const callTool: TurnTools['callTool'] = async (...call) => {
        calls += 1
        if (calls > MAX_MODEL_CALLS) throw new TrialEnd('execution_failed', tooManyCalls())
        return await context.callTool(...call)
      }
      const noteUnsent: TurnTools['noteUnsent'] = call => {
        calls += 1
        if (calls <= MAX_MODEL_CALLS) context.noteUnsent(call)
      }
      const maxSteps = MAX_MODEL_STEPS
      const request = { ...context, callTool, noteUnsent, access, name, maxSteps }
      const end = await runModelTurn(conversation, prompt, request)
      if (end.kind === 'answered') {
        // An answer that was cut must not be judged: "never called" or "does not contain" could be true by accident.
        if (end.cut !== undefined) throw new TrialEnd('execution_failed', end.cut)
        if (calls === 0 && end.text.trim() === '') throw new TrialEnd('execution_failed', NO_ANSWER)
        return { text: end.text }
      }
      if (end.kind === 'exhausted') throw new TrialEnd('execution_failed', neverAnswered(MAX_MODEL_STEPS))
      const { failure, answers } = end
      throw answers > 0 ? new TrialEnd('execution_failed', failure.message, failure) : failure
    },
  }
}

function tooManyCalls(): string {
  return `The model called tools more than ${MAX_MODEL_CALLS} times for one prompt.`
}

/** Longest name of a tool that every provider accepts. */
const MAX_LENGTH = 64

type ServerTool = { serverName: string; toolName: string }

/** Gives each tool a unique name that every provider accepts. Equal lists of tools get equal names. */
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
