import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Ended } from './hosts.ts'
import { openHome } from './program.ts'

let home: Awaited<ReturnType<typeof openHome>>
beforeAll(async () => {
  home = await openHome()
})
afterAll(() => home.close())

const env = { GUARDED_API_TOKEN: 'hunter2-secret', GUARDED_ARGUMENT_3: 'word-2', EDITOR: 'true' }
const run = (args: readonly string[], more: Record<string, string> = {}): Promise<Ended> =>
  home.run(args, { env: { ...env, ...more } })
const path = (name: string): string => join(home.home, name)
const project = async (name: string): Promise<void> => {
  expect(await run(['api', 'createProject', '--field', `name=${name}`])).toMatchObject({ code: 0 })
}

test('a project is exported, applied to an empty project, and exported as the same files', async () => {
  expect(await run(['serve', 'sample', 'add'])).toMatchObject({ code: 0 })
  const own = 'name: guarded, enabled: true, transportType: stdio, command: node'
  const args = 'args: [server.js, --token, word-2], env: { API_TOKEN: hunter2-secret }'
  writeFileSync(path('guarded.yaml'), `server: { ${own}, ${args} }\n`)
  expect(await run(['--project', 'Sandbox', 'apply', '-f', path('guarded.yaml'), '--yes'])).toMatchObject({ code: 0 })
  await project('Copy')
  expect(await run(['--project', 'Sandbox', 'export', '--dir', path('from')])).toMatchObject({ code: 0 })
  const guarded = readFileSync(path('from/servers/guarded.yaml'), 'utf8')
  expect(guarded).toMatch(
    /command: node\n[^]*- --token\n {4}- \$\{GUARDED_ARGUMENT_3\}\n[^]*API_TOKEN: \$\{GUARDED_API_TOKEN\}/,
  )
  expect(guarded).not.toMatch(/hunter2-secret|word-2/)
  const copy = (...args: string[]) => run(['--project', 'Copy', ...args])
  const files = ['apply', '-f', path('from')]
  const missing = await home.run(['--project', 'Copy', ...files, '--yes'])
  expect(missing.code).toBe(2)
  expect(missing.stderr).toMatch(/servers\/guarded\.yaml:\d+:\d+: The environment has no variable GUARDED_ARGUMENT_3/)
  const asked = await copy(...files)
  expect(asked).toMatchObject({ code: 2, stdout: '' })
  expect(asked.stderr).toContain('--yes')
  expect(await copy(...files, '--dry-run')).toMatchObject({ code: 0 })
  expect((await copy('export')).stdout).toBe('')
  expect(await copy(...files, '--yes')).toMatchObject({ code: 0 })
  expect((await copy('export')).stdout).toBe((await run(['--project', 'Sandbox', 'export'])).stdout)
  const again = await copy(...files, '--yes', '--json')
  const { plan } = JSON.parse(again.stdout) as { plan: { kind: string; noun: string }[] }
  expect(plan.filter(({ kind }) => kind !== 'leave')).toMatchObject([
    { kind: 'change', noun: 'server' },
    { kind: 'change', noun: 'server' },
  ])
})

test('only files inside the folder are applied, whatever links it has', async () => {
  const dir = path('linked')
  expect(await run(['--project', 'Sandbox', 'export', 'servers', '--dir', dir])).toMatchObject({ code: 0 })
  const apply = () => run(['--project', 'Sandbox', 'apply', '-f', dir, '--yes', '--json'])
  const planned = async () => (JSON.parse((await apply()).stdout) as { plan: unknown[] }).plan.length
  const count = await planned()
  symlinkSync('..', join(dir, 'servers/again'))
  symlinkSync('everything.yaml', join(dir, 'servers/same.yaml'))
  expect(await planned()).toBe(count)
  // Files are laid out as in a mounted ConfigMap.
  mkdirSync(join(dir, '..data'))
  renameSync(join(dir, 'servers/everything.yaml'), join(dir, '..data/everything.yaml'))
  symlinkSync('../..data/everything.yaml', join(dir, 'servers/everything.yaml'))
  expect(await planned()).toBe(count)
  const outside = path('outside.yaml')
  writeFileSync(outside, 'hunter2: very-secret\n')
  symlinkSync(outside, join(dir, 'servers/out.yaml'))
  const refused = await apply()
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toContain(`servers/out.yaml is a link out of ${dir}`)
  expect(refused.stderr).not.toContain('hunter2')
})

