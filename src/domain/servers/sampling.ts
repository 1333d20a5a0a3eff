import { isPlainObject } from '../../api/contract/shapes.ts'

/** A message of a sampling request. `text` is undefined if it has other content, which `what` names. */
export type SamplingMessage = { role: string; text: string | undefined; what: string }

/** Maximum number of tokens that a model writes for a server, whatever the server requests. */
const MOST_TOKENS = 4096

/** Returns the maximum number of tokens for a draft. */
export function draftTokens({ maxTokens }: Record<string, unknown>): number {
  return typeof maxTokens === 'number' && maxTokens >= 1 ? Math.min(Math.floor(maxTokens), MOST_TOKENS) : MOST_TOKENS
}

/** Returns the messages of a sampling request, with one entry for each part. */
export function samplingMessages({ messages }: Record<string, unknown>): SamplingMessage[] {
  return (Array.isArray(messages) ? messages : []).flatMap((message: unknown) => {
    if (!isPlainObject(message)) return []
    const role = String(message['role'])
    return [message['content']].flat().map((part: unknown): SamplingMessage => {
      const { type, text, mimeType } = isPlainObject(part) ? part : {}
      if (type === 'text' && typeof text === 'string') return { role, text, what: 'text' }
      return { role, text: undefined, what: [type, mimeType].filter(each => typeof each === 'string').join(' ') }
    })
  })
}
