import { once } from 'node:events'
import { chmodSync, chownSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { allEndpoints, contract } from '../../src/api/contract/contract.ts'
import { outlivesAnswer } from '../../src/api/contract/endpoint.ts'
import { json } from '../service/analysis-runs.ts'
import { echoCase, longCase, sandbox, until, untilEnded } from '../service/harness.ts'
import { adder } from '../service/model-runs.ts'
import type { Answer, Asked } from '../service/scripted-model.ts'
import { failedWave, stage } from '../service/wave-stage.ts'
import { answer, startHttpServer } from '../servers/http-server.ts'
import { stillRunning } from '../journeys/processes.ts'
import type { Ended } from './hosts.ts'
import { isAlive, openHome, workerOf } from './program.ts'

type Home = Awaited<ReturnType<typeof openHome>>
type Fields = Record<string, string>
type Run = { status: string; result: string | null }

async function open(): Promise<Home> {
  const home = await openHome()
  onTestFinished(() => home.close())
  return home
}

function call(home: Home, operation: string, fields: Fields = {}, body?: object, env: Fields = {}) {
  const options = Object.entries(fields).flatMap(([name, value]) => ['--field', `${name}=${value}`])
  const input = body ? ['--input', '-'] : []
  return home.run(['api', operation, ...options, ...input, '--yes'], {
    env,
    ...(body && { input: JSON.stringify(body) }),
  })
}

const parsed = <T>({ stdout, stderr }: Ended): T => {
  expect(stdout, stderr).not.toBe('')
  return JSON.parse(stdout) as T
}
const first = async (home: Home, operation: string, fields: Fields = {}) =>
  parsed<{ items: { id: string }[] }>(await call(home, operation, fields)).items[0]!.id

/** A suite with the given cases in a new workspace. */
async function suiteOf(home: Home, tests: object[]) {
  const projectId = await first(home, 'listProjects')
  const serverId = await first(home, 'listProjectServers', { projectId })
  const body = { name: 'Own', model: 'none', serverIds: [serverId], tests }
  const { suiteId } = parsed<{ suiteId: string }>(await call(home, 'createEvalSuite', { projectId }, body))
  return { projectId, suiteId }
}

type Suite = Awaited<ReturnType<typeof suiteOf>>

async function launch(home: Home, { projectId, suiteId }: Suite, more: object = {}, env: Fields = {}) {
  const ended = await call(home, 'createEvalRun', { projectId }, { suiteId, ...more }, env)
  const { runId } = parsed<{ runId: string }>(ended)
  return { projectId, runId, stderr: ended.stderr, code: ended.code }
}

const stateOf = async (home: Home, { projectId, runId }: { projectId: string; runId: string }) =>
  parsed<Run>(await call(home, 'getEvalRun', { projectId, runId }))
/** Follows the run to its end with one command; asking repeatedly would start a command for each question. */
async function followed(home: Home, run: { projectId: string; runId: string }): Promise<Run> {
  await home.run(['--project', run.projectId, 'watch', run.runId])
  return await stateOf(home, run)
}
const pidIn = (text: string) => Number(/\(process (\d+)\)/.exec(text)?.[1])

test('a command refused before it writes passes nothing to the worker and prints only the refusal', async () => {
  const home = await open()
  const { code, stdout, stderr } = await home.run(['launch', 'nowhere'])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/nowhere/)
  expect(stderr).not.toContain('Handed over')
})

test('every operation whose work continues after its answer declares that', () => {
  const operations = allEndpoints().filter(outlivesAnswer)
  expect(operations.map(({ operation }) => operation).toSorted()).toEqual([
    'buildSandboxImage',
    'createEvalRun',
    'createEvalRunGroup',
    'createServerConnection',
    'launchJourneyRun',
    'requestEvalRunInsights',
    'requestEvalRunJudge',
    'requestUserTestingInsights',
    'requestWaveInsights',
    'rerunEvalRun',
    'retryServerConnectionValidation',
    'startClaudeReadinessRun',
    'startOpenAIReadinessRun',
  ])
})

test('runs that two commands launch at once outlive both, in one worker that ends when idle', async () => {
  const home = await open()
  const suite = await suiteOf(home, [longCase('slow', 6)])
  const [one, other] = await Promise.all([launch(home, suite), launch(home, suite)])
  const pid = pidIn(one.stderr)
  expect(one.stderr).toBe(`Handed over to the workspace's worker (process ${pid}); mcpdeck serve status shows it.\n`)
  expect(other.stderr).toBe(one.stderr)
  expect(await workerOf(home)).toBe(pid)
  const { stdout } = await home.run(['serve', 'status'])
  expect(stdout).toMatch(new RegExp(`worker +process ${pid} on .+, ends when idle`))
  expect(stdout).toMatch(new RegExp(`${one.runId} running, process ${pid} `))
  for (const run of [one, other])
    expect(await followed(home, run)).toMatchObject({ status: 'completed', result: 'passed' })
  await until(
    () => isAlive(pid),
    alive => !alive,
  )
  expect(await workerOf(home)).toBeUndefined()
  expect(readdirSync(join(home.home, '.local/share/mcpdeck'))).not.toContain('worker.sock')
})

