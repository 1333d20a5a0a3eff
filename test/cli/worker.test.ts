import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { allEndpoints } from '../../src/api/contract/contract.ts'
import { outlivesAnswer } from '../../src/api/contract/endpoint.ts'
import { echoCase, longCase, until } from '../service/harness.ts'
import { stillRunning } from '../journeys/processes.ts'
import { isAlive, openHome, workerOf, type Ended } from './program.ts'

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

/** A suite of a new workspace with the cases that are given. */
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
const untilEnded = (home: Home, run: { projectId: string; runId: string }) =>
  until(
    () => stateOf(home, run),
    ({ status }) => !['pending', 'running'].includes(status),
  )
const pidIn = (text: string) => Number(/\(process (\d+)\)/.exec(text)?.[1])

test('what goes on after its answer is known of each operation', () => {
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

test('runs that two commands launch at once outlive both, in one worker, which ends when it is idle', async () => {
  const home = await open()
  const suite = await suiteOf(home, [longCase('slow', 3)])
  const [one, other] = await Promise.all([launch(home, suite), launch(home, suite)])
  const pid = pidIn(one.stderr)
  expect(one.stderr).toBe(
    `Handed over to the workspace's worker (process ${pid}); mcpdeck serve status shows it.\n`,
  )
  expect(other.stderr).toBe(one.stderr)
  expect(await workerOf(home)).toBe(pid)
  const { stdout } = await home.run(['serve', 'status'])
  expect(stdout).toMatch(new RegExp(`worker +process ${pid} on .+, ends when idle`))
  expect(stdout).toMatch(new RegExp(`${one.runId} running, process ${pid} `))
  for (const run of [one, other])
    expect(await untilEnded(home, run)).toMatchObject({ status: 'completed', result: 'passed' })
  await until(
    () => isAlive(pid),
    alive => !alive,
  )
  expect(await workerOf(home)).toBeUndefined()
  expect(readdirSync(join(home.home, '.local/share/mcpdeck'))).not.toContain('worker.sock')
})

test('a worker that is killed leaves its runs to the next command, and the next launch gets a new one', async () => {
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
  expect(await untilEnded(home, next)).toMatchObject({ status: 'completed', result: 'passed' })
})

test('a command under other settings than the worker executes by itself, waits and says so', async () => {
  const home = await open()
  const suite = await suiteOf(home, [longCase('slow', 2)])
  const before = await launch(home, suite)
  const env = { MCPDECK_MODEL_BASE_URL: 'http://127.0.0.1:9/v1' }
  const own = await launch(home, suite, {}, env)
  expect(own.stderr).toContain('This command executes what it starts and waits for its end: ')
  expect(own.stderr).toContain(`worker (process ${pidIn(before.stderr)}) has another version`)
  expect(own.stderr).toContain(`Still under way in this process: ${own.runId}.`)
  expect(await stateOf(home, own)).toMatchObject({ status: 'completed', result: 'passed' })
  await untilEnded(home, before)
})

test('where a worker can have no socket, the command waits for what it started', async () => {
  const home = await open()
  const MCPDECK_DATA_DIR = join(home.home, 'x'.repeat(120))
  const env = { MCPDECK_DATA_DIR }
  const projectId = parsed<{ items: { id: string }[] }>(await call(home, 'listProjects', {}, undefined, env))
    .items[0]!.id
  const suiteId = parsed<{ items: { id: string }[] }>(
    await call(home, 'listEvalSuites', { projectId }, undefined, env),
  ).items[0]!.id
  const { runId, stderr } = await launch(home, { projectId, suiteId }, {}, env)
  expect(stderr).toContain('no socket can be made for a worker there')
  const run = parsed<Run>(await call(home, 'getEvalRun', { projectId, runId }, undefined, env))
  expect(run).toMatchObject({ status: 'completed' })
})

test('keys of a launch reach the worker and no file, and its socket is for its owner alone', async () => {
  const home = await open()
  const suite = await suiteOf(home, [longCase('slow', 2)])
  const key = 'sk-launch-of-one-run-only'
  const run = await launch(home, suite, { modelApiKeys: { openai: key } })
  const data = join(home.home, '.local/share/mcpdeck')
  expect(statSync(join(data, 'worker.sock')).mode & 0o777).toBe(0o600)
  expect(statSync(data).mode & 0o777).toBe(0o700)
  await untilEnded(home, run)
  const files = readdirSync(home.home, { recursive: true, withFileTypes: true }).filter(each => each.isFile())
  expect(files.length).toBeGreaterThan(2)
  for (const { parentPath, name } of files)
    expect(readFileSync(join(parentPath, name)).includes(key), name).toBe(false)
})

test('an attached server is tried to its end by the worker, however often', async () => {
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
