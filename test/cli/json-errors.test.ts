import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataDirOf } from '../prepared-workspace.ts'
import { openHome } from './program.ts'

let home: Awaited<ReturnType<typeof openHome>>

beforeAll(async () => {
  home = await openHome()
})
afterAll(() => home.close())

const refused = async (...args: string[]) => {
  const { code, stdout, stderr } = await home.run(args)
  expect(stdout).toBe('')
  expect(stderr.endsWith('\n')).toBe(true)
  return { code, error: JSON.parse(stderr) as Record<string, unknown> }
}

test.each([
  ['a word that a command does not take', ['tools', '--jsn', '--json']],
  ['a command that there is none of', ['tols', '--json']],
  ['a server that there is none of', ['tools', 'nobody', '--json']],
  ['a profile that there is none of', ['tools', 'everything', '--json', '--profile', 'none']],
])('with --json, %s is reported as an object on standard error', async (_what, args) => {
  expect(await refused(...args)).toEqual({
    code: 2,
    error: { code: 'usage', message: expect.any(String), kind: 'usage', exitCode: 2 },
  })
})

test('a refusal by a service has its code, status and request', async () => {
  const unreachable = await refused('tools', '--command', 'false --token hunter2', '--json')
  expect(unreachable).toEqual({
    code: 3,
    error: {
      code: 'SERVER_UNREACHABLE',
      message: expect.stringContaining('exited with code 1'),
      kind: 'no-verdict',
      exitCode: 3,
      status: expect.any(Number),
      requestId: expect.any(String),
    },
  })
  expect(JSON.stringify(unreachable)).not.toContain('hunter2')
})

test('without --json before the command of a server, errors are sentences', async () => {
  expect((await home.run(['tools', 'nobody'])).stderr).not.toContain('{')
  const behind = await home.run(['tools', '--data-dir', dataDirOf(home.home), 'nobody', '--', '--json'])
  expect(behind.stderr).not.toContain('{')
})
