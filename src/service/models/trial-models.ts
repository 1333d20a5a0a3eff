import type { ModelMessage } from 'ai'
import { neverAnswered, takeTurn } from '../conversations/model-turn.ts'
import { TrialEnd } from '../evals/trial-calls.ts'
import type { TrialModels } from '../evals/trial-prompt.ts'
import type { ModelAccess } from './endpoint.ts'

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
      const end = await takeTurn(conversation, prompt, {
        ...context,
        access,
        name,
        maxSteps: MAX_MODEL_STEPS,
      })
      if (end.kind === 'answered') return { text: end.text }
      if (end.kind === 'exhausted') throw new TrialEnd('execution_failed', neverAnswered(MAX_MODEL_STEPS))
      const { failure, answers } = end
      throw answers > 0 ? new TrialEnd('execution_failed', failure.message, failure) : failure
    },
  }
}