test('an export replaces a file with other content only if told to, and names the files it leaves', async () => {
  const dir = path('replaced')
  const out = (...args: string[]) => run(['--project', 'Sandbox', 'export', 'servers', '--dir', dir, ...args])
  expect(await out()).toMatchObject({ code: 0 })
  const file = join(dir, 'servers/everything.yaml')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, 'mine\n')
  writeFileSync(join(dir, 'servers/old.yaml'), 'old\n')
  expect((await out()).code).toBe(2)
  expect(readFileSync(file, 'utf8')).toBe('mine\n')
  expect((await out('--force')).stderr).toContain('servers/old.yaml')
  expect(readFileSync(file, 'utf8')).toBe(text)
})

test('records are created, edited and deleted through the same text', async () => {
  await project('Records')
  const records = (args: string[], more?: Record<string, string>) => run(['--project', 'Records', ...args], more)
  writeFileSync(path('tom.yaml'), 'persona: { name: Tom, role: a clerk }\n')
  expect(await records(['create', 'persona', '-f', path('tom.yaml'), '--yes'])).toMatchObject({ code: 0 })
  expect((await records(['create', 'persona', '-f', path('tom.yaml'), '--yes'])).stderr).toContain('already')
  const edit = (script: string) => records(['edit', 'persona', 'Tom', '--yes'], { EDITOR: `sed -i ${script}` })
  expect((await edit('s/nothing/x/')).stderr).toContain('Nothing was changed.')
  const wrong = await edit('s/role:/rolle:/')
  expect(wrong.code).toBe(2)
  expect(wrong.stderr).toContain('persona.yaml:5:3: There is no field "rolle". Did you mean "role"?')
  const mended = await edit("'s/rolle: a clerk/role: a guest/'")
  expect(mended.stderr).toContain('What was written the last time was not sent; it is opened again.')
  expect(mended).toMatchObject({ code: 0 })
  expect((await records(['export', 'personas', 'Tom'])).stdout).toContain('role: a guest')
  expect((await edit('s/role:/rolle:/')).code).toBe(2)
  writeFileSync(path('tom.yaml'), 'persona: { name: Tom, role: a host }\n')
  expect(await records(['apply', '-f', path('tom.yaml'), '--yes'])).toMatchObject({ code: 0 })
  const stale = await edit('s/rolle:/role:/')
  expect(stale).toMatchObject({ code: 2 })
  expect(stale.stderr).toContain('Someone changed the record since')
  expect(await records(['delete', 'persona', 'Tom'])).toMatchObject({ code: 2 })
  expect(await records(['delete', 'persona', 'Tom', '--yes'])).toMatchObject({ code: 0 })
  expect((await records(['delete', 'persona', 'Tom', '--yes'])).stderr).toContain('There is no persona "Tom".')
})

test('the error names what still refers to a client, and a refused write ends with 1', async () => {
  await project('Refused')
  const refused = (...args: string[]) => run(['--project', 'Refused', ...args])
  const client = 'client: { name: desk, config: { modelId: m } }\n---\nenvironment: { name: staging, client: desk }\n'
  writeFileSync(path('desk.yaml'), client)
  expect(await refused('apply', '-f', path('desk.yaml'), '--yes')).toMatchObject({ code: 0 })
  const held = await refused('delete', 'client', 'desk', '--yes')
  expect(held).toMatchObject({ code: 3 })
  expect(held.stderr).toContain('environments: staging')
  writeFileSync(path('bad.yaml'), 'server: { name: s, enabled: true, transportType: http }\n')
  const bad = await refused('apply', '-f', path('bad.yaml'), '--yes')
  expect(bad).toMatchObject({ code: 3 })
  expect(bad.stderr).toContain('server s: failed')
  expect(await run(['--read-only', '--project', 'Refused', 'apply', '-f', path('bad.yaml'), '--yes'])).toMatchObject({
    code: 2,
  })
})

test('of thousands of mistakes in documents the first hundred are printed, with the number of the others', async () => {
  writeFileSync(path('many.yaml'), Array.from({ length: 3000 }, (_, at) => `server: { name: s${at} }\n`).join('---\n'))
  const { code, stderr } = await run(['apply', '-f', path('many.yaml'), '--dry-run'])
  expect(code).toBe(2)
  expect(stderr.match(/many\.yaml:\d+:\d+: /g)).toHaveLength(100)
  expect(stderr).toContain('There are 5900 more.')
})
