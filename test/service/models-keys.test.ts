import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { runServe } from '../../src/cli/serve/serve-command.ts'
import type { LogEntry } from '../../src/service/core/pipeline.ts'
import { createApi, echoCase, open, sandbox, temporaryDirectory, untilEnded } from './harness.ts'
import { adder, assert, KEY, launch, prompt, runCases } from './model-runs.ts'
import { scriptedModel } from './scripted-model.ts'

const { runs, iterations } = contract

describe('a run without an endpoint for models', () => {
  test('says what to set for a prompt step, and executes steps without a model', async () => {
    const { items } = await runCases({}, [{ title: 'asks', steps: [prompt('Hello')] }, echoCase('calls', 'x')])
    expect(items.map(({ trialClass }) => trialClass)).toEqual(['setup_failed', 'passed'])
    expect(items[0]?.error).toContain('MCPDECK_MODEL_BASE_URL')
    expect(items[0]?.error).toContain('modelApiKeys')
  })

  test('does not use a key of another provider, and names the missing one', async () => {
    const { items } = await runCases({}, [{ title: 'asks', steps: [prompt('Hello')] }], {
      model: 'mistral/large',
      modelApiKeys: { scripted: KEY },
    })
    expect(items[0]).toMatchObject({ trialClass: 'setup_failed', model: 'mistral/large' })
    expect(items[0]?.error).toContain('modelApiKeys.mistral')
  })

  test.each(['', 'two words', 'line\nbreak'])('is refused for the key %j before anything is written', async key => {
    const { api } = await open()
    const { projectId, suiteId } = await sandbox(api)
    const body = { suiteId, modelApiKeys: { scripted: key } }
    expect(await api.refused(runs.create, { projectId, body })).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
      details: { field: 'modelApiKeys.scripted' },
    })
    expect((await api.call(runs.list, { projectId, suiteId })).items).toEqual([])
  })
})

test('model keys reach only the endpoint: no file, no log, no answer and no server has them', async () => {
  vi.stubEnv('MCPDECK_MODEL_API_KEY', KEY)
  onTestFinished(() => void vi.unstubAllEnvs())
  const dataDir = temporaryDirectory()
  const log: LogEntry[] = []
  const callerKey = 'sk-caller-9876543210-secret'
  const { settings, asked } = await scriptedModel(({ results }) =>
    results.length === 0 ? { calls: [{ name: 'get-env', args: {} }] } : { text: results.join() },
  )
  const { api, close } = await open({
    dataDir,
    models: { ...settings, apiKey: KEY },
    log: entry => void log.push(entry),
  })
  const cases = [{ title: 'env', steps: [prompt('Print it'), assert({ type: 'responseContains', needle: 'PATH' })] }]
  const said: string[] = []
  for (const modelApiKeys of [undefined, { scripted: callerKey }]) {
    const { projectId, runId } = await launch(api, cases, modelApiKeys && { modelApiKeys })
    expect(await untilEnded(api, projectId, runId)).toMatchObject({ result: 'passed' })
    const { items } = await api.call(iterations.list, { projectId, runId })
    const trace = await api.call(iterations.trace, { projectId, runId, iterationId: items[0]!.id })
    said.push(JSON.stringify([items, trace]))
  }
  expect(asked.map(({ key }) => key)).toEqual([KEY, KEY, callerKey, callerKey])
  await close()
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).map(name => join(dataDir, name))
  const kept = files.filter(file => statSync(file).isFile()).map(file => readFileSync(file, 'latin1'))
  expect(kept.join('').length).toBeGreaterThan(10_000)
  const everything = [...kept, ...said, JSON.stringify(log)].join('\n')
  for (const key of [KEY, callerKey]) expect(everything.includes(key)).toBe(false)
})

test('mcpdeck serve takes the endpoint from its environment', async () => {
  const { settings, asked } = await scriptedModel(adder, 'anthropic')
  vi.stubEnv('MCPDECK_MODEL_BASE_URL', settings.baseUrl)
  vi.stubEnv('MCPDECK_MODEL_KIND', 'anthropic')
  vi.stubEnv('MCPDECK_MODEL_API_KEY', KEY)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { promise: greeting, resolve } = Promise.withResolvers<string>()
  const stop = new AbortController()
  const own = { port: 0, json: true, rateLimit: 0, fault: [], stdout: resolve, signal: stop.signal }
  const served = runServe({ dataDir: temporaryDirectory() }, own)
  onTestFinished(() => {
    stop.abort()
    return served.then(() => undefined)
  })
  const { baseUrl, keyFile } = JSON.parse(await greeting) as { baseUrl: string; keyFile: string }
  const api = createApi(fetch, readFileSync(keyFile, 'utf8').trim(), baseUrl)
  const steps = [prompt('Add'), assert({ type: 'responseContains', needle: 'is 5' })]
  const { projectId, runId } = await launch(api, [{ title: 'adds', steps }])
  expect(await untilEnded(api, projectId, runId)).toMatchObject({ result: 'passed' })
  expect(asked.map(({ key }) => key)).toEqual([KEY, KEY])
})
