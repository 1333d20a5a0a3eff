import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openHome } from './program.ts'

let home: Awaited<ReturnType<typeof openHome>>
beforeEach(async () => {
  home = await openHome()
})
afterEach(async () => await home.close())

const FILES = {
  'claude-code': ['.claude.json', 'mcpServers'],
  vscode: ['.config/Code/User/mcp.json', 'servers'],
  cursor: ['.cursor/mcp.json', 'mcpServers'],
} as const

const fileOf = (client: keyof typeof FILES) => join(home.home, FILES[client][0])
const run = async (word: string, client: string, ...more: string[]) =>
  await home.run([...more, 'mcp', word, '--client', client, '--yes'])

function given(client: keyof typeof FILES, text: string): string {
  const file = fileOf(client)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text, { mode: 0o600 })
  return file
}

test.each(Object.keys(FILES) as (keyof typeof FILES)[])('%s gets the server, and loses it again', async client => {
  const holder = FILES[client][1]
  const before = `{\n  // mine\n  "${holder}": { "other": { "command": "x" } },\n  "theme": "dark"\n}\n`
  const file = given(client, before)
  const { code, stdout } = await run('install', client, '--profile', 'local')
  expect(code).toBe(0)
  expect(stdout).toContain(`${file}\n+ "mcpdeck": {`)
  const after = readFileSync(file, 'utf8')
  expect(after).toContain('// mine')
  expect(after).toContain('"theme": "dark"')
  const args = ['mcp', '--profile', 'local']
  const value = JSON.parse(after.replace('// mine', '')) as Record<string, Record<string, unknown>>
  expect(value[holder]).toMatchObject({ other: { command: 'x' }, mcpdeck: { command: 'mcpdeck', args } })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(await run('install', client, '--profile', 'local')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('already'),
  })
  expect((await run('uninstall', client)).code).toBe(0)
  const left = JSON.parse(readFileSync(file, 'utf8').replace('// mine', '')) as Record<string, unknown>
  expect(left).toEqual({ [holder]: { other: { command: 'x' } }, theme: 'dark' })
})

test('a file that is missing is created for its owner only', async () => {
  expect((await run('install', 'cursor')).code).toBe(0)
  expect(JSON.parse(readFileSync(fileOf('cursor'), 'utf8'))).toEqual({
    mcpServers: { mcpdeck: { command: 'mcpdeck', args: ['mcp'] } },
  })
  expect(statSync(fileOf('cursor')).mode & 0o777).toBe(0o600)
})

test.each([
  ['cannot be parsed', '{ "mcpServers": '],
  ['holds something else there', '{ "mcpServers": [] }'],
])('a file that %s is left as it is', async (_, text) => {
  const file = given('cursor', text)
  const { code, stderr } = await run('install', 'cursor')
  expect(code).toBe(2)
  expect(stderr).toContain('It was left as it is.')
  expect(readFileSync(file, 'utf8')).toBe(text)
})

test.each([
  ['its holder', '{ "mcpServers": {}, "mcpServers": { "mcpdeck": { "command": "mcpdeck", "args": ["mcp"] } } }'],
  ['its entry', '{ "mcpServers": { "mcpdeck": { "command": "x" }, "mcpdeck": { "command": "y" } } }'],
])('a file that has %s twice is left as it is', async (_, text) => {
  const file = given('cursor', text)
  for (const word of ['install', 'uninstall']) {
    const { code, stderr } = await run(word, 'cursor')
    expect(code).toBe(2)
    expect(stderr).toContain('is there twice. It was left as it is.')
  }
  expect(readFileSync(file, 'utf8')).toBe(text)
})

test('the environment of an entry is kept, and its values are not shown', async () => {
  const env = { MCPDECK_API_KEY: 'pass-word-of-ann', OTHER: 'xyz' }
  const old = { command: 'npx', args: ['mcpdeck', 'sk_live_1234567890'], env, headers: { 'X-Key': 'abcdef' } }
  const file = given('cursor', JSON.stringify({ mcpServers: { mcpdeck: old } }))
  const { code, stdout } = await run('install', 'cursor')
  expect(code).toBe(0)
  expect(stdout).not.toMatch(/pass-word|xyz|sk_live|abcdef/)
  expect(stdout).toContain('"MCPDECK_API_KEY": "***"')
  const { mcpServers } = JSON.parse(readFileSync(file, 'utf8')) as { mcpServers: object }
  expect(mcpServers).toEqual({ mcpdeck: { command: 'mcpdeck', args: ['mcp'], env } })
  expect((await run('install', 'cursor')).stderr).toContain('already')
})

test('a directory is written whole, since the other program starts mcpdeck elsewhere', async () => {
  expect((await run('install', 'cursor', '--data-dir', './shop')).code).toBe(0)
  const { mcpServers } = JSON.parse(readFileSync(fileOf('cursor'), 'utf8')) as { mcpServers: { mcpdeck: object } }
  expect(mcpServers.mcpdeck).toMatchObject({ args: ['mcp', '--data-dir', resolve('shop')] })
})

test('nothing is written without a yes, and for Codex its own command is printed', async () => {
  const { code, stderr } = await home.run(['mcp', 'install', '--client', 'cursor'])
  expect(code).toBe(2)
  expect(stderr).toContain('add --yes')
  expect(() => readFileSync(fileOf('cursor'))).toThrow('ENOENT')
  const codex = await home.run(['--project', 'My shop', 'mcp', 'install', '--client', 'codex'])
  expect(codex.stdout).toBe("codex mcp add mcpdeck -- mcpdeck mcp --project 'My shop'\n")
})
