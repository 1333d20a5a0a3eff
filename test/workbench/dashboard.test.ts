import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createHome, removeHome } from '../pty/home.ts'
import { openTerminal, type Terminal } from '../pty/terminal.ts'
import { mcpJson, realServers } from './real-servers.ts'

/** A home with the files of the servers, and a dashboard in it. */
function opened(args: (command: (name: string) => readonly string[], home: string) => readonly string[]) {
  const home = createHome()
  onTestFinished(() => removeHome(home))
  const servers = realServers(home)
  const command = (name: string) => servers.find(each => each.name === name)!.command
  const terminal = openTerminal({ home, args: args(command, home), cols: 80, rows: 24 })
  onTestFinished(() => terminal.close())
  return { home, terminal, servers }
}

/** Presses Esc and waits until the closed part is gone: a letter directly after Esc would be a key with Alt. */
async function close(terminal: Terminal, shown: string): Promise<void> {
  terminal.press('escape')
  await terminal.waitFor(() => !terminal.screen().includes(shown))
}

test('a server from npm is tried: called twice, inspected, saved with a case of its call', async () => {
  const { terminal, home } = opened(command => ['try', '--', ...command('files')])
  await terminal.waitFor('14 listed')
  terminal.press('enter')
  await terminal.waitFor('Call read_file')
  terminal.type(join(home, 'files', 'note.txt'))
  terminal.press('ctrl+s')
  await terminal.waitFor('kept in a file')
  terminal.type('y')
  await terminal.waitFor('Copied')
  terminal.press('alt+k')
  await terminal.waitFor('requests of curl')
  await close(terminal, 'requests of curl')
  terminal.type('R')
  await terminal.waitFor('again?')
  terminal.press('down', 'enter')
  await terminal.waitFor(() => !terminal.screen().includes('again?'))
  await terminal.waitFor('✓ answered')
  terminal.type('e')
  await terminal.waitFor('It acts on the server')
  terminal.press('ctrl+s')
  // The result of the earlier call is shown behind the form.
  await terminal.waitFor(() => !terminal.words().includes('It acts on the server'))
  await terminal.waitFor('✓ answered')
  terminal.press('alt+c')
  await terminal.waitFor('Save as eval case')
  terminal.press('ctrl+s')
  await terminal.waitFor('goes to it')
  // The results of the three calls replaced each other.
  terminal.type('q')
  await terminal.waitFor('14 listed')
  terminal.type(']]]')
  await terminal.waitFor('[Calls')
  expect(terminal.screen().match(/read_file/g)?.length).toBeGreaterThanOrEqual(3)
  terminal.press('enter')
  await terminal.waitFor('kept in a file')
  await close(terminal, 'kept in a file')
  terminal.type(']')
  await terminal.waitFor('[Traffic')
  await terminal.waitFor(/← tools\/call +result/)
  terminal.type('t')
  await terminal.waitFor('Paused')
  terminal.type('D')
  await terminal.waitFor('Nothing was sent yet')
  terminal.type(']')
  await terminal.waitFor('[Console')
  await terminal.waitFor(/process +started as process \d+/)
  terminal.type('q')
  await terminal.waitFor('Quit and lose what was made here?')
  expect(terminal.words()).toContain('The suite server-filesystem suite.')
  await close(terminal, 'Quit and lose')
  terminal.type('[[[[[')
  await terminal.waitFor('[Tools')
  terminal.type('s')
  await terminal.waitFor('Save server-filesystem')
  terminal.press('ctrl+s')
  await terminal.waitFor(/Saved server-filesystem in Sandbox/)
})

test('saved servers are imported from files, pasted, edited, examined and compared', async () => {
  const { terminal, home, servers } = opened((_, folder) => {
    mkdirSync(join(folder, '.cursor'))
    const known = realServers(folder).filter(({ name }) => name !== 'everything')
    writeFileSync(join(folder, '.cursor/mcp.json'), mcpJson(known))
    return ['servers']
  })
  await terminal.waitFor('Servers 1 of 1')
  terminal.press('alt+i')
  await terminal.waitFor(/thinking +stdio +○ new/)
  terminal.type('*')
  terminal.press('enter')
  await terminal.waitFor('Import 3 servers?')
  terminal.press('down', 'enter')
  await terminal.waitFor('✓ saved  thinking')
  await close(terminal, '✓ saved')
  terminal.type('n')
  await terminal.waitFor('JSON from an mcp.json')
  terminal.paste('{"mcpServers": {"far": {"url": "http://127.0.0.1:9/mcp"}}}')
  await terminal.waitFor('127.0.0.1:9')
  terminal.press('ctrl+s')
  await terminal.waitFor('▌far')
  terminal.type('I')
  await terminal.waitFor('Access token')
  await close(terminal, 'Access token')
  terminal.type('.')
  await terminal.waitFor('What can be done here')
  await close(terminal, 'What can be done here')
  terminal.press('up')
  await terminal.waitFor(/▌thinking/)
  terminal.type('e')
  const [program = ''] = servers.find(({ name }) => name === 'thinking')!.command
  await terminal.waitFor(new RegExp(`Address or command +'?${program.slice(0, 8)}`))
  await close(terminal, 'Edit thinking')
  terminal.type('d')
  await terminal.waitFor('ready')
  terminal.type('=')
  await terminal.waitFor('snapshot')
  terminal.press('escape')
  expect(readFileSync(join(home, '.cursor/mcp.json'), 'utf8')).toBe(
    mcpJson(servers.filter(({ name }) => name !== 'everything')),
  )
})

test('a suite on the reference server runs again when a file is saved, in the dashboard and as a command', async () => {
  const { terminal, home } = opened(() => ['runs'])
  mkdirSync(join(home, 'src'))
  await terminal.waitFor('▌Reference server smoke')
  terminal.press('alt+w')
  await terminal.waitFor('Watch files for Reference server smoke')
  await close(terminal, 'Watch files for')
  const words = ['Reference server smoke', '--yes', '--watch-files', 'src/**', '--max-runs', '1']
  const command = openTerminal({ home, args: ['run', ...words] })
  onTestFinished(() => command.close())
  await command.waitFor('Waiting for changes.')
  writeFileSync(join(home, 'src/server.ts'), '')
  await command.waitFor('That was the last run that was agreed to')
  expect(await command.waitForExit()).toMatchObject({ code: 3 })
})

test('the arguments of a call are edited as text in the editor, and sent from the form', async () => {
  const home = createHome()
  onTestFinished(() => removeHome(home))
  const { command } = realServers(home).find(({ name }) => name === 'everything')!
  const editor = join(home, 'editor')
  writeFileSync(editor, `#!/bin/sh\nsed -i 's/message:.*/message: edited/' "$1"\n`, { mode: 0o700 })
  const env = { EDITOR: editor }
  const terminal = openTerminal({ home, args: ['try', '--', ...command], env, cols: 120, rows: 40 })
  onTestFinished(() => terminal.close())
  await terminal.waitFor(/▌echo/)
  terminal.press('enter')
  await terminal.waitFor('Call echo')
  terminal.press('ctrl+e')
  await terminal.waitFor(/▌ message[^]*edited/)
  terminal.press('ctrl+s')
  await terminal.waitFor('Echo: edited')
})
