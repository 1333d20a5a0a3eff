import { expect, test } from 'vitest'
import { MAX_MODEL_CALLS } from '../../src/service/conversations/model-turn.ts'
import { BOUNDS } from '../../src/lib/bounds.ts'
import { MODEL_KINDS } from '../../src/service/models/endpoint.ts'
import { assert, prompt, runCases, sum } from './model-runs.ts'
import { scriptedModel, TOKENS } from './scripted-model.ts'

/** An answer of an OpenAI-compatible endpoint, with any statement about its tokens. */
const answered = (usage: unknown, more: object = {}) => ({
  raw: JSON.stringify({
    choices: [{ message: { role: 'assistant', content: 'Fine weather.' }, finish_reason: 'stop', ...more }],
    ...(usage !== undefined && { usage }),
  }),
})

const usages: Record<string, unknown> = {
  none: undefined,
  nothing: {},
  'no prompt': { completion_tokens: 5 },
  negative: { prompt_tokens: -500, completion_tokens: 5, total_tokens: -495 },
  absurd: { prompt_tokens: 1e308, completion_tokens: 1e308 },
  'beyond whole numbers': { prompt_tokens: 2 ** 60, completion_tokens: 1 },
  broken: { prompt_tokens: 3.5, completion_tokens: 0.5 },
}

test('missing or impossible token counts from an endpoint fail only the budget', async () => {
  const { settings } = await scriptedModel(({ prompts }) =>
    prompts[0] === 'plain' ? { text: 'Fine weather.' } : answered(usages[prompts[0]!]),
  )
  const budget = assert({ type: 'tokenBudgetUnder', tokens: 1000 })
  const titles = [...Object.keys(usages), 'plain']
  const cases = titles.map(title => ({ title, steps: [prompt(title), budget] }))
  const { items } = await runCases({ models: settings, trialConcurrency: 1 }, cases)
  expect(Object.fromEntries(items.map(({ title, result, tokensUsed }) => [title, { result, tokensUsed }]))).toEqual({
    ...Object.fromEntries(Object.keys(usages).map(title => [title, { result: 'failed', tokensUsed: null }])),
    plain: { result: 'passed', tokensUsed: TOKENS.input + TOKENS.output },
  })
  expect(items[0]?.error).toContain('no recorded usage')
})

test('tokens are unknown if only one of two answers counted them', async () => {
  const { settings } = await scriptedModel(({ turns }) =>
    turns.length === 1 ? answered(undefined) : { text: 'Fine weather.' },
  )
  const steps = [prompt('one'), prompt('two'), assert({ type: 'tokenBudgetUnder', tokens: 1000 })]
  const { items } = await runCases({ models: settings }, [{ title: 'both', steps }])
  expect(items[0]).toMatchObject({ result: 'failed', tokensUsed: null })
})

test.each(MODEL_KINDS)('an answer that was cut off by the token limit is not a verdict: %s', async kind => {
  const { settings } = await scriptedModel(() => ({ text: 'I shall now call', isCut: true }), kind)
  const steps = [prompt('Delete nothing'), assert({ type: 'noToolErrors' })]
  const { items, run } = await runCases({ models: settings }, [{ title: 'cut', steps, isNegativeTest: true }])
  expect(items[0]).toMatchObject({ trialClass: 'execution_failed', result: null })
  expect(items[0]?.error).toContain('ran out of tokens')
  expect(run.result).not.toBe('passed')
})

test('an answer that was withheld is not a verdict', async () => {
  const { settings } = await scriptedModel(() =>
    answered({ prompt_tokens: 9, completion_tokens: 0 }, { message: { content: '' }, finish_reason: 'content_filter' }),
  )
  const { items } = await runCases({ models: settings }, [
    { title: 'withheld', steps: [prompt('Delete nothing')], isNegativeTest: true },
  ])
  expect(items[0]).toMatchObject({ trialClass: 'execution_failed', result: null })
  expect(items[0]?.error).toContain('withheld')
})

