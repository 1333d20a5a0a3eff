import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBudget } from '../../src/api/client/budget/budget.ts'
import { type Client, createClient } from '../../src/api/client/client.ts'
import { createHttpFetch } from '../../src/api/client/transport/fetch.ts'
import { openHome } from '../cli/program.ts'
import { openTerminal } from '../pty/terminal.ts'
import { type Ending, withRunningTest } from '../service/harness.ts'
import { type Hold, makeOlder, startHost, startProxy, temporaryDirectory } from './processes.ts'
import { PATIENCE } from '../patience.ts'

const directory = temporaryDirectory()
const http = createHttpFetch()
let served: ReturnType<typeof startHost>
let proxy: Awaited<ReturnType<typeof startProxy>>
let keyFile: string
let key: string
let client: Client
let projectId: string
let serverId: string

beforeAll(async () => {
  served = startHost('serve', { dataDir: join(directory.path, 'data') })
  const greeting = (await served.said<{ baseUrl: string; keyFile: string }>())!
  keyFile = greeting.keyFile
  proxy = await startProxy(greeting.baseUrl)
  key = readFileSync(keyFile, 'utf8').trim()
  const budget = createBudget({ unlimited: true })
  client = createClient({ fetch: http.fetch, baseUrl: greeting.baseUrl, key, budget })
  projectId = (await client.projects.list()).items[0]!.id
  serverId = (await client.servers.list({ projectId })).items[0]!.id
})

afterAll(async () => {
  proxy.close()
  await http.close()
  served.child.kill('SIGTERM')
  await served.ended
  directory.remove()
})

const step = { id: 'a', kind: 'toolCall', serverName: 'everything', toolName: 'echo', arguments: { message: 'hello' } }

async function newSuite(): Promise<{ name: string; suiteId: string }> {
  const name = randomUUID()
  const tests = [{ title: 'one', steps: [step] }]
  const { suiteId } = await client.suites.create({
    projectId,
    body: { name, serverIds: [serverId], model: 'm', tests } as never,
  })
  return { name, suiteId }
}

/** A home with a separate journal, and a suite that nobody else launches. */
async function scene(ending: Ending) {
  const home = await openHome()
  ending.onTestFinished(() => home.close())
  const env = { MCPDECK_BASE_URL: proxy.baseUrl, MCPDECK_API_KEY: key }
  const { name, suiteId } = await newSuite()
  const file = join(home.home, '.local/state/mcpdeck/journal.sqlite')
  return {
    home,
    env,
    name,
    suiteId,
    file,
    mcpdeck: (...args: string[]) => {
      home.rest()
      return home.run(['--project', projectId, ...args], { env })
    },
    runs: async () => (await client.runs.list({ projectId, suiteId })).items,
    /** Kills a command with SIGKILL during its write; resolves with a function that lets the write continue. */
    async killAt(hold: Exclude<Hold, 'nothing'>, ...args: string[]) {
      home.rest()
      const held = proxy.hold(hold)
      const { child, ended } = home.start(['--project', projectId, ...args], { env })
      child.stdin.end()
      const goOn = await held
      child.kill('SIGKILL')
      await ended()
      proxy.letThrough()
      return goOn
    },
    /** The write of a command that is killed after recording it, before its request may leave. */
    async killNoted(operation: string, input: object) {
      const write = { operation, input, idempotencyKey: randomUUID() }
      await startHost('write', { baseUrl: proxy.baseUrl, keyFile, file, write }, 'journaled').ended
    },
  }
}

const idIn = (stderr: string): string => /--retry (\d+)/.exec(stderr)?.[1] ?? 'none'

