import type { Connections } from '../connections/engine.ts'
import { ServiceError } from '../core/errors.ts'
import { requireModel } from '../models/ask.ts'
import { unusableAnswer } from '../models/library.ts'
import type { ModelSettings } from '../models/endpoint.ts'
import type { ServerRow } from '../servers/rows.ts'
import type { ServerTargets } from '../servers/targets.ts'
import { NO_ANSWER } from './model-turn.ts'
import { openConversation, type Conversation, type ConversationOptions, type History } from './conversation.ts'

/** The engines that an assistant needs. */
export type AssistantEngines = { connections: Connections; targets: ServerTargets; models: ModelSettings | undefined }

export type AssistantParts = Pick<ConversationOptions, 'history' | 'hidden' | 'onCall' | 'onSpend'> & {
  config: Readonly<Record<string, unknown>>
  servers: readonly ServerRow[]
  /** Absent means the configured model. */
  model: string | undefined
}

/**
 * Opens the assistant of a client with the tools of the enabled servers.
 * @throws ServiceError `FEATURE_NOT_SUPPORTED`
 */
export function openAssistant({ connections, targets, models }: AssistantEngines, parts: AssistantParts): Conversation {
  const { config, servers, model, ...more } = parts
  const { systemPrompt, temperature, requireToolApproval } = config
  if (requireToolApproval === true)
    throw new ServiceError(
      'FEATURE_NOT_SUPPORTED',
      'The client asks for approval of each tool call, which cannot be given in a conversation here.',
    )
  const access = { configured: models, keys: {} }
  requireModel(access, { model })
  const conversation = openConversation({
    access,
    model,
    ...(typeof systemPrompt === 'string' && { systemPrompt }),
    ...(typeof temperature === 'number' && { temperature }),
    servers: servers.filter(({ enabled }) => enabled).map(row => targets.of(row)),
    connections,
    ...more,
  })
  return {
    async say(text, signal) {
      const turn = await conversation.say(text, signal)
      if (turn.text.trim() === '') throw unusableAnswer(NO_ANSWER)
      return turn
    },
  }
}

/** Number of earlier questions, with their answers, that an assistant is given. */
const REMEMBERED_TURNS = 20

/** Returns the latest questions with their answers. Questions that were never answered are left out. */
export function historyOf(messages: readonly { role: string; text: string }[]): History {
  const history: History = []
  let asked: string | undefined
  for (const { role, text } of messages) {
    if (role === 'user') asked = text
    if (role !== 'assistant' || asked === undefined) continue
    history.push({ role: 'user', text: asked }, { role, text })
    asked = undefined
  }
  return history.slice(-2 * REMEMBERED_TURNS)
}
