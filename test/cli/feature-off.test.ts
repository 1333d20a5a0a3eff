import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openHome } from './program.ts'

const WORDS = 'Switched off for this organization: Swarms.'

let home: Awaited<ReturnType<typeof openHome>>
beforeAll(async () => {
  home = await openHome()
  await home.run(['serve', 'sample', 'add'])
  await home.run(['serve', 'gate', 'swarms', 'off'])
})
afterAll(() => home.close())

/** Files of a project, which may need the feature. */
function file(name: string, text: string): string {
  const path = join(home.home, name)
  writeFileSync(path, text)
  return path
}

test.each([
  ['get', 'swarms'],
  ['get', 'personas', '--json'],
  ['get', 'waves', '--jsonl'],
  ['get', 'findings'],
  ['get', 'journeys', 'Trip'],
  ['describe', 'swarm', 'Weekly'],
  ['launch', 'Trip', '--yes'],
  ['delete', 'persona', 'Priya', '--yes'],
  ['edit', 'swarm', 'Weekly', '--yes'],
  ['dismiss', 'one', '--yes'],
  ['export', 'journeys'],
])('%s %s ends with 3 and the gate’s reason instead of an empty list', async (...args) => {
  const { code, stdout, stderr } = await home.run(args, { env: { EDITOR: 'true' } })
  expect({ code, stdout, stderr }).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringMatching(/switched off/i),
  })
  expect(stderr).not.toContain('There is no')
})

test('documents that need the feature are not sent, and nothing of the feature is deleted', async () => {
  const persona = file('persona.yaml', 'persona: { name: Tom, role: a clerk }\n')
  for (const args of [
    ['apply', '-f', persona],
    ['apply', '-f', persona, '--prune'],
    ['create', 'persona', '-f', persona],
  ]) {
    const { code, stderr } = await home.run([...args, '--yes'])
    expect({ args, code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining(WORDS) })
  }
})

test('the rest of a project is exported and applied again, and what is left out is named', async () => {
  const dir = join(home.home, 'files')
  const out = await home.run(['export', '--dir', dir])
  expect(out).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`Left out: personas, swarms, journeys. ${WORDS}`),
  })
  const back = await home.run(['apply', '-f', dir, '--prune', '--dry-run'])
  expect(back).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`Left out: personas, swarms, journeys. ${WORDS}`),
  })
  expect(back.stderr).toContain('0 to create')
  expect(back.stderr).toContain('0 to delete')
})