describe('a launch whose command was killed is not repeated silently:', () => {
  test('before the request was sent, the next command reports that it did not happen, and launches', async ending => {
    const { killNoted, suiteId, name, mcpdeck, runs } = await scene(ending)
    await killNoted('createEvalRun', { projectId, body: { suiteId } })
    const again = await mcpdeck('run', name, '--yes')
    expect(again.stderr).toContain(`Create eval run “${name}”`)
    expect(again.stderr).toContain('did not happen: it never left this machine.')
    expect(again.code).toBe(0)
    expect(await runs()).toHaveLength(1)
    expect((await mcpdeck('journal')).stderr).toContain('No write is in doubt.')
  })

  test('before the service received it, the next command asks, and --retry launches it once', async ending => {
    const { killAt, name, mcpdeck, runs } = await scene(ending)
    await killAt('request', 'run', name, '--yes')
    const again = await mcpdeck('run', name, '--yes')
    expect(again.code).toBe(3)
    expect(again.stderr).toMatch(
      /: no run of the suite began then; the service may still act on it until [-\d ]*\d\d:\d\d\. Nothing was sent: try again after that, or add --retry \d+ .* or --new/,
    )
    expect(await runs()).toHaveLength(0)
    const retried = await mcpdeck('run', name, '--yes', '--retry', idIn(again.stderr))
    expect(retried.code).toBe(0)
    expect((await runs()).map(({ id }) => id)).toEqual([retried.stdout.trim()])
  })

  test('--in-doubt wait finds a launch that the service carries out after the first check', async ending => {
    const { killAt, name, mcpdeck, runs } = await scene(ending)
    const getsIt = await killAt('request', 'run', name, '--yes')
    expect((await mcpdeck('run', name, '--yes')).code).toBe(3)
    expect(await runs()).toHaveLength(0)
    const waiting = mcpdeck('run', name, '--yes', '--in-doubt', 'wait')
    getsIt()
    const waited = await waiting
    expect(waited.stderr).toMatch(
      / may have happened: run #1 began then and is \w+; the service does not say who launched it\./,
    )
    expect(waited.code).toBe(0)
    expect(await runs()).toHaveLength(2)
    expect((await mcpdeck('journal')).stderr).toContain('No write is in doubt.')
  })

  test('once the first launch can no longer happen, it counts as not done, and the new one continues', async ending => {
    const { killAt, file, name, mcpdeck, runs } = await scene(ending)
    await killAt('request', 'run', name, '--yes')
    expect((await mcpdeck('run', name, '--yes')).code).toBe(3)
    makeOlder(file, 11 * 60_000)
    const again = await mcpdeck('run', name, '--yes')
    expect(again.stderr).toContain('did not happen: no run of the suite began then.')
    expect(again.code).toBe(0)
    expect(await runs()).toHaveLength(1)
    expect((await mcpdeck('journal')).stderr).toContain('No write is in doubt.')
  })

  test('after the service received it, the only matching run settles it, and the launch continues', async ending => {
    const { killAt, name, mcpdeck, runs } = await scene(ending)
    await killAt('answer', 'run', name, '--yes')
    const again = await mcpdeck('run', name, '--yes')
    expect(again.stderr).toMatch(
      / may have happened: run #1 began then and is \w+; the service does not say who launched it\./,
    )
    expect(again.code).toBe(0)
    expect(await runs()).toHaveLength(2)
    expect((await mcpdeck('journal')).stderr).toContain('No write is in doubt.')
  })

  test('if two runs match, the next command asks before it launches again', async ending => {
    const { killAt, suiteId, name, mcpdeck, runs } = await scene(ending)
    await killAt('answer', 'run', name, '--yes')
    await client.runs.create({ projectId, body: { suiteId } })
    for (const mode of [[], ['--json', '--watch']]) {
      const again = await mcpdeck('run', name, '--yes', ...mode)
      expect(again.code).toBe(3)
      expect(again.stderr).toMatch(
        /happened: 2 runs of the suite began then.*Nothing was sent: add --retry \d+ .* or --new/,
      )
      expect(await runs()).toHaveLength(2)
    }
  })

  test('if another launch of the project is in doubt, one run settles neither', async ending => {
    const { killAt, name, mcpdeck, runs } = await scene(ending)
    const other = await newSuite()
    await killAt('request', 'run', other.name, '--yes')
    await killAt('answer', 'run', name, '--yes')
    expect((await mcpdeck('run', name, '--yes')).code).toBe(3)
    expect(await runs()).toHaveLength(1)
  })

  test('--retry repeats the write of its own target, once', async ending => {
    const { killAt, name, mcpdeck, runs } = await scene(ending)
    const getsIt = await killAt('request', 'run', name, '--yes')
    const { stderr } = await mcpdeck('run', name, '--yes')
    getsIt()
    await expect.poll(async () => await runs(), PATIENCE).toHaveLength(1)
    const [run] = await runs()
    const other = await newSuite()
    expect((await mcpdeck('run', other.name, '--yes', '--retry', idIn(stderr))).code).toBe(2)
    const both = await mcpdeck('run', name, '--yes', '--retry', idIn(stderr), '--in-doubt', 'wait')
    expect(both).toMatchObject({ code: 2, stdout: '' })
    const retried = await mcpdeck('run', name, '--yes', '--retry', idIn(stderr))
    expect(retried).toMatchObject({ code: 0, stdout: `${run!.id}\n` })
    expect(await runs()).toHaveLength(1)
    expect((await mcpdeck('run', name, '--yes', '--retry', idIn(stderr))).code).toBe(2)
  })

  test.each(['--new', '--in-doubt=new'])('%s launches another run, and settles the question', async flag => {
    const { killAt, name, mcpdeck, runs } = await scene(withRunningTest)
    await killAt('request', 'run', name, '--yes')
    expect((await mcpdeck('run', name, '--yes')).code).toBe(3)
    expect((await mcpdeck('run', name, '--yes', flag)).code).toBe(0)
    expect(await runs()).toHaveLength(1)
    expect((await mcpdeck('run', name, '--yes')).code).toBe(0)
    expect(await runs()).toHaveLength(2)
  })

  test('a caller’s own key identifies the same launch, and another key another launch', async ending => {
    const { killAt, name, mcpdeck, runs } = await scene(ending)
    await killAt('answer', 'run', name, '--yes', '--idempotency-key', 'one')
    const same = await mcpdeck('run', name, '--yes', '--idempotency-key', 'one')
    expect(same).toMatchObject({ code: 0 })
    expect(same.stderr).toContain('it is the same run')
    expect(await runs()).toHaveLength(1)
    expect((await mcpdeck('run', name, '--yes', '--idempotency-key', 'two')).code).toBe(0)
    expect(await runs()).toHaveLength(2)
  })

  test('a person at the terminal is asked', async ending => {
    const { killAt, name, home, env, runs } = await scene(ending)
    await killAt('answer', 'run', name, '--yes')
    const goOn = (id: string) => id
    for (const [answer, code, count] of [
      [() => 'no', 3, 1],
      [goOn, 0, 1],
    ] as const) {
      home.rest()
      await using terminal = openTerminal({
        args: ['--project', projectId, 'run', name, '--yes'],
        home: home.home,
        env,
      })
      await terminal.waitFor(/or new to send another one:/)
      terminal.type(`${answer(/Type (\d+) to go on/.exec(terminal.screen())?.[1] ?? 'none')}\r`)
      expect(await terminal.waitForExit()).toMatchObject({ code })
      expect(await runs()).toHaveLength(count)
    }
  })
})

