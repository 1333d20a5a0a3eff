import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inWorkspace } from '../prepared-workspace.ts'
import { openHome } from './program.ts'

const SERVERS = join(import.meta.dirname, '../servers')

let home: Awaited<ReturnType<typeof openHome>>
const run = (...args: string[]) => home.run(['skills', ...args])
const reads = () => readFileSync(join(home.home, 'requests'), 'utf8').match(/^resources\/read .*$/gm) ?? []

beforeAll(async () => {
  home = await openHome()
  await inWorkspace(home.home, async ({ client, projectId }) => {
    const add = (name: string, args: string[]) =>
      client.servers.create({
        projectId,
        body: { name, enabled: true, transportType: 'stdio', command: process.execPath, args },
      })
    await add('skilled', [join(SERVERS, 'skills-server.mjs'), join(home.home, 'requests')])
    await add('small', [join(SERVERS, 'stdio-server.mjs'), 'healthy'])
  })
})
afterAll(() => home.close())

test('a listing reads no skill, and ends with 1 because entries break the rules', async () => {
  const { code, stdout, stderr } = await run('skilled')
  expect(code).toBe(1)
  expect(stdout).toMatch(/NAME +FILES +ADDRESS +DESCRIPTION/)
  expect(stdout).toMatch(/pdf +4 +skill:\/\/pdf\/SKILL\.md +Knows pdf\./)
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('same is refused: It is listed more than once.')
  expect(stderr).toContain('made cannot be read')
  expect(stderr).toContain('An entry is refused: The entry has no address.')
  expect(stderr.length).toBeLessThan(2000)
  expect(JSON.parse((await run('skilled', '--json')).stdout)).toMatchObject({ support: { active: true } })
  expect(reads()).toEqual([])
})

test('a skill is printed by its name or address, and a file of it by its path', async () => {
  expect(await run('skilled', 'pdf')).toMatchObject({ code: 0, stdout: '\nUse pdf.\n' })
  expect(await run('skilled', 'skill://unlisted/SKILL.md')).toMatchObject({ code: 0, stdout: '\nUse unlisted.\n' })
  expect(await run('skilled', 'pdf', 'references/FORMS.md')).toMatchObject({ code: 0, stdout: 'All forms.\n' })
  const file = join(home.home, 'logo.bin')
  expect(await run('skilled', 'pdf', 'logo.bin', '--output', file)).toMatchObject({ code: 0 })
  expect([...readFileSync(file)]).toEqual([0, 255, 1])
})

test.each(['digest', 'size', 'front', 'outside', 'same'])(
  'the skill %s fails its check: exit code 1, without its text',
  async name => {
    for (const more of [[], ['--json']]) {
      const { code, stdout, stderr } = await run('skilled', name, ...more)
      expect(code).toBe(1)
      expect(stderr).toContain(`${name} is refused:`)
      expect(stdout).not.toMatch(/Use|Forget/)
      if (more.length > 0) expect(JSON.parse(stdout)).toMatchObject({ refusal: { kind: expect.any(String) } })
    }
  },
)

test('a file that is not listed, and a skill without digests, are refused with 3', async () => {
  expect(await run('skilled', 'pdf', '../size/SKILL.md')).toMatchObject({ code: 3, stdout: '' })
  expect(await run('skilled', 'made')).toMatchObject({ code: 3, stdout: '' })
})

test('a name that no skill or that two skills have is wrong usage', async () => {
  expect((await run('skilled', 'none')).stderr).toContain('lists no skill "none"')
  const { code, stderr } = await run('skilled', 'twin')
  expect(code).toBe(2)
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('skill://a/twin/SKILL.md, skill://b/twin/SKILL.md')
})

test.each(['', 'pdf', 'pdf logo.bin', 'skill://pdf/SKILL.md'])(
  'a server without skills says so when asked for "%s"',
  async words => {
    const { code, stderr } = await run('small', ...words.split(' ').filter(Boolean))
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining('does not offer skills.') })
  },
)

test('a listing is written to no file', async () => {
  const { code, stderr } = await run('skilled', '--output', join(home.home, 'list'))
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('--output needs a skill') })
})
