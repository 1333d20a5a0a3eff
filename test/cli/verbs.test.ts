import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { commandLineOf } from '../command-line-of.ts'
import { dataDirOf, inWorkspace, type Prepared } from '../prepared-workspace.ts'
import { UNUSED_PORT } from '../pty/home.ts'
import { EVERYTHING } from '../servers/targets.ts'
import { longCase, open, sandbox, untilEnded } from '../service/harness.ts'
import { plainJourney, set } from '../service/journey-cast.ts'
import { KEY } from '../service/model-runs.ts'
import { scriptedModel } from '../service/scripted-model.ts'
import type { Ended } from './hosts.ts'
import { openHome } from './program.ts'

const PROGRAM = `'${process.execPath}' '${EVERYTHING}' stdio`

let home: Awaited<ReturnType<typeof openHome>>
const run = (...args: string[]) => home.run(args)
const json = <T = Record<string, unknown>>({ stdout }: Ended) => JSON.parse(stdout) as T
const items = (ended: Ended) => json<{ items: Record<string, unknown>[] }>(ended).items
const inside = <T>(work: (workspace: Prepared) => Promise<T>) => inWorkspace(home.home, work)

beforeAll(async () => {
  home = await openHome()
  await inside(async ({ client, projectId }) => {
    const config = { modelId: 'none', serverIds: [] }
    const host = await client.clients.create({ projectId, body: { name: 'Assistant', config } })
    for (const name of ['Staging', 'Spare'])
      await client.environments.create({ projectId, body: { name, hostId: host.id } })
    for (const name of ['Twin', 'other'])
      await client.servers.create({
        projectId,
        body: { name, enabled: true, transportType: 'http', url: `http://127.0.0.1:9/${name}` },
      })
  })
  await run('serve', 'sample', 'add')
})
afterAll(() => home.close())