test('a killed worker leaves its runs to the next command, and the next launch gets a new one', async () => {
  const home = await open()
  const lasting = await launch(home, await suiteOf(home, [longCase('slow', 60)]))
  const killed = pidIn(lasting.stderr)
  process.kill(killed, 'SIGKILL')
  await until(
    () => stillRunning([killed]),
    left => left.length === 0,
  )
  expect(await stateOf(home, lasting)).toMatchObject({ status: 'completed', result: null })
  expect(await workerOf(home)).toBeUndefined()
  const next = await launch(home, await suiteOf(home, [echoCase('one', 'a')]))
  expect(pidIn(next.stderr)).not.toBe(killed)
  expect(await followed(home, next)).toMatchObject({ status: 'completed', result: 'passed' })
})

test('a command with other settings than the worker executes its runs itself, waits and says why', async () => {
  const home = await open()
  const suite = await suiteOf(home, [longCase('slow', 2)])
  const before = await launch(home, suite)
  const env = { MCPDECK_MODEL_BASE_URL: 'http://127.0.0.1:9/v1' }
  const own = await launch(home, suite, {}, env)
  expect(own.stderr).toContain('This command executes what it starts and waits for its end: ')
  expect(own.stderr).toContain(`worker (process ${pidIn(before.stderr)}) has another version`)
  expect(own.stderr).toContain(`Still under way in this process: ${own.runId}.`)
  expect(await stateOf(home, own)).toMatchObject({ status: 'completed', result: 'passed' })
  await followed(home, before)
})

test('a command waits for what it started if the worker cannot have a socket', async () => {
  const home = await open()
  const MCPDECK_DATA_DIR = join(home.home, 'x'.repeat(120))
  const env = { MCPDECK_DATA_DIR }
  const projectId = parsed<{ items: { id: string }[] }>(await call(home, 'listProjects', {}, undefined, env)).items[0]!
    .id
  const suiteId = parsed<{ items: { id: string }[] }>(await call(home, 'listEvalSuites', { projectId }, undefined, env))
    .items[0]!.id
  const { runId, stderr } = await launch(home, { projectId, suiteId }, {}, env)
  expect(stderr).toContain('no socket can be made for a worker there')
  const run = parsed<Run>(await call(home, 'getEvalRun', { projectId, runId }, undefined, env))
  expect(run).toMatchObject({ status: 'completed' })
})

test('a socket that does not belong to this user gets no request', async () => {
  const home = await open()
  const suite = await suiteOf(home, [longCase('slow', 1)])
  const path = join(home.home, '.local/share/mcpdeck/worker.sock')
  const heard: string[] = []
  const stranger = createServer(socket => socket.on('data', (chunk: Buffer) => heard.push(chunk.toString())))
  // Creating a socket of another user requires root. Other users create a plain file there instead.
  const isRoot = process.getuid?.() === 0
  if (isRoot) {
    await once(stranger.listen(path), 'listening')
    chmodSync(path, 0o666)
    chownSync(path, 54_321, 54_321)
  } else writeFileSync(path, '')
  onTestFinished(() => void stranger.close())
  const own = await launch(home, suite)
  expect(own.stderr).toContain(`worker.sock is ${isRoot ? 'the socket of another user' : 'no socket'}`)
  expect(await stateOf(home, own)).toMatchObject({ status: 'completed', result: 'passed' })
  expect(heard).toEqual([])
})

test('keys of a launch reach the worker and no file, and its socket is for its owner only', async () => {
  const home = await open()
  const suite = await suiteOf(home, [longCase('slow', 2)])
  const key = 'sk-launch-of-one-run-only'
  const run = await launch(home, suite, { modelApiKeys: { openai: key } })
  const data = join(home.home, '.local/share/mcpdeck')
  expect(statSync(join(data, 'worker.sock')).mode & 0o777).toBe(0o600)
  expect(statSync(data).mode & 0o777).toBe(0o700)
  await followed(home, run)
  const files = readdirSync(home.home, { recursive: true, withFileTypes: true }).filter(each => each.isFile())
  expect(files.length).toBeGreaterThan(2)
  for (const { parentPath, name } of files) expect(readFileSync(join(parentPath, name)).includes(key), name).toBe(false)
})

