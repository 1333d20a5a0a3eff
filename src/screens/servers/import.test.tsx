import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { HOSTILE } from '../../../test/hostile-texts.ts'
import { serverFiles } from '../../cli/servers/known-files.ts'
import { confirmKeys } from '../../components/component-keys.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { textOverlayKeys } from '../../components/text-overlay-keys.ts'
import { serverImportKeys, serversKeys } from './bindings.ts'
import { serversRoute } from './route.ts'

const keys = serversKeys.bindings
const secret = 'hunter2-very-secret'

let testService: TestService
let projectId: string
let home: string
let app: TestApp

beforeAll(async () => {
  testService = await openService()
})
afterAll(() => testService.close())
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'mcpdeck-files-'))
  projectId = (await testService.client.projects.create({ body: { name: home } })).id
})
afterEach(async () => {
  await app.close()
  rmSync(home, { recursive: true, force: true })
})

function write(path: string, value: unknown): void {
  const file = join(home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value))
}

async function open(env: Record<string, string> = {}): Promise<void> {
  const access = { serverFiles: serverFiles({ platform: 'linux', home, folder: join(home, 'work'), env }) }
  app = await openApp({ testService, place: serversRoute.to({ projectId }), access, size: { width: 100, height: 30 } })
  await app.see('This project has no saved server.')
}

const saved = async () => (await testService.client.servers.list({ projectId })).items

test('an empty project offers to import servers, and several are imported, each with its result', async () => {
  const program = { command: 'node', args: ['s.js'], env: { TOKEN: '${TOKEN}' } }
  write('work/.mcp.json', { mcpServers: { one: program, wrong: { command: 5 } } })
  write('.cursor/mcp.json', { mcpServers: { two: { url: 'https://x.example/mcp' } } })
  await open({ TOKEN: secret })
  await app.see('to import those of')
  await app.press(keys.importFiles)
  const list = await app.see('~/.cursor/mcp.json')
  expect(list).toMatch(/one +stdio +○ new +\.mcp\.json/)
  expect(list).toMatch(/wrong +stdio +✗ faulty/)
  expect(list).toMatch(/two +http +○ new/)
  await app.press(serverImportKeys.bindings.all, serverImportKeys.bindings.accept)
  const question = await app.see('Import 2 servers?')
  expect(question).toContain('one: new')
  expect(question).not.toContain(secret)
  expect(await saved()).toEqual([])
  await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
  const result = await app.see('Imported servers')
  expect(result).toMatch(/✓ saved +one/)
  expect(result).toMatch(/✓ saved +two/)
  await app.press(textOverlayKeys.bindings.close)
  expect((await saved()).map(({ name }) => name).toSorted()).toEqual(['one', 'two'])
  await app.see(frame => !frame.includes('Imported servers'))
  write('.cursor/mcp.json', { mcpServers: { two: { url: 'https://y.example/mcp' } } })
  await app.press(keys.importFiles)
  const again = await app.see('~/.cursor/mcp.json')
  expect(again).toMatch(/one +stdio +✓ saved/)
  expect(again).toMatch(/two +http +! differs/)
})

test('inputs of a file are asked for before saving, and an invalid value is refused with the reason', async () => {
  const inputs = [{ type: 'promptString', id: 'key', description: 'API key', password: true }]
  const server = { type: 'stdio', command: 'node', env: { KEY: '${input:key}' } }
  write('work/.vscode/mcp.json', { inputs, servers: { asks: server, bad: {} } })
  await open()
  await app.press(keys.importFiles)
  await app.see('It needs ${input:key}')
  await app.press('down', serverImportKeys.bindings.accept)
  await app.see('bad cannot be taken: "bad" has neither a command nor an address')
  await app.press('up', serverImportKeys.bindings.accept)
  await app.see('API key. It replaces ${input:key}.')
  await app.type(secret)
  await app.press(formKeys.bindings.send)
  expect(await app.see('Import 1 server?')).not.toContain(secret)
  await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
  await app.see('Imported asks.')
  expect((await saved()).map(({ name }) => name)).toEqual(['asks'])
})

test('hostile files are reported with their place, and send no control characters to the terminal', async () => {
  write('work/mcp.json', { mcpServers: Object.fromEntries(HOSTILE.map(text => [text, { command: text }])) })
  write('work/.mcp.json', `{"mcpServers": ${'['.repeat(100_000)}`)
  await open()
  await app.press(keys.importFiles)
  const list = await app.see('This is nested deeper than 64 levels.')
  expect(list).toContain('.mcp.json:1:')
  for (const text of HOSTILE.filter(each => each.includes('\u001B'))) expect(list).not.toContain(text)
})

test('the import without a file says where it looked', async () => {
  await open()
  await app.press(keys.importFiles)
  await app.see('No MCP servers were found in the working directory')
})

test('pasted JSON of one server fills in the form, even with comments and line breaks', async () => {
  await open()
  await app.press(keys.add)
  await app.see('Address or command')
  await app.paste(
    '{\n "mcpServers": { // mine\n  "mine": {"command": "node", "args": ["a b.js", ""], "env": {"X": "1"}},\n }\n}',
  )
  await app.see(frame => frame.includes('mine') && frame.includes("'a b.js'"))
  await app.press(formKeys.bindings.send)
  await app.see('Saved mine.')
  expect(await saved()).toMatchObject([{ name: 'mine', transportType: 'stdio' }])
})

test('pasted JSON of several servers, or of one that the form cannot show, opens the list', async () => {
  await open({ TOKEN: secret })
  await app.press(keys.add)
  await app.see('Address or command')
  await app.type('typed first')
  await app.paste('{"command": "node", "env": {"T": "${TOKEN}"}}')
  expect(await app.see(/typed first +stdio +○ new +the pasted text/)).not.toContain(secret)
  await app.press(serverImportKeys.bindings.cancel, keys.add)
  await app.see('Address or command')
  await app.paste('"a": {"command": "node"},\n"b": {"url": "https://x.example/mcp"},')
  await app.see(/b +http +○ new +the pasted text/)
  await app.press(serverImportKeys.bindings.cancel, keys.add)
  await app.see('Address or command')
  await app.paste('{"a": }')
  await app.see('the pasted text:1:7: This cannot be read as JSON')
  await app.press(serverImportKeys.bindings.cancel)
  expect(await saved()).toEqual([])
})
