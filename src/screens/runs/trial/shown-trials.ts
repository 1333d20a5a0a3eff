import type { EvalIteration } from '../../../api/contract/iterations.ts'
import { defined } from '../../../lib/json.ts'

type Calls = EvalIteration['actualToolCalls']

/**
 * Returns a page of trials with only what the screen shows of them. A run can have ten thousand, and scores,
 * configuration and the results of calls are ten times as large as the rest; anyone who opens a trial reads them.
 * Trials of one case say the same in many places, which is kept once.
 */
export function withShownTrials<Page extends { items: EvalIteration[] }>(page: Page): Page {
  const texts = onceEach<string>()
  const lists = onceEach<Calls>()
  const words = <T extends string | null | undefined>(text: T) => (text == null ? text : texts(text, text))
  const calls = (all: Calls): Calls => {
    if (all == null) return all
    const asked = all.map(askedOf)
    return lists(JSON.stringify(asked), asked)
  }
  const items = page.items.map((trial): EvalIteration => {
    const broken = (trial.scores ?? []).filter(({ status }) => status === 'error').map(brokenScore)
    return {
      id: trial.id,
      testCaseId: words(trial.testCaseId),
      title: words(trial.title),
      iterationNumber: trial.iterationNumber,
      status: texts(trial.status, trial.status),
      result: words(trial.result),
      startedAt: trial.startedAt,
      durationMs: trial.durationMs,
      model: words(trial.model),
      provider: words(trial.provider),
      tokensUsed: trial.tokensUsed,
      error: words(trial.error),
      trialClass: typeof trial['trialClass'] === 'string' ? words(trial['trialClass']) : undefined,
      ...(broken.length > 0 && { scores: broken }),
      expectedToolCalls: calls(trial.expectedToolCalls),
      actualToolCalls: calls(trial.actualToolCalls),
    }
  })
  return { ...page, items }
}

/** Returns a function that returns the first value it was given under a name. */
function onceEach<T>(): (name: string, value: T) => T {
  const known = new Map<string, T>()
  return (name, value) => {
    if (!known.has(name)) known.set(name, value)
    return known.get(name) ?? value
  }
}

type Score = NonNullable<EvalIteration['scores']>[number]

/** Says that a grader broke, and how. */
function brokenScore({ scorerId, status, error }: Score): Score {
  return { scorerId, status, ...(error != null && { error }) }
}

/** Returns the called tool, its input, and whether it failed; without the result. */
function askedOf(call: Record<string, unknown>): Record<string, unknown> {
  const { toolName, name, arguments: given, args, error, result } = call
  const { isError } = Object(result) as { isError?: unknown }
  return {
    ...defined({ toolName, name, arguments: given, args }),
    ...(error != null && { error }),
    ...(isError === true && { result: { isError } }),
  }
}
