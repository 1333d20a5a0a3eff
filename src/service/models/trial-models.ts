import type { ModelMessage, ToolSet } from 'ai'
import { isPlainObject } from '../evals/canonical.ts'
import { RefusedCall, TrialEnd } from '../evals/trial-calls.ts'
import type { PromptContext, TrialModels } from '../evals/trial-prompt.ts'
import type { Transcript } from '../evals/types.ts'
import { chooseEndpoint, type ModelAccess } from './endpoint.ts'
import { toModelFailure } from './failures.ts'
import { loadModelLibrary, openModel, type ModelLibrary } from './library.ts'
import { nameTools } from './tool-names.ts'
import { toToolOutput } from './tool-output.ts'

/** Answers that a model may give to one prompt, tool calls included. */
export const MAX_MODEL_STEPS = 20

/**
 * The models of one trial. Its prompts are one conversation, with the tool calls and results of every turn before.
 */
export function createTrialModels(access: ModelAccess): TrialModels {
  const conversation: ModelMessage[] = []
  return {
    async run(prompt, context) {
      const endpoint = chooseEndpoint(context, access)
      const library = await loadModelLibrary()
      const model = await openModel(endpoint)
      const stop = new AbortController()
      const signal = AbortSignal.any([context.signal, stop.signal])
      const tools = await offerTools(context, library, error => stop.abort(error))
      conversation.push({ role: 'user', content: prompt })
      const { systemPrompt, temperature, toolChoice } = context.settings
      let answers = 0
      try {
        const result = await library.generateText({
          model,
          messages: conversation,
          tools,
          ...(systemPrompt !== undefined && { instructions: systemPrompt }),
          ...(temperature !== undefined && { temperature }),
          ...(toolChoice && { toolChoice }),
          // A demanded call is made once: demanded again after its result, the model could never answer.
          prepareStep: ({ stepNumber }) =>
            stepNumber > 0 && toolChoice === 'required' ? { toolChoice: 'auto' } : {},
          stopWhen: library.isStepCount(MAX_MODEL_STEPS),
          abortSignal: signal,
          // Before the tools that it asks for, so that a call without end does not hide what was spent.
          onLanguageModelCallEnd: ({ usage }) => {
            answers += 1
            context.spend(toUsage(usage))
          },
        })
        conversation.push(...result.responseMessages)
        if (answers >= MAX_MODEL_STEPS && result.finalStep.toolCalls.length > 0) throw neverAnswered()
        return { text: result.text }
      } catch (error) {
        if (error instanceof TrialEnd) throw error
        signal.throwIfAborted()
        const failure = toModelFailure(error, endpoint, library)
        throw answers > 0 ? new TrialEnd('execution_failed', failure.message, error) : failure
      }
    },
  }
}

function neverAnswered(): TrialEnd {
  return new TrialEnd(
    'execution_failed',
    `The model still called tools after ${MAX_MODEL_STEPS} steps and never answered.`,
  )
}

/** The tools of the trial's servers, called through the trial, so that each call is recorded. */
async function offerTools(
  context: PromptContext,
  { dynamicTool, jsonSchema }: ModelLibrary,
  end: (error: unknown) => void,
): Promise<ToolSet> {
  const listed = await Promise.all(
    context.serverNames.map(async serverName =>
      (await context.listTools(serverName)).map(tool => ({ serverName, toolName: tool.name, tool })),
    ),
  )
  const tools: ToolSet = {}
  for (const [name, { serverName, toolName, tool }] of nameTools(listed.flat())) {
    tools[name] = dynamicTool({
      ...(tool.description !== undefined && { description: tool.description }),
      inputSchema: jsonSchema(tool.inputSchema ?? { type: 'object', properties: {} }),
      async execute(input) {
        if (!isPlainObject(input)) return refusal('The arguments of a tool are a JSON object.')
        try {
          return await context.callTool(serverName, toolName, input)
        } catch (error) {
          if (error instanceof RefusedCall) return refusal(error.message)
          // The library would hand this to the model and ask again, though the trial has ended.
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

/** Endpoints may leave out the total. */
function toUsage({ inputTokens, outputTokens, totalTokens }: Counted): NonNullable<Transcript['usage']> {
  return {
    totalTokens: totalTokens ?? (inputTokens ?? 0) + (outputTokens ?? 0),
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
  }
}
