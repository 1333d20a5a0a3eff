import { readFileSync, statSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LIMITS, GATE_NAMES, LIMIT_NAMES } from '../../src/service/core/limits.ts'
import { openHome } from './program.ts'

let home: Awaited<ReturnType<typeof openHome>>

beforeAll(async () => {
  home = await openHome()
})
afterAll(() => home.close())

const items = (stdout: string) => (JSON.parse(stdout) as { items: Record<string, unknown>[] }).items
const valueOf = (stdout: string, name: string) => items(stdout).find(item => item['name'] === name)

describe('serve limits', () => {
  test('lists every limit with value, default and meaning', async () => {
    const { code, stdout, stderr } = await home.run(['serve', 'limits'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const lines = stdout.trimEnd().split('\n')
    expect(lines.map(line => line.split(/\s+/)[0])).toEqual(LIMIT_NAMES)
    for (const [index, { value, says }] of Object.values(LIMITS).entries())
      expect(lines[index]?.replaceAll(/ +/g, ' ')).toBe(`${LIMIT_NAMES[index]} ${value} (default) ${says}`)
  })

  test('sets and resets a limit, which the next process uses', async () => {
    const set = await home.run(['serve', 'limits', 'set', 'burst=25', 'insightsPerDay=0', '--json'])
    expect(valueOf(set.stdout, 'burst')).toMatchObject({ value: 25, default: 10, isSet: true })
    const read = await home.run(['serve', 'limits', '--json'])
    expect(read.stdout).toBe(set.stdout)
    const answer = await home.run(['api', 'getCapabilities', '--local'])
    expect(JSON.parse(answer.stdout)).toMatchObject({ limits: { burst: 25, insightsPerDay: 0 } })
    const unset = await home.run(['serve', 'limits', 'unset', 'burst', 'insightsPerDay', '--json'])
    expect(valueOf(unset.stdout, 'burst')).toMatchObject({ value: 10, isSet: false })
  })

  test.each([
    [['limits', 'set', 'bursts=1'], /There is no limit "bursts"; limits are requestsPerMinute, /],
    [['limits', 'set', 'burst=0'], /burst takes a whole number from 1 to /],
    [['limits', 'set', 'burst=2', 'concurrentRuns=x'], /concurrentRuns takes a whole number/],
    [['limits', 'set', 'burst'], /use name=value/],
    [['limits', 'set'], /Missing required argument/],
    [['limits', 'unset', 'nothing'], /There is no limit "nothing"/],
    [['gate', 'swarm', 'off'], /There is no gate "swarm"; gates are swarms, user-testing/],
    [['gate', 'swarms', 'maybe'], /use on or off/],
    [['gate', 'swarms'], /use on or off/],
    [['key', 'create', 'x', '--role', 'king'], /There is no role "king"; roles are guest, /],
    [['key', 'create', 'x', '--grant', 'prj_none=member'], /There is no project prj_none/],
    [['key', 'create', 'x', '--grant', 'member'], /write --grant project=role/],
    [['key', 'revoke', 'key_none'], /There is no key key_none/],
    [['--burst', '0'], /whole number from 1/],
    [['--host', '0.0.0.0'], /--allow-remote/],
    [['--fault', 'flood=1'], /"flood=1" is not a fault/],
    [['--request-log', '/does/not/exist/log'], /cannot be written/],
  ])('refuses %j with exit code 2 and a sentence, and changes nothing', async (args, sentence) => {
    const ended = await home.run(['serve', ...args])
    expect(ended.stderr).toMatch(sentence)
    expect(ended.stderr).not.toMatch(/\n\s+at /)
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 2, stdout: '' })
    const limits = await home.run(['serve', 'limits', '--json'])
    expect(items(limits.stdout).filter(item => item['isSet'])).toEqual([])
  })

  test.each(['0', '65536', '-1', 'https'])('refuses MCPDECK_PORT=%s with exit code 2 and the range', async port => {
    const ended = await home.run(['serve'], { env: { MCPDECK_PORT: port } })
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('whole number from 1 to 65535') })
  })
})

test('serve gate switches a feature, and lists all features', async () => {
  const off = await home.run(['serve', 'gate', 'swarms', 'off', '--json'])
  expect(items(off.stdout)).toMatchObject(
    GATE_NAMES.map(name => ({ name, isOn: name !== 'swarms', says: expect.any(String) })),
  )
  const [project] = items((await home.run(['api', 'listProjects'])).stdout)
  const args = ['--field', `projectId=${String(project!['id'])}`, '--field', 'name=P', '--field', 'role=r']
  const refused = await home.run(['api', 'createPersona', ...args])
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('switched off') })
  const on = await home.run(['serve', 'gate', 'swarms', 'on'])
  expect(on.stdout).toMatch(/^swarms +on +Swarms\n/)
})

test('keys are made with grants, listed with their organization, orphaned and revoked', async () => {
  const [project] = items((await home.run(['api', 'listProjects'])).stdout)
  const id = String(project!['id'])
  const made = await home.run(['serve', 'key', 'create', 'ci', '--grant', `${id}=editor`, '--json'])
  const key = JSON.parse(made.stdout) as { id: string; keyFile: string; role: null; grants: object }
  expect(key).toMatchObject({ role: null, grants: { [id]: 'editor' } })
  expect(statSync(key.keyFile).mode & 0o777).toBe(0o600)
  expect(made.stdout).not.toContain(readFileSync(key.keyFile, 'utf8').trim())

  const stateOf = async () => {
    const { stdout } = await home.run(['serve', 'key', 'list', '--json'])
    const { state, organizationId } = items(stdout).find(item => item['id'] === key.id) ?? {}
    return { state, organizationId }
  }
  expect(await stateOf()).toEqual({ state: 'active', organizationId: expect.stringMatching(/^org_/) })
  expect((await home.run(['serve', 'key', 'list'])).stdout).toContain(`${id}=editor`)
  expect((await home.run(['serve', 'key', 'orphan', key.id])).stdout).toBe(`${key.id} orphaned\n`)
  expect(await stateOf()).toEqual({ state: 'orphaned', organizationId: null })
  expect((await home.run(['serve', 'key', 'orphan', key.id])).code).toBe(2)
  expect((await home.run(['serve', 'key', 'revoke', key.id])).code).toBe(0)
  expect(await stateOf()).toMatchObject({ state: 'revoked' })
})

test('the dashboard’s own key is replaced if it was orphaned', async () => {
  const { stdout } = await home.run(['serve', 'key', 'list', '--json'])
  const local = items(stdout).find(item => item['name'] === 'local' && item['state'] === 'active')
  await home.run(['serve', 'key', 'orphan', String(local!['id'])])
  expect((await home.run(['api', 'listProjects'])).code).toBe(0)
})

test('serve status shows the work in progress and the usage', async () => {
  const { stdout } = await home.run(['serve', 'status', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({
    dataDir: expect.any(String),
    concurrentRuns: 2,
    runs: [],
    jobs: [],
    usedToday: [
      { limit: 'generationsPerDay', used: 0, value: 200 },
      { limit: 'launchesPerDay', used: 0, value: 200 },
      { limit: 'insightsPerDay', used: 0, value: 50 },
    ],
  })
  expect((await home.run(['serve', 'status'])).stdout).toMatch(
    /^workspace .*\nworker +none\nruns +0 in flight, 2 at once\n/,
  )
})
