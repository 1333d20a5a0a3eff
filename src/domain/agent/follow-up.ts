import { AGENT_HISTORY, type AgentMessage, type AgentTurn } from '../../api/contract/agent.ts'

/**
 * Returns the messages of a question that follows earlier turns: the latest questions and replies that fit into a
 * request. A turn without a reply is left out.
 * @param turns of one conversation, newest first
 */
export function followUp(turns: readonly Pick<AgentTurn, 'question' | 'reply'>[], question: string): AgentMessage[] {
  const messages: AgentMessage[] = [{ role: 'user', content: question }]
  let bytes = utf8(question).length
  for (const turn of turns) {
    const [asked, reply] = [fitting(turn.question), fitting(turn.reply ?? '')]
    if (reply === '') continue
    bytes += utf8(asked).length + utf8(reply).length
    if (bytes > AGENT_HISTORY.bytes || messages.length + 2 > AGENT_HISTORY.messages) break
    messages.unshift({ role: 'user', content: asked }, { role: 'assistant', content: reply })
  }
  return messages
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** Cuts a text to what fits into one message. */
function fitting(text: string): string {
  const bytes = utf8(text.slice(0, AGENT_HISTORY.messageCharacters)).subarray(0, AGENT_HISTORY.messageBytes)
  // A character that is cut in half is left out, since its replacement could be longer.
  return new TextDecoder().decode(bytes, { stream: true })
}
