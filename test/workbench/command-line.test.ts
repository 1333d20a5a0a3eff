import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Ended } from '../cli/hosts.ts'
import { openHome } from '../cli/program.ts'
import { commandLineOf } from '../command-line-of.ts'
import { referenceServerOverHttp } from '../service/reference-server.ts'
import { mcpJson, realServers, type RealServer } from './real-servers.ts'

let home: Awaited<ReturnType<typeof openHome>>
let folder: string
let servers: readonly RealServer[]
const run = (...args: string[]) => home.run(args)
const at = (name: string) => join(folder, name)

beforeAll(async () => {
  home = await openHome()
  folder = await mkdtemp(join(tmpdir(), 'mcpdeck-real-'))
  servers = realServers(folder)
  writeFileSync(at('mcp.json'), mcpJson(servers.filter(({ name }) => name !== 'everything')))
  const { code, stderr } = await run('server', 'import', at('mcp.json'), '--yes')
  if (code !== 0) throw new Error(stderr)
})
afterAll(async () => {
  await home.close()
  await rm(folder, { recursive: true, force: true })
})

describe.concurrent.each(['everything', 'files', 'memory', 'thinking'])('%s', name => {
  const server = () => servers.find(each => each.name === name)!
  const snapshot = () => at(`${name}.json`)

  test('a saved server is called by name, and an unsaved one by its command', async () => {
    const { tool, fields, answer, command, env = {} } = server()
    const answered = { code: 0, stdout: expect.stringContaining(answer) as string }
    expect(await run('call', name, tool, ...fields, '--yes')).toMatchObject(answered)
    const reach = ['--command', commandLineOf(...command)]
    // A server may remember the first call, so the second one gets another file.
    const own = Object.keys(env).flatMap(key => ['--env', `${key}=${at('another.json')}`])
    expect(await run('call', ...reach, ...own, tool, ...fields, '--yes')).toMatchObject(answered)
    expect(await run('tools', ...reach)).toMatchObject({ code: 0, stdout: expect.stringContaining(tool) as string })
  })

  test('doctor reports live steps and advice, and --strict fails on advice', async () => {
    const { items } = JSON.parse((await run('doctor', name, '--json')).stdout) as { items: { status: string }[] }
    expect(items.filter(({ status }) => status === 'error')).toEqual([])
    const strict = await run('doctor', name, '--strict')
    expect(strict.code).toBe(server().isSpotless ? 0 : 3)
    expect(strict.stdout).toMatch(/tool list +costs a model about \d+ tokens/)
  })

  test('a snapshot describes the server, and a renamed tool is reported as breaking callers', async () => {
    const { tool } = server()
    writeFileSync(snapshot(), (await run('snapshot', name)).stdout)
    expect(await run('snapshot', 'diff', snapshot(), name)).toMatchObject({ code: 0, stderr: 'Nothing changed.\n' })
    writeFileSync(snapshot(), readFileSync(snapshot(), 'utf8').replaceAll(`"${tool}"`, '"was-here-before"'))
    const broken = await run('snapshot', 'diff', snapshot(), name)
    expect(broken).toMatchObject({ code: 1, stdout: `✗ breaking  tool was-here-before: is now called "${tool}"\n` })
  })
})

const text = ({ stdout }: Ended) => stdout

test('results are printed as text, or whole as JSON', async () => {
  const call = ['call', 'everything', 'get-structured-content', 'location=Chicago', '--yes']
  expect(JSON.parse(text(await run(...call)))).toMatchObject({ temperature: expect.any(Number) as number })
  expect(JSON.parse(text(await run(...call, '--json')))).toMatchObject({ structuredContent: { humidity: 82 } })
  const { stdout } = await run('call', 'everything', 'get-tiny-image', '--yes')
  expect(stdout).toMatch(/^\[image image\/png \d+ bytes\]$/m)
})