describe('mcpdeck api', () => {
  test('asks before it sends a write again that may have happened', async ending => {
    const { killAt, mcpdeck } = await scene(ending)
    const name = randomUUID()
    const create = ['api', 'createProject', '--field', `name=${name}`]
    const projects = async () => (await client.projects.list()).items.filter(each => each.name === name)
    await killAt('answer', ...create)
    const again = await mcpdeck(...create)
    expect(again).toMatchObject({ code: 3, stdout: '' })
    expect(await projects()).toHaveLength(1)
    expect(again.stderr).toMatch(
      / is there; the service does not say who created it\. Nothing was sent: add --new to send another/,
    )
    expect(await projects()).toHaveLength(1)
  })

  test('is not blocked by a write older than a day', async ending => {
    const { killAt, file, mcpdeck } = await scene(ending)
    const place = ['--field', `projectId=${projectId}`, '--field', `serverId=${serverId}`]
    const echo = [
      'api',
      'callTool',
      '--yes',
      ...place,
      '--field',
      'toolName=echo',
      '--field',
      'parameters={"message":"m"}',
    ]
    await killAt('answer', ...echo)
    expect((await mcpdeck(...echo)).code).toBe(3)
    makeOlder(file, 25 * 60 * 60_000)
    const later = await mcpdeck(...echo)
    expect(later.stderr).toContain('may have happened')
    expect(later.code).toBe(0)
  })

  test('sends a write that never arrived once, and prints the answer of the service', async ending => {
    const { killAt, suiteId, mcpdeck, runs } = await scene(ending)
    const launch = ['api', 'createEvalRun', '--field', `projectId=${projectId}`]
    await killAt('request', ...launch, '--field', `suiteId=${suiteId}`, '--yes')
    const listed = await mcpdeck('journal', '--json')
    const [{ id }] = (JSON.parse(listed.stdout) as { items: [{ id: number }] }).items
    const sent = await mcpdeck(...launch, '--field', `suiteId=${suiteId}`, '--yes', '--retry', String(id))
    expect(sent.code).toBe(0)
    expect(JSON.parse(sent.stdout)).toMatchObject({ suiteId })
    expect(await runs()).toHaveLength(1)
  })

  test('mentions other open writes in one line, and continues', async ending => {
    const { killNoted, suiteId, mcpdeck } = await scene(ending)
    await killNoted('createEvalRun', { projectId, body: { suiteId } })
    const create = ['api', 'createProject', '--field', `name=${randomUUID()}`]
    const { code, stderr } = await mcpdeck(...create)
    expect(code).toBe(0)
    expect(stderr).toBe('One other write is in doubt: mcpdeck journal lists it.\n')
    const other = await newSuite()
    const quiet = await mcpdeck('run', other.name, '--yes', '--json')
    expect(quiet.stderr).not.toContain('in doubt')
    expect(quiet).toMatchObject({ code: 0 })
  })
})

test('a killed import continues, and --new does not make it twice', async ending => {
  const { killAt, mcpdeck, home } = await scene(ending)
  const copy = randomUUID()
  const text = JSON.stringify({
    suite: { name: copy, servers: ['everything'] },
    cases: [{ title: 'one', steps: [step] }],
  })
  const suites = async () => (await client.suites.list({ projectId })).items.filter(suite => suite.name === copy)
  const file = join(home.home, 'suite.yaml')
  writeFileSync(file, text)
  await killAt('answer', 'suite', 'import', file, '--new', '--yes', '--unchecked')
  expect(await suites()).toHaveLength(1)
  const again = await mcpdeck('suite', 'import', file, '--new', '--yes', '--unchecked')
  expect(again.code).toBe(3)
  expect(again.stderr).toMatch(/ happened: .* mcpdeck journal dismiss \d+/)
  expect(await suites()).toHaveLength(1)
  const goesOn = await mcpdeck('suite', 'import', file, '--yes', '--unchecked')
  expect(goesOn.stderr).toContain('happened: ')
  expect(goesOn.code).toBe(0)
  expect(await suites()).toHaveLength(1)
})
