import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { resultKeys, serversKeys } from '../../src/screens/servers/bindings.ts'
import { descendantsOf } from './processes.ts'
import { visit } from './visitor.ts'

const PACKAGE = '@modelcontextprotocol/server-sequential-thinking'
const INDEX = fileURLToPath(import.meta.resolve(`${PACKAGE}/dist/index.js`))

/** The published server in a separate folder, with a source that can be edited. It counts its calls in memory. */
function editableServer() {
  const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-edited-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(dirname(dirname(INDEX)), join(folder, 'server'), { recursive: true })
  symlinkSync(INDEX.slice(0, INDEX.indexOf(PACKAGE) - 1), join(folder, 'node_modules'))
  const file = join(folder, 'server/dist/index.js')
  const published = readFileSync(file, 'utf8')
  const save = (text: string): void => writeFileSync(file, text)
  const renamed = published.replace('"sequentialthinking"', '"thinking"')
  return {
    file,
    rename: () => save(renamed),
    /** Makes the server answer each call with a JSON-RPC error. */
    refuse: () =>
      save(
        renamed.replace(
          'async function runServer()',
          `const { CallToolRequestSchema } = await import('@modelcontextprotocol/sdk/types.js')
           server.server.setRequestHandler(CallToolRequestSchema, () => {
             throw Object.assign(new Error('no thoughts left today'), { code: -32050, data: { left: 0 } })
           })
           async function runServer()`,
        ),
      ),
    breakStart: () => save(`console.error('The file thoughts.json is missing.'); process.exit(1)`),
  }
}

test('a server from npm is edited, restarted and called, and keeps its state until it is ended', async () => {
  const server = editableServer()
  await using person = visit({ args: ['try', '--', process.execPath, server.file], cols: 120, rows: 40 })
  const { terminal } = person
  const fill = (): void => {
    for (const value of ['a thought', 'true', '1', '3']) {
      person.type(value)
      terminal.press('tab')
    }
    terminal.press('ctrl+s')
  }
  const callAgain = async (): Promise<void> => {
    person.press(resultKeys.bindings.again)
    await person.see('again?')
    terminal.press('down', 'enter')
  }

  const close = async (): Promise<void> => {
    terminal.press('escape')
    await person.seeGone('As received')
  }

  await person.see(/▌sequentialthinking/)
  terminal.press('enter')
  await person.see('Call sequentialthinking')
  fill()
  await person.see('"thoughtHistoryLength": 1')
  await callAgain()
  await person.see('"thoughtHistoryLength": 2')

  // The server exits by itself: the next call says that its state is lost.
  const own = descendantsOf(terminal.pid).find(({ command }) => command.includes(server.file))
  process.kill(own!.pid, 'SIGKILL')
  await callAgain()
  await person.see('A new process answered: the 1st start ended after 2 calls, its state is gone.')
  await person.see('"thoughtHistoryLength": 1')
  await close()

  server.rename()
  person.press(serversKeys.bindings.restart)
  await person.see(/Restarted .*: its 3rd start/)
  await person.see(/▌thinking[^]*1 listed, started .*3rd start/)
  await person.seeGone('sequentialthinking')

  server.refuse()
  person.press(serversKeys.bindings.restart)
  await person.see(/▌thinking[^]*1 listed, started .*4th start/)
  terminal.press('enter')
  await person.see('Call thinking')
  fill()
  await person.see(/-32050.*no thoughts left today/)
  await person.see('"left": 0')
  await callAgain()
  await person.see(/-32050.*no thoughts left today/)
  expect(terminal.words()).not.toMatch(/unreachable|may have happened/)
  await close()

  server.breakStart()
  person.press(serversKeys.bindings.restart)
  await person.see('The file thoughts.json is missing.')
  expect(terminal.words()).not.toContain('sequentialthinking')
})
