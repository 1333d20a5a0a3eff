import type { EvalIteration } from '../../api/contract/iterations.ts'

type Calls = EvalIteration['actualToolCalls']

/**
 * A page of trials with only what the screen shows of them. A run can have ten thousand, and scores, configuration and
 * the results of calls are ten times as large as the rest; the trace tells them where they are asked for. Trials of one case say
 * the same in many places, which is kept once.
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
  const items = page.items.map((trial): EvalIteration => ({
    id: trial.id,
    title: words(trial.title),
    iterationNumber: trial.iterationNumber,
    status: texts(trial.status, trial.status),
    result: words(trial.result),
    durationMs: trial.durationMs,
    model: words(trial.model),
    tokensUsed: trial.tokensUsed,
    error: words(trial.error),
    expectedToolCalls: calls(trial.expectedToolCalls),
    actualToolCalls: calls(trial.actualToolCalls),
  }))
  return { ...page, items }
}

/** Gives the value that came first under a name. */
function onceEach<T>(): (name: string, value: T) => T {
  const known = new Map<string, T>()
  return (name, value) => {
    if (!known.has(name)) known.set(name, value)
    return known.get(name) ?? value
  }
}

/** Which tool was called, and with what. */
function askedOf(call: Record<string, unknown>): Record<string, unknown> {
  const { toolName, name, arguments: given, args } = call
  return {
    ...(toolName !== undefined && { toolName }),
    ...(name !== undefined && { name }),
    ...(given !== undefined && { arguments: given }),
    ...(args !== undefined && { args }),
  }
}
