import { describe, expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { RefusedCall, TrialEnd } from '../../src/service/evals/trial-calls.ts'
import { MODEL_KINDS } from '../../src/service/models/endpoint.ts'
import { createTrialModels, MAX_MODEL_STEPS } from '../../src/service/conversations/model-turn.ts'
import { open, sandbox, until, untilEnded } from './harness.ts'
import { adder, assert, KEY, launch, prompt, runCases, soon, sum } from './model-runs.ts'
import { referenceServerOverHttp } from './reference-server.ts'
import { scriptedModel, TOKENS } from './scripted-model.ts'

const { runs, iterations, servers, suites } = contract
describe.each(MODEL_KINDS)('a model behind an endpoint that speaks %s', kind => {
  test('calls the tools of real servers over two turns, and is judged by its calls', async () => {
    const { settings, asked } = await scriptedModel(adder, kind)
    const steps = [
      prompt('Add 2 and 3'),
      assert({ type: 'toolCalledWith', toolName: 'get-sum', args: { args: { a: 2, b: 3 } } }),
      assert({ type: 'responseContains', needle: 'The sum of 2 and 3 is 5' }),
      prompt('Once more'),
      assert({ type: 'toolCalledWith', toolName: 'get-sum', args: { args: { a: 2 } }, minCount: 2 }),
      assert({ type: 'tokenBudgetUnder', tokens: 61 }),
      assert({ type: 'turnCountUnder', turns: 3 }),
      assert({ type: 'noToolErrors' }),
    ]
    const advancedConfig = { system: 'Be brief.', temperature: 0.25 }
    const { run, items, api, projectId, runId } = await runCases({ models: { ...settings, apiKey: KEY } }, [
      { title: 'adds', steps, advancedConfig },
    ])
    expect(items[0]?.error).toBeNull()
    expect(run).toMatchObject({ status: 'completed', result: 'passed' })
    const answers = 4
    expect(items[0]).toMatchObject({
      tokensUsed: answers * (TOKENS.input + TOKENS.output),
      usage: { inputTokens: answers * TOKENS.input, outputTokens: answers * TOKENS.output },
    })
    expect(asked).toHaveLength(answers)
    expect(asked[3]).toMatchObject({
      key: KEY,
      model: 'small',
      system: 'Be brief.',
      temperature: 0.25,
      turns: ['prompt', 'model', 'result', 'model', 'prompt', 'model', 'result'],
      prompts: ['Add 2 and 3', 'Once more'],
      results: ['The sum of 2 and 3 is 5.'],
    })
    expect(asked[0]?.tools.find(({ name }) => name === 'get-sum')?.schema).toMatchObject({
      properties: { a: { type: 'number' }, b: { type: 'number' } },
    })
    const trace = await api.call(iterations.trace, { projectId, runId, iterationId: items[0]!.id })
    const { toolCalls, messages } = trace as {
      toolCalls: { actual: { durationMs: number }[] }
      messages: { role: string }[]
    }
    expect(toolCalls.actual).toHaveLength(2)
    for (const { durationMs } of toolCalls.actual) expect(durationMs).toBeGreaterThan(0)
    expect(messages.map(({ role }) => role)).toEqual(['user', 'tool', 'assistant', 'user', 'tool', 'assistant'])
  })

  test('is told about failing and unknown tools and may continue', async () => {
    const wrong = { name: 'get-sum', args: { a: 'two' } }
    const { settings, asked } = await scriptedModel(
      ({ results }) =>
        results.length === 0 ? { calls: [wrong, { name: 'no-such-tool', args: {} }, sum] } : { text: 'I found a way.' },
      kind,
    )
    const steps = [prompt('Try'), assert({ type: 'responseContains', needle: 'found a way' })]
    const { run, items } = await runCases({ models: settings }, [{ title: 'tries', steps }])
    expect(items[0]?.error).toBeNull()
    expect(run.result).toBe('passed')
    expect(items[0]?.actualToolCalls).toHaveLength(3)
    const [invalid, unknown, right] = asked[1]?.results ?? []
    expect(invalid).toMatch(/invalid/i)
    expect(unknown).toContain('no-such-tool')
    expect(right).toContain('is 5')
  })

  test('refuses a wrong key: the trial fails in set-up with the reason, without the key', async () => {
    const { settings } = await scriptedModel(
      ({ key }) => ({ status: 401, message: `Incorrect API key provided: ${key}` }),
      kind,
    )
    const { run, items } = await runCases({ models: { ...settings, apiKey: KEY } }, [
      { title: 'any', steps: [prompt('Hello')] },
    ])
    expect(run.status).toBe('failed')
    expect(items[0]).toMatchObject({ trialClass: 'setup_failed' })
    expect(items[0]?.error).toContain('refused the key with HTTP 401')
    expect(items[0]?.error).toContain(settings.baseUrl)
    expect(items[0]?.error).not.toContain(KEY)
  })
})

test('a negative case passes only when the model calls no tool', async () => {
  const { settings } = await scriptedModel(asked =>
    asked.prompts[0] === 'Just talk' ? { text: 'Fine weather.' } : adder(asked),
  )
  const { items } = await runCases({ models: settings }, [
    { title: 'talks', steps: [prompt('Just talk')], isNegativeTest: true },
    { title: 'acts', steps: [prompt('Add')], isNegativeTest: true },
  ])
  expect(items.map(({ title, result }) => [title, result])).toEqual([
    ['talks', 'passed'],
    ['acts', 'failed'],
  ])
})

test('a model that limits requests or fails is asked again, and is the reason of the failure in the end', async () => {
  let refused = 0
  const { settings, asked } = await scriptedModel(({ prompts }) => {
    if (prompts[0] === 'Fail') return { status: 500, message: 'overloaded', headers: soon }
    refused += 1
    return refused === 1 ? { status: 429, headers: soon } : { text: 'Here I am.' }
  })
  const { items } = await runCases({ models: settings, trialConcurrency: 1 }, [
    { title: 'patient', steps: [prompt('Wait'), assert({ type: 'responseContains', needle: 'here' })] },
    { title: 'hopeless', steps: [prompt('Fail')] },
  ])
  expect(items.map(({ trialClass }) => trialClass)).toEqual(['passed', 'setup_failed'])
  expect(items[1]?.error).toContain('failed with HTTP 500')
  expect(items[1]?.error).toContain('overloaded')
  expect(asked.filter(({ prompts }) => prompts[0] === 'Fail')).toHaveLength(3)
})

test('a model that never stops calling tools, or breaks after an answer, fails the trial in execution', async () => {
  const { settings } = await scriptedModel(({ prompts, results }) => {
    if (prompts[0] === 'Loop' || results.length === 0) return { calls: [sum] }
    return { status: 400, message: 'context too long' }
  })
  const { items } = await runCases({ models: settings }, [
    { title: 'loops', steps: [prompt('Loop')] },
    { title: 'breaks', steps: [prompt('Break')] },
  ])
  expect(items.map(({ trialClass }) => trialClass)).toEqual(['execution_failed', 'execution_failed'])
  expect(items[0]?.error).toContain(`after ${MAX_MODEL_STEPS} steps`)
  expect(items[0]?.actualToolCalls).toHaveLength(MAX_MODEL_STEPS)
  expect(items[0]?.tokensUsed).toBe(MAX_MODEL_STEPS * (TOKENS.input + TOKENS.output))
  expect(items[1]?.error).toContain('context too long')
})

test('a required tool call is required only once', async () => {
  const { settings, asked } = await scriptedModel(adder)
  const { run } = await runCases({ models: settings }, [
    { title: 'must', steps: [prompt('Add')], advancedConfig: { toolChoice: 'required' } },
  ])
  expect(run.result).toBe('passed')
  expect(asked.map(({ toolChoice }) => toolChoice)).toEqual(['required', 'auto'])
})

test('a silent model and an endless tool run into the deadline, and their usage is kept', async () => {
  const slow = { name: 'trigger-long-running-operation', args: { duration: 60, steps: 1 } }
  const model = await scriptedModel(({ prompts }) => (prompts[0] === 'Be slow' ? { calls: [slow] } : 'silence'))
  const { items } = await runCases({ models: model.settings, trialDeadlineMs: 8000 }, [
    { title: 'waits for the model', steps: [prompt('Hello?')] },
    { title: 'waits for the tool', steps: [prompt('Be slow')] },
  ])
  expect(items).toMatchObject([
    { trialClass: 'timed_out', tokensUsed: null },
    { trialClass: 'timed_out', tokensUsed: TOKENS.input + TOKENS.output },
  ])
  expect(model.asked).toHaveLength(2)
  await until(
    () => model.waiting,
    waiting => waiting === 0,
  )
})

test('cancelling during a trial ends it and closes the request to the model', async () => {
  const model = await scriptedModel(asked => (asked.results.length === 0 ? { calls: [sum] } : 'silence'))
  const { api, settle } = await open({ models: model.settings })
  const { projectId, runId } = await launch(api, [{ title: 'waits', steps: [prompt('Add')] }])
  await until(
    () => model.asked.length,
    asked => asked === 2,
  )
  expect(await api.call(runs.cancel, { projectId, runId })).toMatchObject({ status: 'cancelled' })
  await settle()
  await until(
    () => model.waiting,
    waiting => waiting === 0,
  )
  const { items } = await api.call(iterations.list, { projectId, runId })
  expect(items[0]).toMatchObject({ status: 'cancelled', trialClass: 'cancelled' })
})

test('a model continues after a refused call, and is not asked again once the trial has ended', async () => {
  const { settings, asked } = await scriptedModel(adder)
  const { run } = createTrialModels({ configured: settings, keys: {} })
  const ask = (failure: Error) =>
    run('Add', {
      model: 'small',
      provider: undefined,
      settings: {},
      serverNames: ['one'],
      signal: new AbortController().signal,
      listTools: () => Promise.resolve([{ name: 'get-sum' }]),
      spend: () => {},
      callTool: () => Promise.reject(failure),
      noteUnsent: () => {},
    })
  expect(await ask(new RefusedCall('not today'))).toEqual({ text: 'It says: not today' })
  asked.length = 0
  await expect(ask(new TrialEnd('execution_failed', 'The server is gone.'))).rejects.toThrow('is gone')
  expect(asked).toHaveLength(1)
})

test('the suite’s settings and model apply if the case has none, and the launch’s model overrides both', async () => {
  const { settings, asked } = await scriptedModel(() => ({ text: 'Yes.' }))
  const { api } = await open({ models: settings })
  const { projectId, serverId } = await sandbox(api)
  const tests = [{ title: 'asks', steps: [prompt('Hello')] }]
  const body = { name: 'Own', model: 'gateway/large', serverIds: [serverId], tests }
  const { suiteId } = await api.call(suites.create, { projectId, body })
  const executionConfig = { systemPrompt: 'You are the suite.', temperature: 0.5 }
  await api.call(suites.update, { projectId, suiteId, body: { executionConfig } })
  for (const model of [undefined, 'other/small']) {
    const created = await api.call(runs.create, { projectId, body: { suiteId, ...(model && { model }) } })
    await untilEnded(api, projectId, created.runId)
  }
  const words = { system: 'You are the suite.', temperature: 0.5 }
  expect(asked).toMatchObject([
    { ...words, model: 'gateway/large' },
    { ...words, model: 'other/small' },
  ])
})

test('tools of the same name on two servers are told apart', async () => {
  const { settings, asked } = await scriptedModel(({ tools, results }) => {
    const echoes = tools.filter(({ name }) => name.endsWith('echo'))
    if (results.length > 0) return { text: results.join(' and ') }
    return { calls: echoes.map(({ name }) => ({ name, args: { message: name } })) }
  })
  const { api } = await open({ models: settings })
  const { projectId, serverId } = await sandbox(api)
  const url = await referenceServerOverHttp()
  const record = { name: 'the second', enabled: true, transportType: 'http', url }
  const second = await api.call(servers.create, { projectId, body: record })
  const wanted = 'Echo: everything__echo and Echo: the_second__echo'
  const steps = [prompt('Echo'), assert({ type: 'responseContains', needle: wanted })]
  const serverIds = [serverId, second.id]
  const { runId } = await launch(api, [{ title: 'both', steps }], { serverIds })
  expect(await untilEnded(api, projectId, runId)).toMatchObject({ result: 'passed' })
  const { items } = await api.call(iterations.list, { projectId, runId })
  const called = items[0]?.actualToolCalls as { serverName: string; toolName: string }[]
  expect(called.map(({ serverName, toolName }) => `${serverName}/${toolName}`)).toEqual([
    'everything/echo',
    'the second/echo',
  ])
  expect(asked).toHaveLength(2)
})
