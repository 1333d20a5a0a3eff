import { expect, test } from 'vitest'
import { newHome } from '../journeys/homes.ts'
import { PROGRAM } from '../journeys/visitor.ts'
import { inWorkspace } from '../prepared-workspace.ts'
import { openTerminal, type Key } from '../pty/terminal.ts'

/** A home whose workspace has two projects, so that a command without one has to ask. */
async function homeWithProjects(): Promise<string> {
  const home = newHome()
  await inWorkspace(home, ({ client }) => client.projects.create({ body: { name: 'Another' } }))
  return home
}

test.each<[string, Key, object]>([
  ['Ctrl+C interrupts', 'ctrl+c', { code: 0, signal: 'SIGINT' }],
  ['Ctrl+D chooses none', 'ctrl+d', { code: 2, signal: undefined }],
])('%s at the question for a project', async (_, key, exit) => {
  await using terminal = openTerminal({ args: ['get', 'suites'], home: await homeWithProjects() })
  await terminal.waitFor('Which project?')
  terminal.press(key)
  expect(await terminal.waitForExit()).toEqual(exit)
  expect(terminal.output).not.toContain('Fault')
})

test('Ctrl+C at the question before a profile is removed exits', async () => {
  await using terminal = openTerminal({
    command: 'sh',
    args: [
      '-c',
      'mcpdeck() { "$NODE" "$PROGRAM" "$@"; }; mcpdeck profile add one http://127.0.0.1:1/api/v1 && mcpdeck profile remove one; echo "code $?"',
    ],
    env: { NODE: process.execPath, PROGRAM },
  })
  await terminal.waitFor(/[Kk]ey/)
  terminal.type('sk_typed\r')
  await terminal.waitFor('to go on:')
  terminal.press('ctrl+c')
  await terminal.waitFor('code 130')
  expect(terminal.output).not.toContain('Fault')
})
