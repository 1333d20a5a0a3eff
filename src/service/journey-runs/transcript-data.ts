import type { JourneyMessageRow } from './session-rows.ts'

/** Longest pieces of a transcript that a model is shown, in characters. */
const MAX_TEXT = 6000
const MAX_RESULT = 2000

/** What was said, as data; `withTools` adds what the assistant called and was told. */
export function toData(messages: readonly JourneyMessageRow[], withTools: boolean): object[] {
  return messages.map(({ role, text, toolCalls }) => ({
    from: role === 'user' ? 'persona' : 'assistant',
    ...(withTools &&
      toolCalls.length > 0 && {
        toolCalls: toolCalls.map(({ serverName, toolName, arguments: args, isError, resultText }) => ({
          server: serverName,
          tool: toolName,
          arguments: clip(JSON.stringify(args), MAX_RESULT),
          failed: isError,
          result: clip(resultText, MAX_RESULT),
        })),
      }),
    text: clip(text, MAX_TEXT),
  }))
}

function clip(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}… (${text.length - limit} characters more)`
}