test('a picture is written to a file, and an existing file is not replaced unless asked', async () => {
  const picture = ['call', 'everything', 'get-tiny-image', '--yes', '--output', at('logo.png')]
  const written = await run(...picture)
  expect(written).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Wrote .*: image image\/png \d+ bytes\.$/m) })
  expect(readFileSync(at('logo.png')).subarray(1, 4).toString()).toBe('PNG')
  expect(statSync(at('logo.png')).mode & 0o777).toBe(0o600)
  writeFileSync(at('logo.png'), 'mine')
  expect(await run(...picture)).toMatchObject({ code: 2, stdout: '' })
  expect(readFileSync(at('logo.png'), 'utf8')).toBe('mine')
  expect(await run(...picture, '--force')).toMatchObject({ code: 0 })
  const uri = 'demo://resource/static/document/features.md'
  expect(await run('read', 'everything', uri, '--output', at('none'))).toMatchObject({ code: 3 })
  expect(existsSync(at('none'))).toBe(false)
})

test('a tool whose description is longer than a page takes one line of the list', async () => {
  const listed = text(await run('tools', 'thinking'))
  expect(listed).toMatch(/A detailed tool for dynamic and reflective problem-solving through thoughts\.$/m)
  expect(listed.trim().split('\n')).toHaveLength(2)
})

test('prompts and resources are read, and validate fails for a server that does not answer', async () => {
  expect(text(await run('prompt', 'everything', 'args-prompt', 'city=Rome'))).toContain('Rome')
  expect(text(await run('read', 'everything', 'demo://resource/static/document/features.md'))).toMatch(/^# /)
  expect(await run('validate', 'memory')).toMatchObject({ code: 0 })
  expect(await run('validate', '--command', `'${process.execPath}' -e 0`)).toMatchObject({ code: 3 })
})

test('a program that exits while starting is started once, and the error says why', async () => {
  const starts = at('starts')
  writeFileSync(at('starts.sh'), `echo started >> '${starts}'\necho 'API_KEY is missing' >&2\nexit 3\n`)
  const { code, stderr } = await run('tools', '--command', commandLineOf('sh', at('starts.sh')))
  expect({ code, starts: readFileSync(starts, 'utf8') }).toEqual({ code: 3, starts: 'started\n' })
  expect(stderr).toContain('API_KEY is missing')
})

test('a server that is run by its command resolves paths in the directory that is named', async () => {
  const [node = '', program = ''] = servers.find(({ name }) => name === 'files')!.command
  const call = ['call', '--command', `'${node}' '${program}' files`, '--cwd', folder, 'read_text_file']
  // The server runs in a separate process, which changes to that directory.
  const ended = await home.start([...call, 'path=note.txt', '--yes']).ended()
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('kept in a file') as string })
})

test('an HTTP server is opened by its address, and once saved it accepts tokens', async () => {
  const url = await referenceServerOverHttp()
  expect(await run('tools', '--url', url)).toMatchObject({ code: 0, stdout: expect.stringContaining('echo') as string })
  writeFileSync(at('far.json'), JSON.stringify({ mcpServers: { far: { url } } }))
  expect(await run('server', 'import', at('far.json'), '--yes')).toMatchObject({ code: 0 })
  writeFileSync(at('tokens.json'), JSON.stringify({ access_token: 'of-nobody', token_type: 'Bearer' }))
  expect(await run('import-tokens', 'far', '--input', at('tokens.json'))).toMatchObject({ code: 0 })
  expect(await run('call', 'far', 'echo', 'message=hi', '--yes')).toMatchObject({ code: 0, stdout: 'Echo: hi\n' })
})

test('saved servers are written back to a file, and are edited as YAML in the editor', async () => {
  const exported = JSON.parse(text(await run('server', 'export', 'files', 'memory'))) as { mcpServers: object }
  expect(Object.keys(exported.mcpServers)).toEqual(['files', 'memory'])
  const env = { EDITOR: `sed -i s/thinking/thoughts/` }
  expect(await home.run(['edit', 'server', 'thinking', '--yes'], { env })).toMatchObject({ code: 0 })
  expect(text(await run('get', 'servers'))).toContain('thoughts')
  const back = { EDITOR: `sed -i s/thoughts/thinking/` }
  expect(await home.run(['edit', 'server', 'thoughts', '--yes'], { env: back })).toMatchObject({ code: 0 })
})