describe('of the commands for servers,', () => {
  test("tools lists a server's tools with their arguments, and the wire’s fields as JSON", async () => {
    expect((await run('tools', 'everything')).stdout).toMatch(/^NAME +ARGUMENTS +DESCRIPTION\necho +message +Echoes/)
    expect(items(await run('tools', 'everything', '--json'))[0]).toMatchObject({ name: 'echo', inputSchema: {} })
  })

  test('describe shows what a server tells models, once the doctor has read it', async () => {
    expect(json(await run('describe', 'server', 'everything', '--json'))).not.toHaveProperty('instructions')
    await run('doctor', 'everything')
    expect((await run('describe', 'server', 'everything')).stdout).toMatch(/Instructions/i)
    expect(json(await run('describe', 'server', 'everything', '--json'))).toHaveProperty('instructions')
  })

  test('call takes arguments by the schema’s types and prints the result', async () => {
    expect(await run('call', 'everything', 'get-sum', 'a=2', 'b=3', '--yes')).toMatchObject({
      code: 0,
      stdout: 'The sum of 2 and 3 is 5.\n',
      stderr: expect.stringContaining('acts on the server everything'),
    })
    const file = join(home.home, 'sum.json')
    writeFileSync(file, '{"a": 2, "b": 2}')
    const answer = await run('call', 'everything', 'get-sum', 'b=5', '--input', file, '--yes', '--json')
    expect(json(answer)).toMatchObject({ content: [{ type: 'text', text: 'The sum of 2 and 5 is 7.' }] })
    expect((await run('call', 'everything', 'echo', 'message=5', '--yes')).stdout).toBe('Echo: 5\n')
    writeFileSync(file, '{"a": 1e400, "b": 2}')
    expect(await run('call', 'everything', 'get-sum', '--input', file, '--yes')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/sum\.json: the number 1e400 is none that JSON can hold/),
    })
  })

  test.each([
    [['everything', 'echo', 'message=x'], /add --yes to skip this question/],
    [['everything', 'ech', 'message=x', '--yes'], /no tool "ech"\. Did you mean "echo"\?/],
    [['everything', 'get-sum', 'a=x', '--yes'], /b is required; a must be number\. Nothing was sent/],
    [['everything', 'echo', 'message', '--yes'], /"message" is not an argument; write key=value/],
    [['everything', '--yes'], /Name a tool behind the server/],
    [['nowhere', 'echo', '--yes'], /There is no server "nowhere"/],
    [['everything', 'get-sum', 'a=1', 'b=1e999', '--yes'], /b: the number 1e999 is none that JSON can hold/],
    [['--yes'], /Name a server/],
    [['--command', 'x', '--url', 'http://x', 'echo'], /cannot be combined/],
    [['--command', 'http://127.0.0.1:9/mcp', 'echo'], /this goes with --url/],
    [['--url', 'http://127.0.0.1:9/mcp', '--token-env', 'NOT_SET', 'echo'], /NOT_SET of --token-env is empty/],
    [['everything', 'echo', 'message=x', '--yes', '--read-only'], /--read-only refuses every write/],
  ])('call %j is wrong usage, and nothing is sent', async (args, sentence) => {
    expect(await run('call', ...args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(sentence) })
  })

  test('call sends invalid arguments if asked to, and ends with 3 for the tool’s own error', async () => {
    expect(await run('call', 'everything', 'get-sum', 'a=x', '--unchecked', '--yes')).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('Invalid'),
      stderr: expect.stringContaining('The tool reports an error.'),
    })
  })

  test('call prints a result that violates the tool’s output schema, reports it and ends with 3', async () => {
    const small = join(import.meta.dirname, '../servers/stdio-server.mjs')
    const call = ['call', '--command', commandLineOf(process.execPath, small, 'promises'), '--yes']
    expect(await run(...call, 'keeps')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^counted\n{/) })
    const stderr = expect.stringMatching(/does not match the tool’s output schema: `count` must be number\./)
    expect(await run(...call, 'breaks')).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/^counted\n{/),
      stderr,
    })
    const asJson = await run(...call, 'breaks', '--json')
    expect(asJson).toMatchObject({ code: 3, stderr })
    expect(json(asJson)).toMatchObject({ structuredContent: { count: 'many' } })
  })

  test('call runs an unsaved server by its command, and does not save it', async () => {
    const fresh = await openHome()
    try {
      const call = ['call', '--command', PROGRAM, 'echo', 'message=hi', '--yes']
      expect(await fresh.run(call)).toMatchObject({ code: 0, stdout: 'Echo: hi\n' })
      expect(await fresh.run(['tools', '--command', PROGRAM])).toMatchObject({ code: 0 })
      expect(items(await fresh.run(['get', 'servers', '--json'])).map(({ name }) => name)).toEqual(['everything'])
    } finally {
      await fresh.close()
    }
  })

  test('call gives an unsaved server its environment, headers and timeout', async () => {
    const small = join(import.meta.dirname, '../servers/stdio-server.mjs')
    const program = ['--command', commandLineOf(process.execPath, small, 'healthy')]
    const environment = await run('call', ...program, '--env', 'GREETING=good day', 'environment', '--yes')
    expect(environment).toMatchObject({ code: 0, stdout: expect.stringContaining('good day') })
    expect(await run('doctor', ...program)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^unsaved\n/) })
    expect(await run('doctor', '--command', 'no-such-program')).toMatchObject({ code: 3 })
    const silent = ['--command', commandLineOf(process.execPath, '-e', 'process.stdin.resume()'), '--timeout', '300ms']
    expect(await run('tools', ...silent)).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/did not answer|time/i),
    })
    for (const [wrong, why] of [
      [['--header', 'A: b'], /Headers go with an address/],
      [['--env', 'nothing'], /Write NAME=value/],
      [['--env', 'A=1', '--env', 'A=2'], /A is given twice/],
    ] as const)
      expect(await run('tools', ...program, ...wrong)).toMatchObject({ code: 2, stderr: expect.stringMatching(why) })
  })

  test('call runs an unsaved server in the named directory', async () => {
    const apart = await openHome({ apart: true })
    try {
      const program = ['--command', commandLineOf(process.execPath, 'stdio-server.mjs', 'healthy')]
      const there = ['--cwd', join(import.meta.dirname, '../servers')]
      expect(await apart.run(['tools', ...program])).toMatchObject({ code: 3 })
      expect(await apart.run(['tools', ...program, ...there])).toMatchObject({ code: 0 })
      expect(await apart.run(['doctor', ...program, ...there])).toMatchObject({ code: 0 })
      expect(await apart.run(['tools', ...program, '--cwd', 'no-such-place'])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--cwd: no-such-place is no directory that can be entered.'),
      })
    } finally {
      await apart.close()
    }
  })

  test('prompt renders with its arguments, and names missing ones', async () => {
    expect((await run('prompt', 'everything', 'args-prompt', 'city=Rome')).stdout).toBe(
      "user:\nWhat's weather in Rome?\n",
    )
    expect(await run('prompt', 'everything', 'args-prompt')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('args-prompt needs city=…'),
    })
  })

  test('read prints text, and for other content its type and size', async () => {
    const uri = 'demo://resource/static/document/features.md'
    expect((await run('read', 'everything', uri)).stdout).toMatch(/^# Everything Server/)
    expect((await run('read', 'everything', 'demo://resource/dynamic/blob/1')).stdout).toMatch(
      /^\[blob \S+ demo:\S+ \d+ bytes\]\n$/,
    )
    expect(await run('read', 'everything', 'demo://none')).toMatchObject({ code: 3, stdout: '' })
  })

  test('validate exits with 0 for a server that answers and with 3 for one that does not', async () => {
    expect(await run('validate', 'everything')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Status +connected/),
    })
    expect(await run('validate', 'Twin')).toMatchObject({ code: 3, stderr: expect.stringContaining('unreachable') })
  })

  test('snapshot prints one document of tools, prompts and resources', async () => {
    const document = json<{ tools: unknown[]; prompts: unknown[] }>(await run('snapshot', 'everything'))
    expect(document.tools.length).toBeGreaterThan(5)
    expect(document.prompts.length).toBeGreaterThan(1)
  })

  test('snapshot diff compares files and servers, and exits with 1 only for breaking changes', async () => {
    const { stdout } = await run('snapshot', 'everything')
    const [now, earlier] = [join(home.home, 'now.json'), join(home.home, 'earlier.json')]
    writeFileSync(now, stdout)
    expect(await run('snapshot', 'diff', now, 'everything')).toMatchObject({ code: 0, stderr: 'Nothing changed.\n' })
    const document = JSON.parse(stdout) as { tools: object[] }
    writeFileSync(earlier, JSON.stringify({ ...document, tools: [...document.tools, { name: 'old\u001b[2J' }] }))
    const broken = await run('snapshot', 'diff', earlier, now)
    expect(broken).toMatchObject({ code: 1, stderr: '1 breaking, 0 that may break, 0 not breaking.\n' })
    expect(broken.stdout).toBe('✗ breaking  tool old␛[2J: is gone\n')
    const back = await run('snapshot', 'diff', now, earlier, '--json')
    expect({ code: back.code, ...(JSON.parse(back.stdout) as object) }).toMatchObject({
      code: 0,
      items: [{ impact: 'safe', of: 'tool', kind: 'added' }],
      counts: { breaking: 0, unknown: 0, safe: 1 },
      exitCode: 0,
    })
    const hinted = document.tools.map((tool, at) => (at === 0 ? { ...tool, annotations: { readOnlyHint: 5 } } : tool))
    writeFileSync(earlier, JSON.stringify({ ...document, tools: hinted }))
    expect(await run('snapshot', 'diff', earlier, now)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^! may/),
    })
    expect(await run('snapshot', 'diff', earlier, now, '--strict')).toMatchObject({ code: 1 })
    writeFileSync(earlier, '{"tools": 5}')
    expect(await run('snapshot', 'diff', earlier, now)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not a snapshot: it lists no tools'),
    })
    expect(await run('snapshot', 'diff', './gone.json', now)).toMatchObject({ code: 2 })
    expect(await run('snapshot', 'diff', now, 'Twin')).toMatchObject({ code: 3 })
  })

  test('import-tokens saves the answer of a token endpoint, and prints no token', async () => {
    const file = join(home.home, 'tokens.json')
    const tokens = { access_token: 'at_secret', expires_in: 3600, token_type: 'Bearer', not_in_the_contract: 1 }
    writeFileSync(file, JSON.stringify(tokens))
    const ended = await run('import-tokens', 'Twin', '--input', file)
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/Imported +yes/) })
    expect(ended.stdout + ended.stderr).not.toContain('at_secret')
    expect(await run('import-tokens', 'everything', '--input', file)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is a program'),
    })
    writeFileSync(file, '{"error": "invalid_grant"}')
    expect(await run('import-tokens', 'Twin', '--input', file)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has no access_token'),
    })
  })
})