test('the worker retries a request to connect to a server until it succeeds or fails for good', async () => {
  const home = await open()
  const projectId = await first(home, 'listProjects')
  const body = { url: 'http://127.0.0.1:9/mcp', projectId, name: 'Gone' }
  const attached = await call(home, 'createServerConnection', {}, body)
  expect(attached.stderr).toMatch(/^Handed over to the workspace's worker/)
  const { connectionRequestId: requestId } = parsed<{ connectionRequestId: string }>(attached)
  const pid = pidIn(attached.stderr)
  await until(
    () => isAlive(pid),
    alive => !alive,
  )
  const ended = parsed<object>(await call(home, 'getServerConnection', { requestId }))
  expect(ended).toMatchObject({ status: 'failed' })
})

/**
 * A home whose workspace has an ended run and a wave that missed its goal, with a model that plays, grades and advises.
 */
async function played(isSilent = () => false) {
  const home = await open()
  const dataDir = join(home.home, '.local/share/mcpdeck')
  const assistant = (asked: Asked): Answer => {
    if (isSilent()) return 'silence'
    return asked.system.startsWith('You grade whether') ? grade : adder(asked)
  }
  const { api, models, model, close } = await stage({ dataDir, assistant })
  const wave = await failedWave(api)
  const { serverId } = await sandbox(api)
  const tests = [{ ...echoCase('wrong', 'hello', 'bye'), expectedOutput: 'A greeting.' }]
  const { projectId } = wave
  const suite = { name: 'Goals', model: 'suite/model', serverIds: [serverId], tests }
  const { suiteId } = await api.call(contract.suites.create, { projectId, body: suite })
  const { runId } = await api.call(contract.runs.create, { projectId, body: { suiteId } })
  await untilEnded(api, projectId, runId)
  // Only the worker is left to execute anything.
  await close()
  const env = {
    MCPDECK_MODEL_BASE_URL: models.baseUrl,
    MCPDECK_MODEL_API_KEY: models.apiKey,
    MCPDECK_MODEL: models.model,
  }
  return { home, env, model, wave, projectId, runId }
}

const grade = json({ score: 0.9, reason: 'As expected.', rubricHits: [] })

/** Passes an operation to the worker, waits until the idle worker has ended, and returns the output of the command. */
async function handedOver(home: Home, operation: string, fields: Fields, body: object | undefined, env: Fields = {}) {
  const started = await call(home, operation, fields, body, env)
  expect(started.stderr).toMatch(/^Handed over to the workspace's worker/)
  expect(started.code).toBe(0)
  const pid = pidIn(started.stderr)
  await until(
    () => isAlive(pid),
    alive => !alive,
  )
  return parsed<{ id?: string; runId?: string; status: string }>(started)
}

test('the worker makes the judge’s grades and the insights of a run', async () => {
  const { home, env, projectId, runId } = await played()
  const place = { projectId, runId }
  expect(await handedOver(home, 'requestEvalRunJudge', place, { enable: true }, env)).toMatchObject({
    status: 'pending',
  })
  expect(await handedOver(home, 'requestEvalRunInsights', place, {}, env)).toMatchObject({ status: 'pending' })
  expect(parsed<object>(await call(home, 'getEvalRun', place))).toMatchObject({
    judges: { goalCompletion: { status: 'completed', cases: [{ score: 0.9, passed: true }] } },
    insights: { status: 'completed', summary: 'Problems: 1.', findings: [{ title: expect.any(String) }] },
  })
})

test('the worker executes a journey run and the insights of its wave', async () => {
  const { home, env, model, projectId, wave } = await played()
  const before = model.asked.length
  const { id = '' } = await handedOver(
    home,
    'launchJourneyRun',
    { projectId, journeyId: wave.journeyId },
    { waveId: 'w2' },
    env,
  )
  expect(model.asked.length).toBeGreaterThan(before)
  expect(parsed<object>(await call(home, 'getJourneyRun', { projectId, runId: id }))).toMatchObject({
    status: 'completed',
  })
  const place = { projectId, waveId: 'w2' }
  expect(await handedOver(home, 'requestWaveInsights', place, undefined, env)).toMatchObject({ status: 'pending' })
  expect(parsed<object>(await call(home, 'getWaveInsights', place))).toMatchObject({
    status: 'completed',
    insights: { summary: 'Problems: 1.' },
  })
})

test('a command that waits for a killed worker learns from the next worker how the wave ended', async () => {
  let isSilent = false
  const { home, env, model, wave } = await played(() => isSilent)
  isSilent = true
  const { ended } = home.start(['launch', wave.journeyId, '--yes', '--watch'], { env })
  await until(
    () => model.waiting,
    waiting => waiting > 0,
  )
  process.kill((await workerOf(home))!, 'SIGKILL')
  const { code, stderr } = await ended()
  expect(code).toBe(3)
  expect(stderr).toMatch(/Handed over [^]*Handed over [^]* is stale: 0 of 6 sessions succeeded/)
})

test('the worker grades both readiness runs', async () => {
  const home = await open()
  const projectId = await first(home, 'listProjects')
  const server = await startHttpServer({
    'tools/list': (message, _request, response) => answer(response, message, { tools: [] }),
  })
  onTestFinished(() => server.close())
  const body = { name: 'graded', enabled: true, transportType: 'http', url: server.url }
  const { id: serverId } = parsed<{ id: string }>(await call(home, 'createProjectServer', { projectId }, body))
  for (const [operation, input] of [
    ['startOpenAIReadinessRun', { submissionMode: 'mcp-only' }],
    ['startClaudeReadinessRun', undefined],
  ] as const) {
    const started = await handedOver(home, operation, { projectId, serverId }, input)
    expect(started).toMatchObject({ status: 'pending' })
    const run = parsed<object>(await call(home, 'getReadinessRun', { projectId, runId: started.runId! }))
    expect(run, operation).toMatchObject({ status: 'completed' })
  }
})
