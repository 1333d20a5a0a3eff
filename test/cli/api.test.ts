import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allEndpoints } from '../../src/api/contract/contract.ts'
import { openHome } from './program.ts'

let home: Awaited<ReturnType<typeof openHome>>
const items = (stdout: string) => (JSON.parse(stdout) as { items: Record<string, unknown>[] }).items

beforeAll(async () => {
  home = await openHome()
})
afterAll(() => home.close())

describe('the list of operations', () => {
  test('contains every operation of the contract', async () => {
    const { code, stdout, stderr } = await home.run(['api', '--list'])
    expect(code).toBe(0)
    expect(stdout.trim().split('\n')).toHaveLength(allEndpoints().length)
    expect(stderr).toBe(`${allEndpoints().length} operations\n`)
  })

  test('has name, method, path, input, risk and gate as JSON', async () => {
    const { stdout } = await home.run(['api', '--list', '--json'])
    expect(items(stdout).find(item => item.name === 'createEvalRun')).toMatchObject({
      method: 'POST',
      path: '/projects/{projectId}/eval-runs',
      risk: 'spend',
      gate: null,
      idempotency: 'header',
    })
  })
})

describe('mcpdeck api', () => {
  test('calls by name, by resource, or by method and path, and prints the body as received', async () => {
    const [byName, byResource, byPath] = await Promise.all([
      home.run(['api', 'listProjects']),
      home.run(['api', 'projects.list']),
      home.run(['api', 'get', '/projects']),
    ])
    expect(items(byName.stdout).map(item => item.name)).toEqual(['Sandbox'])
    expect(byResource.stdout).toBe(byName.stdout)
    expect(byPath.stdout).toBe(byName.stdout)
  })

  test('accepts fields and a body for a write, and prints what was written', async () => {
    const created = await home.run([
      'api',
      'createProject',
      '--field',
      'name=From a script',
      '--field',
      'visibility=private',
    ])
    expect(created.code).toBe(0)
    const { id } = JSON.parse(created.stdout) as { id: string }
    const renamed = await home.run(['api', 'PATCH', `/projects/${id}`, '--input', '-'], {
      input: JSON.stringify({ name: 'Renamed' }),
    })
    expect(JSON.parse(renamed.stdout)).toMatchObject({ id, name: 'Renamed' })
    const gone = await home.run(['api', 'deleteProject', '--field', `projectId=${id}`, '--yes'])
    expect(JSON.parse(gone.stdout)).toEqual({ id, deleted: true })
  })

  test('follows the cursors of a list to its end with --paginate', async () => {
    const [project] = items((await home.run(['api', 'listProjects'])).stdout)
    const path = `/projects/${String(project?.id)}`
    const [suite] = items((await home.run(['api', 'GET', `${path}/eval-suites`])).stdout)
    const launched = await home.run([
      'api',
      'createEvalRun',
      '--field',
      `projectId=${String(project?.id)}`,
      '--field',
      `suiteId=${String(suite?.id)}`,
      '--yes',
    ])
    const { runId } = JSON.parse(launched.stdout) as { runId: string }
    const trials = `${path}/eval-runs/${runId}/iterations`
    const one = await home.run(['api', 'GET', `${trials}?limit=4`])
    expect(await home.run(['api', 'GET', trials, '--all'])).toMatchObject({ code: 2, stdout: '' })
    const all = await home.run(['api', 'GET', `${trials}?limit=4`, '--paginate'])
    expect(items(one.stdout)).toHaveLength(4)
    expect(items(all.stdout)).toHaveLength(15)
  })
})

describe('mcpdeck api refuses', () => {
  test.each([
    [['api', 'createEvalRun', '--field', 'projectId=p', '--field', 'suiteId=s'], 2, /add --yes/],
    [['--read-only', 'api', 'createProject', '--field', 'name=x'], 2, /--read-only refuses every write/],
    [['api', 'createProject', '--field', 'nonsense'], 2, /write --field name=value/],
    [['api', 'createProject', '--field', 'name='], 2, /name/],
    [['api', 'createProject', '--field', 'colour=red', '--field', 'name=x'], 2, /colour/],
    [['api', 'listProject'], 2, /Near: listProjects/],
    [['api', 'GET', '/nowhere'], 2, /The contract has no GET \/nowhere/],
    [['api', 'createProject', '--input', '/does/not/exist'], 2, /cannot be read: no such file or directory\./],
    [['api', 'GET', '/projects/prj_none/servers'], 3, /Not found/],
    [['api', 'listHarnessBuiltinTools', '--field', 'harnessId=claude-code'], 3, /No agent harness runs/],
  ])('%j with exit code %i and a sentence', async (args, code, sentence) => {
    const ended = await home.run(args)
    expect(ended.stderr).toMatch(sentence)
    expect(ended.stderr).not.toMatch(/\n\s+at /)
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code, stdout: '' })
  })

  test('an address where nobody answers, with exit code 3', async () => {
    const env = { MCPDECK_BASE_URL: 'http://127.0.0.1:9/api/v1', MCPDECK_API_KEY: 'sk_test' }
    const ended = await home.run(['api', 'getMe'], { env })
    expect(ended.code).toBe(3)
    expect(ended.stderr).toMatch(/refused|unreachable|No answer/i)
  })
})
