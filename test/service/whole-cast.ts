import { advice, isForAdvice, isForDiscovery } from './graded-waves.ts'
import { cast, json } from './journey-cast.ts'
import { adder, KEY } from './model-runs.ts'
import { scriptedModel, type Asked } from './scripted-model.ts'

/** The message of a visitor whom the assistant answers with a call that the tool refuses. */
export const MISHAP = 'Add two and 3'

/** A model for a whole workspace: persona, assistant, grader and adviser; `env` configures it for a program. */
export async function wholeCast() {
  const play = cast({
    assistant: (asked: Asked) =>
      asked.prompts.at(-1) === MISHAP && asked.results.length === 0
        ? { calls: [{ name: 'get-sum', args: { a: 'two', b: 3 } }] }
        : adder(asked),
  })
  const model = await scriptedModel(asked => {
    if (isForDiscovery(asked)) return json({ observations: [] })
    return isForAdvice(asked) ? advice(asked) : play(asked)
  })
  return {
    asked: model.asked,
    env: { MCPDECK_MODEL_BASE_URL: model.settings.baseUrl, MCPDECK_MODEL_API_KEY: KEY, MCPDECK_MODEL: 'player' },
  }
}
