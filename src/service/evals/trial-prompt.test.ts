import { describe, expect, test } from 'vitest'
import { ServiceError } from '../core/errors.ts'
import { assert, contains, run, serversOf, step, text, toolCall } from '../../../test/service/trials.ts'
import type { TrialRequest } from './trial.ts'
import type { TrialModels } from './trial-prompt.ts'

describe('a trial with a model', () => {
  const models = (answer: TrialModels['run']): Partial<TrialRequest> => ({ models: { run: answer } })
  const prompt = step('prompt', { prompt: 'Say hi' })

  test('records turns, tool calls, usage and the final text', async () => {
    const answer: TrialModels['run'] = async (words, { callTool, spend, model, serverNames }) => {
      const result = await callTool(serverNames[0] ?? '', 'echo', { message: words })
      spend({ totalTokens: 7, inputTokens: 5, outputTokens: 2 })
      return { text: `${model}: ${JSON.stringify(result)}` }
    }
    const steps = [
      prompt,
      { ...prompt, id: 'again' },
      toolCall('echo', { message: 'later' }),
      contains('m1: '),
      assert({ type: 'tokenBudgetUnder', tokens: 15 }),
      assert({ type: 'turnCountUnder', turns: 3 }),
    ]
    const outcome = await run(steps, { model: 'm1' }, models(answer))
    expect(outcome.error).toBeUndefined()
    expect(outcome.class).toBe('passed')
    expect(outcome.transcript.usage).toEqual({ totalTokens: 14, inputTokens: 10, outputTokens: 4 })
    expect(outcome.transcript.messages.map(({ role }) => role)).toEqual([
      'user',
      'tool',
      'assistant',
      'user',
      'tool',
      'assistant',
      'tool',
    ])
  })

  test('keeps the order in which parallel calls were made', async () => {
    let release = () => {}
    const held = new Promise<void>(resolve => (release = resolve))
    const { servers } = serversOf(['one'], {
      first: () => held.then(() => text('first')),
      second: () => {
        release()
        return text('second')
      },
    })
    const both: TrialModels['run'] = async (_prompt, { callTool }) => {
      await Promise.all([callTool('one', 'first', {}), callTool('one', 'second', {})])
      return { text: 'done' }
    }
    const outcome = await run(
      [prompt, assert({ type: 'firstToolWas', toolName: 'first' })],
      {},
      { servers, ...models(both) },
    )
    expect(outcome.class).toBe('passed')
  })

  test('calls no server if its model continues after the trial has ended', async () => {
    const controller = new AbortController()
    const { servers, called } = serversOf()
    const { promise: afterwards, resolve } = Promise.withResolvers<unknown>()
    const stubborn: TrialModels['run'] = (_prompt, { callTool, signal }) => {
      signal.addEventListener('abort', () => resolve(callTool('one', 'echo', {})))
      controller.abort()
      return afterwards.then(() => ({ text: 'done' }))
    }
    const outcome = await run([prompt], {}, { servers, signal: controller.signal, ...models(stubborn) })
    expect(outcome.class).toBe('cancelled')
    await expect(afterwards).rejects.toThrow('cancelled')
    expect(called).toEqual([])
    expect(outcome.transcript.toolCalls).toEqual([])
  })

  test('ends if a server cannot be reached, whatever the model does with the error', async () => {
    const shrug: TrialModels['run'] = async (_prompt, { callTool }) => {
      await callTool('one', 'gone', {}).catch(() => undefined)
      return { text: 'I could not find anything.' }
    }
    expect(await run([prompt, contains('anything')], {}, models(shrug))).toMatchObject({ class: 'setup_failed' })
  })

  test.each([
    [new ServiceError('VALIDATION_ERROR', 'There is no key for "openai".'), 'setup_failed'],
    [new ServiceError('TIMEOUT', 'The model did not answer.'), 'timed_out'],
    [new Error('boom'), 'execution_failed'],
  ])('whose model fails with %s ends as %s', async (error, trialClass) => {
    const outcome = await run(
      [prompt],
      {},
      models(async () => {
        throw error
      }),
    )
    expect(outcome).toMatchObject({ class: trialClass, error: error.message })
  })
})