describe('of the commands for records,', () => {
  test('describe shows names beside ids, and related records', async () => {
    const { code, stdout } = await run('describe', 'environment', 'Staging')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Name +Staging$/m)
    expect(stdout).toMatch(/^Host id +Assistant \(cli_\w+\)$/m)
    const suite = (await run('describe', 'suite', 'Reference server smoke')).stdout
    expect(suite).toMatch(/^Cases\n {2}ID +TITLE/m)
    const client = json<{ name: string; relations: Record<string, { name: string }[]> }>(
      await run('describe', 'client', 'Assistant', '--json'),
    )
    expect(client.name).toBe('Assistant')
    expect(client.relations['environments']?.map(({ name }) => name)).toEqual(expect.arrayContaining(['Staging']))
  })

  test('a name that several records have ends with 2 and the candidates', async () => {
    const ids = await inside(async ({ client, projectId }) => {
      const make = () => client.personas.create({ projectId, body: { name: 'Same', role: 'Tester' } })
      return [(await make()).id, (await make()).id]
    })
    const { code, stderr } = await run('describe', 'persona', 'Same')
    expect(code).toBe(2)
    for (const id of ids) expect(stderr).toContain(id)
  })

  test('search finds each session once, and says where it matches', async () => {
    const found = items(await run('search', 'weather', '--json'))
    expect(found).not.toEqual([])
    expect(new Set(found.map(({ id }) => id)).size).toBe(found.length)
    const scopes = async (...args: string[]) =>
      new Set(items(await run('search', 'light rain', '--json', ...args)).map(({ scope }) => scope))
    expect([...(await scopes())]).toEqual(['transcripts'])
    expect([...(await scopes('--scope', 'titles'))]).toEqual([])
    expect(await run('search', 'no such words')).toMatchObject({ code: 0, stdout: '', stderr: 'No session has it.\n' })
  })

  test('compare counts the cases by their change', async () => {
    const [later, , , , earlier] = items(await run('get', 'runs', '--limit', '5', '--json'))
    const { code, stdout, stderr } = await run('compare', String(earlier?.['id']), String(later?.['id']))
    expect(code).toBe(0)
    expect(stdout).toMatch(/^GROUP +BEFORE +NOW +CASE\n/)
    expect(stdout).toMatch(/^fixed +failed +passed +/m)
    expect(stderr).toMatch(/run #\d+ against run #\d+: .*1 fixed/)
  })

  test('dismiss hides a finding of either source, and can show it again', async () => {
    const findings = items(await run('get', 'findings', '--json'))
    for (const source of ['swarm', 'scenario']) {
      const id = String(findings.find(each => each['source'] === source && each['dismissedAt'] == null)?.['id'])
      const dismissedAt = async () =>
        items(await run('get', 'findings', '--json')).find(each => each['id'] === id)?.['dismissedAt']
      expect(await run('dismiss', id)).toMatchObject({ code: 0, stderr: expect.stringContaining('is dismissed') })
      expect(await dismissedAt()).toEqual(expect.anything())
      expect(json(await run('dismiss', id, '--undo', '--json'))).toMatchObject({ id, dismissed: false })
      expect(await dismissedAt()).toBeNull()
    }
  })
})

