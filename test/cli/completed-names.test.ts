import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { PATIENCE } from '../patience.ts'
import { inWorkspace } from '../prepared-workspace.ts'
import { openHome } from './program.ts'
import { openHttpServer } from './service-double.ts'

const SERVER = join(import.meta.dirname, '../servers/stdio-server.mjs')
const KEY = `sk_${'c'.repeat(40)}`
let home: Awaited<ReturnType<typeof openHome>>
let starts: string

beforeAll(async () => {
  home = await openHome()
  starts = join(home.home, 'starts')
  await inWorkspace(home.home, async ({ client, projectId }) => {
    const script = (name: string, command: string) => ['-c', `echo ${name} >> '${starts}'; exec ${command}`]
    const save = (name: string, args: string[]) =>
      client.servers.create({
        projectId,
        body: { name, args, enabled: true, transportType: 'stdio', command: '/bin/sh' },
      })
    const { id } = await save('seen', script('seen', `'${process.execPath}' '${SERVER}' healthy`))
    await save('new', script('new', `'${process.execPath}' '${SERVER}' healthy`))
    await save('silent', script('silent', 'sleep 600'))
    for (const name of ['-rf', 'left\u202Eout', 'left\u001B[31mout', 'left\tout', 'left\nout']) await save(name, [])
    const call = { id: 'a', kind: 'toolCall' as const, serverName: 'seen', toolName: 'environment', arguments: {} }
    const tests = [{ title: 'Answers', steps: [call] }]
    await client.suites.create({ projectId, body: { name: 'Smoke', serverIds: [id], model: 'm', tests } })
  })
  for (let run = 0; run < 2; run += 1) await home.run(['run', 'Smoke', '--yes', '--watch'])
})
afterAll(() => home.close())

/** The lines that the program prints for a completion script. */
async function found(kind: string, words: string[], env: Record<string, string> = {}): Promise<string[]> {
  const { code, stdout, stderr } = await home.run(['completion', 'names', kind, '--', ...words], { env })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout.split('\n').filter(Boolean)
}

/** The names in these lines. */
const namesOf = (lines: readonly string[]) => lines.map(line => line.split('\t')[0])

test('names that a terminal or a command would interpret are not offered', async () => {
  const names = namesOf(await found('servers', ['tools']))
  expect(names).toEqual(expect.arrayContaining(['seen', 'new', 'silent']))
  expect(names.filter(name => name?.includes('left') || name?.startsWith('-'))).toEqual([])
})

test('the latest runs come first, with the details that tell them apart', async () => {
  const lines = await found('runs', ['watch'])
  expect(lines).toEqual([expect.stringMatching(/^\S+\tSmoke #2, \w+$/), expect.stringMatching(/^\S+\tSmoke #1, \w+$/)])
})

test('tools that a run saw are offered without starting the server; others are read with a time limit', async () => {
  const startsOf = (name: string) =>
    readFileSync(starts, 'utf8')
      .split('\n')
      .filter(line => line === name).length
  const before = startsOf('seen')
  const seen = namesOf(await found('tools', ['call', 'seen']))
  expect(seen).toContain('environment')
  expect(startsOf('seen')).toBe(before)
  expect(namesOf(await found('tools', ['call', 'new']))).toEqual(seen)
  expect(startsOf('new')).toBe(1)
  expect(await found('tools', ['call', 'silent'])).toEqual([])
})

test('the names of a remote service are offered in the same way', async () => {
  const { child, output, ended } = home.start(['serve', '--port', '0', '--burst', '100', '--json'])
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended()
  })
  await vi.waitUntil(() => output().includes('\n'), PATIENCE)
  const { baseUrl, keyFile } = JSON.parse(output()) as { baseUrl: string; keyFile: string }
  const at = ['--base-url', baseUrl]
  const env = { MCPDECK_API_KEY: readFileSync(keyFile, 'utf8').trim() }
  for (const [kind, command] of [
    ['servers', 'tools'],
    ['suites', 'run'],
    ['projects', 'now'],
    ['runs', 'watch'],
    ['runs', 'report'],
  ] as const)
    expect(await found(kind, [...at, command], env)).toEqual(await found(kind, [command]))
  home.rest()
  expect(namesOf(await found('tools', [...at, 'call', 'seen'], env))).toContain('environment')
})

test('completion asks a service for no more than it needs, and records nothing about it', async () => {
  const service = await openHttpServer(KEY)
  onTestFinished(() => service.close())
  const at = ['--base-url', `${service.address}/api/v1`]
  expect(await found('projects', [...at, 'now', '--project'], { MCPDECK_API_KEY: KEY })).toEqual([])
  expect(service.seen.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /api/v1/projects'])
  const state = join(home.home, '.local/state/mcpdeck')
  const before = readdirSync(state)
  expect(await found('servers', [...at, 'tools'], { MCPDECK_API_KEY: KEY })).toEqual([])
  expect(service.seen).toHaveLength(2)
  expect(readdirSync(state)).toEqual(before)
})

test('a service that does not answer or that refuses offers no names', async () => {
  const server = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => server.closeAllConnections())
  const { port } = server.address() as AddressInfo
  const env = { MCPDECK_API_KEY: KEY }
  expect(await found('servers', ['--base-url', `http://127.0.0.1:${port}/api/v1`, 'tools'], env)).toEqual([])
  const refusing = await openHttpServer('sk_other')
  onTestFinished(() => refusing.close())
  expect(await found('servers', ['--base-url', `${refusing.address}/api/v1`, 'tools'], env)).toEqual([])
  expect(refusing.seen).toHaveLength(1)
})

test('completion neither asks for a key nor runs a key command', async () => {
  const file = join(home.home, 'asked')
  const config = join(home.home, 'config.yaml')
  const address = 'http://127.0.0.1:9/api/v1'
  const profiles = { none: { baseUrl: address }, command: { baseUrl: address, keyCommand: `/usr/bin/touch ${file}` } }
  writeFileSync(config, JSON.stringify({ profiles }), { mode: 0o600 })
  const env = { MCPDECK_CONFIG: config }
  expect(await found('profiles', ['--profile'], env)).toEqual(['command', 'local', 'none'])
  for (const profile of ['none', 'command'])
    expect(await found('servers', ['--profile', profile, 'tools'], env)).toEqual([])
  expect(existsSync(file)).toBe(false)
})

test('completion does not create a missing workspace, and offers nothing for an invalid line', async () => {
  const none = join(home.home, 'none')
  expect(await found('servers', ['--data-dir', none, 'tools'])).toEqual([])
  expect(existsSync(none)).toBe(false)
  expect(await found('servers', ['run', '--timeout', 'never'])).toEqual([])
  expect(await found('records', ['get', 'nonsense'])).toEqual([])
  expect(await found('tools', ['call'])).toEqual([])
})
