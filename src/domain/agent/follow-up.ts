import { AGENT_HISTORY, type AgentMessage, type AgentTurn } from '../../api/contract/agent.ts'

/**
 * The messages of a question that follows earlier turns: as many of their questions and replies as a request takes, the
 * latest of them. A turn without a reply counts as never asked.
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

/** As much of a text as one message takes. */
function fitting(text: string): string {
  const bytes = utf8(text.slice(0, AGENT_HISTORY.messageCharacters)).subarray(0, AGENT_HISTORY.messageBytes)
  // A character that the end splits is left out, for its stand-in could be longer.
  return new TextDecoder().decode(bytes, { stream: true })
}