describe('of the commands for work in flight,', () => {
  /** A workspace served by this process, and the program in a home with the same workspace. */
  async function staged() {
    const own = await openHome()
    onTestFinished(() => own.close())
    const model = await scriptedModel(() => 'silence')
    const models = { ...model.settings, apiKey: KEY, model: 'player' }
    const service = await open({ dataDir: dataDirOf(own.home), models })
    return { ...service, run: (...args: string[]) => own.run(args) }
  }

  test('cancel stops a run after a question, and finds nothing to stop afterwards', async () => {
    const { api, run } = await staged()
    const { projectId, serverId } = await sandbox(api)
    const body = { name: 'Slow', model: 'none', serverIds: [serverId], tests: [longCase('slow', 60)] }
    const { suiteId } = await api.call(contract.suites.create, { projectId, body })
    const { runId } = await api.call(contract.runs.create, { projectId, body: { suiteId } })
    expect(await run('cancel', runId)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/slot becomes free[^]*--yes/),
    })
    expect(await api.call(contract.runs.get, { projectId, runId })).not.toMatchObject({ status: 'cancelled' })
    expect(json(await run('cancel', runId, '--yes', '--json'))).toMatchObject({ id: runId })
    expect(await untilEnded(api, projectId, runId)).toMatchObject({ status: 'cancelled' })
    expect(await run('cancel', runId, '--yes')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('There is nothing to stop'),
    })
  })

  test('cancel stops every journey run of a wave, even with the feature off, and accepts no other id', async () => {
    const { api, run, store } = await staged()
    const { projectId, journeyId } = await plainJourney(api)
    const place = { projectId, journeyId }
    const waveId = 'wav_of_two'
    const launch = () => api.call(contract.journeyRuns.launch, { ...place, body: { waveId } })
    const [one, two] = [(await launch()).id, (await launch()).id]
    const states = async () => {
      const { items } = await api.call(contract.journeyRuns.list, place)
      return items.map(({ id, canceled }) => [id, canceled === true])
    }
    expect(await run('cancel', waveId)).toMatchObject({ code: 2, stderr: expect.stringContaining('2 journey runs') })
    expect(await states()).toEqual([two, one].map(id => [id, false]))
    expect(await run('cancel', waveId, '--yes')).toMatchObject({ code: 0 })
    expect(await states()).toEqual([two, one].map(id => [id, true]))
    expect(await run('cancel', 'nonsense')).toMatchObject({ code: 2, stderr: expect.stringContaining('no run and no') })
    const { id } = await launch()
    set(store, projectId, 'gate.swarms', 'off')
    expect(await run('cancel', id, '--yes')).toMatchObject({ code: 0, stderr: expect.stringContaining('is stopped') })
  })
})