test.each([
  ['a reason of the endpoint', 'MALFORMED_FUNCTION_CALL', '"MALFORMED_FUNCTION_CALL"'],
  ['no reason', null, 'without an answer'],
  ['the end of the turn', 'stop', 'without an answer'],
  ['calls that are not there', 'tool_calls', 'without an answer'],
])('an empty answer is not a verdict, whatever it ends with: %s', async (_, finish_reason, said) => {
  const { settings } = await scriptedModel(() =>
    answered({ prompt_tokens: 9, completion_tokens: 0 }, { message: { content: '' }, finish_reason }),
  )
  const { items } = await runCases({ models: settings }, [
    { title: 'nothing', steps: [prompt('Delete nothing')], isNegativeTest: true },
  ])
  expect(items[0]).toMatchObject({ trialClass: 'execution_failed', result: null })
  expect(items[0]?.error).toContain(said)
})

test('an endless answer is read up to a limit, and reported as too long', async () => {
  const { settings } = await scriptedModel(() => ({ raw: `{"a":"${'x'.repeat(BOUNDS.modelAnswer.most)}"}` }))
  const { items } = await runCases({ models: settings }, [{ title: 'long', steps: [prompt('Talk')] }])
  expect(items[0]).toMatchObject({ trialClass: 'setup_failed' })
  expect(items[0]?.error).toContain(`more than ${BOUNDS.modelAnswer.most} bytes`)
})

test('thousands of tool calls in one answer end the trial, and most of them are never made', async () => {
  const { settings } = await scriptedModel(({ results }) =>
    results.length === 0 ? { calls: Array.from({ length: 2000 }, () => sum) } : { text: 'Done.' },
  )
  const { items } = await runCases({ models: settings }, [{ title: 'many', steps: [prompt('Add')] }])
  expect(items[0]).toMatchObject({ trialClass: 'execution_failed' })
  expect(items[0]?.error).toContain(`more than ${MAX_MODEL_CALLS} times`)
  expect(items[0]?.actualToolCalls).toHaveLength(MAX_MODEL_CALLS)
})

/** An answer that calls a tool with arguments as spelt by the endpoint. */
const called = (name: string, args: string) => {
  const tool_calls = [{ id: 'call_odd', type: 'function', function: { name, arguments: args } }]
  const choices = [{ message: { role: 'assistant', content: null, tool_calls }, finish_reason: 'tool_calls' }]
  return { raw: JSON.stringify({ choices, usage: { prompt_tokens: 1, completion_tokens: 1 } }) }
}

const offered = { serverName: expect.any(String) as string, arguments: {} }

test.each<[string, string, string, object]>([
  ['a tool that does not exist', 'delete_everything', '{"path":"/"}', { arguments: { path: '/' } }],
  ['arguments that are no object', 'get-sum', '5', offered],
  ['arguments that break off', 'get-sum', '{"a":', offered],
])('a call that could not be sent is not reported as "never called": %s', async (_, name, args, recorded) => {
  const { settings } = await scriptedModel(({ turns }) => (turns.length === 1 ? called(name, args) : { text: 'Done.' }))
  const steps = [prompt('Call nothing')]
  const never = assert({ type: 'toolNeverCalled', toolName: name })
  const { items } = await runCases({ models: settings }, [
    { title: 'negative', steps, isNegativeTest: true },
    { title: 'never', steps: [...steps, never] },
  ])
  expect(items.map(({ title, result }) => [title, result])).toEqual([
    ['negative', 'failed'],
    ['never', 'failed'],
  ])
  expect(items[0]?.error).toContain(`expected no tool call (negative case); actual: ${name}`)
  const call = { toolName: name, ...recorded, error: expect.any(String) as string }
  expect(items[0]?.['actualToolCalls']).toEqual([expect.objectContaining(call)])
})
