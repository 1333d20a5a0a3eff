import type { ChatMessage } from '../../api/contract/chat.ts'
import { titleOf } from './call-case.ts'
import type { CaseForm } from './case-form.ts'

/**
 * Returns a case that repeats the prompts of a conversation, and asserts that the same tools are called and that there
 * is an answer.
 */
export function caseOfConversation(messages: readonly ChatMessage[]): CaseForm {
  const asked = messages.filter(({ role }, index) => role === 'user' && messages[index + 1]?.role === 'assistant')
  const answers = messages.filter(({ role }) => role === 'assistant')
  const called = answers.flatMap(({ toolCalls }) => toolCalls.filter(({ isError }) => !isError))
  const tools = [...new Set(called.map(({ toolName }) => toolName))]
  const assertions = [
    ...tools.map(toolName => ({ type: 'toolCalledAtLeastOnce', toolName })),
    { type: 'finalAssistantMessageNonEmpty' },
  ]
  return {
    title: titleOf(asked[0]?.text ?? 'A conversation'),
    steps: [
      ...asked.map(({ text }, index) => ({ id: `prompt-${index + 1}`, kind: 'prompt' as const, prompt: text })),
      ...assertions.map((assertion, index) => ({ id: `assert-${index + 1}`, kind: 'assert' as const, assertion })),
    ],
  }
}