describe('of the commands for access,', () => {
  test('publish, invite, remove-member, rotate and unpublish say what they do and what is known', async () => {
    expect(await run('publish', 'Staging')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/May enter: members of the project\.[^]*add --yes/),
    })
    const published = await run('publish', 'Staging', '--mode', 'invited_only', '--name', 'Desk', '--yes')
    expect(published).toMatchObject({ code: 0, stdout: expect.stringMatching(/^http:\S+\/visit\/\S+\n$/) })
    // The port in the environment, where the next `mcpdeck serve` listens.
    expect(new URL(published.stdout).port).toBe(String(UNUSED_PORT))
    expect(published.stderr).toContain('Answered: it is for invited people.')
    expect(items(await run('get', 'scenarios', '--json'))).toContainEqual(
      expect.objectContaining({ name: 'Desk', mode: 'invited_only' }),
    )
    expect(await run('invite', 'Desk', 'nobody', '--yes')).toMatchObject({ code: 2 })
    expect((await run('invite', 'Desk', 'ada@example.org', '--yes')).stdout).toMatch(/^mbr_\S+\n$/)
    expect(await run('remove-member', 'Desk', 'ada@example.org')).toMatchObject({ code: 2 })
    expect((await run('remove-member', 'Desk', 'ada@example.org', '--yes')).stderr).toContain('was removed.')
    expect(await run('remove-member', 'Desk', 'ada@example.org', '--yes')).toMatchObject({ code: 3, stdout: '' })
    const rotated = await run('rotate', 'Desk', '--yes')
    expect(rotated.stdout).toMatch(/^http:\S+\/visit\/\S+\n$/)
    expect(rotated.stdout).not.toBe(published.stdout)
    expect(json(await run('unpublish', 'Desk', '--yes', '--json'))).toMatchObject({ deleted: true })
    expect(await run('unpublish', 'Desk', '--yes')).toMatchObject({ code: 2 })
  })

  test('publish does not report success for a mode that the service ignores', async () => {
    expect(await run('publish', 'Spare', '--yes')).toMatchObject({ code: 0 })
    expect(await run('publish', 'Spare', '--mode', 'anyone_with_link', '--yes')).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(/the requested overrides were ignored[^]*mcpdeck rotate makes another one/),
    })
  })
})
