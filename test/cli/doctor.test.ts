import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkClock } from '../../src/cli/doctor/doctor-checks.ts'
import type { Check } from '../../src/cli/doctor/doctor-check.ts'
import { openTerminal } from '../pty/terminal.ts'
import { openHome } from './program.ts'
import { openHttpServer } from './service-double.ts'

const KEY = 'sk_doctor'
let home: Awaited<ReturnType<typeof openHome>>
beforeEach(async () => {
  home = await openHome()
})
afterEach(() => home.close())

/** Runs the doctor on the program itself; returns its checks by name. */
async function examine(args: string[] = [], env: Record<string, string> = {}) {
  const { code, stdout } = await home.run(['doctor', '--json', ...args], { env })
  const { items, exitCode } = JSON.parse(stdout) as { items: Check[]; exitCode: number }
  expect(exitCode).toBe(code)
  expect(stdout).not.toContain('sk_')
  return { code, ...Object.fromEntries(items.map(item => [item.check, item])) } as { code: number } & Record<
    string,
    Check
  >
}

describe('the doctor about this machine', () => {
  test('finds nothing wrong in the local workspace of a fresh home', async () => {
    const { code, stdout, stderr } = await home.run(['doctor'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'Everything is fine.\n' })
    for (const line of stdout.trim().split('\n')) expect(line).toMatch(/^✓ \w+(?: dir| cache)? +\S/)
    expect(await examine()).toMatchObject({
      version: { state: 'ok', detail: expect.stringContaining(process.versions.node) },
      profile: { detail: 'the local workspace (nothing else is configured)' },
      service: { state: 'ok' },
      workspace: { state: 'ok', detail: expect.stringContaining('is whole') },
    })
  })

  test('reports what the terminal can show', async () => {
    await using terminal = openTerminal({ args: ['doctor'], home: home.home, cols: 100, rows: 30 })
    expect(await terminal.waitForExit()).toMatchObject({ code: 0 })
    expect(terminal.screen()).toMatch(/✓ terminal +xterm-256color, 256 colours, UTF-8, 100×30/)
    await using small = openTerminal({ args: ['doctor'], home: home.home, cols: 50, rows: 40, env: { LANG: 'C' } })
    expect(await small.waitForExit()).toMatchObject({ code: 0 })
    expect(small.screen()).toMatch(/! terminal/)
    expect(small.words()).toContain('Make it at least 60×15.')
  })

  test('reaches a service with its key, and compares its clock', async () => {
    const skewed = () => new Date(Date.now() - 600_000)
    const services = [await openHttpServer(KEY), await openHttpServer(KEY, { date: skewed })]
    const [right, late] = await Promise.all(
      services.map(({ address }) => examine(['--base-url', address], { MCPDECK_API_KEY: KEY })),
    )
    for (const service of services) await service.close()
    expect(right).toMatchObject({
      code: 0,
      key: { state: 'ok', detail: 'from variable MCPDECK_API_KEY, in the format of a key' },
      service: { state: 'ok' },
      account: { detail: 'the key is accepted, as Ada' },
      clock: { state: 'ok' },
    })
    expect(late).toMatchObject({ code: 0, clock: { state: 'warn', next: expect.stringContaining('NTP') } })
  })

  test('ends with 3 for a refused key or an unreachable service, and with 2 for a wrong configuration', async () => {
    const service = await openHttpServer('sk_another')
    const refused = await examine(['--base-url', service.address], { MCPDECK_API_KEY: KEY })
    expect(refused).toMatchObject({ code: 3, service: { state: 'ok' }, account: { state: 'fail' } })
    await service.close()
    const gone = await examine(['--base-url', service.address], { MCPDECK_API_KEY: KEY })
    expect(gone).toMatchObject({ code: 3, service: { state: 'fail', next: expect.any(String) } })
    expect(await examine(['--base-url', service.address])).toMatchObject({
      code: 2,
      key: { state: 'fail', detail: expect.stringContaining('set MCPDECK_API_KEY') },
      service: { state: 'skipped' },
    })
    expect(await examine(['--profile', 'prod'])).toMatchObject({ code: 2, profile: { state: 'fail' } })
  })

  test('finds permissions that are too wide, a damaged database and a path that is not a directory', async () => {
    const data = join(home.home, 'data')
    mkdirSync(data, { mode: 0o755 })
    writeFileSync(join(data, 'ours.key'), 'x', { mode: 0o644 })
    const config = join(home.home, 'config.yaml')
    writeFileSync(config, '')
    chmodSync(config, 0o666)
    const state = join(home.home, '.local/state/mcpdeck')
    mkdirSync(state, { recursive: true })
    writeFileSync(join(state, 'journal.sqlite'), 'SQLite format 3\0 and then nothing that is one')
    mkdirSync(join(home.home, '.cache'), { recursive: true })
    writeFileSync(join(home.home, '.cache/mcpdeck'), 'no directory')
    // A link to itself cannot be read, like a file of another user.
    symlinkSync('budget.sqlite', join(state, 'budget.sqlite'))
    // Another workspace is opened, since opening this one would fix its permissions, which are to be found.
    const found = await examine(['--profile', 'none', '--data-dir', data], { MCPDECK_CONFIG: config })
    expect(found).toMatchObject({
      code: 2,
      config: { state: 'warn', next: `chmod 600 ${config}` },
      'data dir': { state: 'warn', detail: expect.stringContaining('ours.key') },
      'cache dir': { state: 'fail' },
      journal: { state: 'fail' },
      budget: {
        state: 'fail',
        detail: expect.stringContaining('cannot be read'),
        next: expect.stringContaining('chown or chmod'),
      },
    })
    expect(dirname(config)).toBe(home.home)
  })

  test('accepts a clock that is off by less than half a minute', () => {
    const now = Date.parse('2026-01-01T00:00:00Z')
    const at = (seconds: number) => checkClock(new Date(now + seconds * 1000).toUTCString(), now)
    expect(at(30)).toMatchObject({ state: 'ok' })
    expect(at(31)).toMatchObject({ state: 'warn', detail: expect.stringContaining('31 s behind') })
    expect(at(-31)).toMatchObject({ state: 'warn', detail: expect.stringContaining('31 s ahead of') })
    expect(checkClock(null)).toMatchObject({ state: 'skipped' })
    expect(checkClock('yesterday')).toMatchObject({ state: 'skipped' })
  })
})

describe('the doctor about servers', () => {
  test('prints the steps for the servers that are named, by name or id', async () => {
    const { code, stdout, stderr } = await home.run(['doctor', 'everything'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const lines = stdout.split('\n')
    expect(lines[0]).toBe('everything')
    expect(lines[1]).toMatch(/^✓ probe +\S/)
    expect(stdout).toMatch(/✓ tools +13 listed/)
    const asJson = await home.run(['doctor', 'everything', '--json'])
    const { items } = JSON.parse(asJson.stdout) as { items: { server: { id: string }; report: object }[] }
    expect(items).toMatchObject([{ server: { name: 'everything' }, report: { status: 'ready' } }])
    expect((await home.run(['doctor', items[0]!.server.id])).code).toBe(0)
    // Advice counts only with the option; earlier findings are not new.
    expect(stdout).toMatch(/✓ tool list +costs a model about \d+ tokens/)
    expect(asJson.stdout).toContain('"fresh":[]')
    expect((await home.run(['doctor', 'everything', '--strict'])).code).toBe(3)
  })

  test('does not call a server with a known fault ready, and ends with 3', async () => {
    const [project] = (JSON.parse((await home.run(['api', 'listProjects'])).stdout) as { items: { id: string }[] })
      .items
    const args = [join(import.meta.dirname, '../servers/stdio-server.mjs'), 'careless', '3100']
    const body = { name: 'careless', enabled: true, transportType: 'stdio', command: process.execPath, args }
    const fields = ['--field', `projectId=${project!.id}`, '--input', '-', '--yes']
    const input = JSON.stringify(body)
    expect(await home.run(['api', 'createProjectServer', ...fields], { input })).toMatchObject({ code: 0 })
    const { code, stdout } = await home.run(['doctor', 'careless', '--project', 'Sandbox'])
    expect(code).toBe(3)
    expect(stdout).toContain('It prints a line that is not a message of MCP to stdout')
    expect(stdout).toMatch(/Listing its tools takes 3\.\d s/)
    expect(stdout).toContain('The tool name "not a name!" has other characters')
    expect(stdout).toContain('The input schema of "typo" does not compile')
    expect(stdout).toContain('The input schema of "lost" does not compile')
    expect(stdout).toMatch(/! doctor +warnings: 5 things are known to be wrong\n$/)
    expect(stdout).not.toMatch(/doctor +ready/)
  })

  test('does not call a disabled server ready even if every check passed, and ends with 3', async () => {
    const [project] = (JSON.parse((await home.run(['api', 'listProjects'])).stdout) as { items: { id: string }[] })
      .items
    const args = [join(import.meta.dirname, '../servers/stdio-server.mjs')]
    const body = { name: 'resting', enabled: false, transportType: 'stdio', command: process.execPath, args }
    const fields = ['--field', `projectId=${project!.id}`, '--input', '-', '--yes']
    const input = JSON.stringify(body)
    expect(await home.run(['api', 'createProjectServer', ...fields], { input })).toMatchObject({ code: 0 })
    const { code, stdout } = await home.run(['doctor', 'resting', '--project', 'Sandbox'])
    expect({ code, isReady: /ready/.test(stdout) }).toEqual({ code: 3, isReady: false })
    expect(stdout).toMatch(/! doctor +off\n +Every check passed, but it is switched off/)
    const asJson = await home.run(['doctor', 'resting', '--project', 'Sandbox', '--json'])
    expect(JSON.parse(asJson.stdout)).toMatchObject({ exitCode: 3, items: [{ state: 'off' }] })
  })

  test('ends with 3 for a server that is not ready, and with 2 and a similar name for an unknown one', async () => {
    const [project] = (JSON.parse((await home.run(['api', 'listProjects'])).stdout) as { items: { id: string }[] })
      .items
    const body = { name: 'gone', enabled: true, transportType: 'stdio', command: '/no/such/program' }
    const made = await home.run(
      ['api', 'createProjectServer', '--field', `projectId=${project!.id}`, '--input', '-', '--yes'],
      { input: JSON.stringify(body) },
    )
    expect(made).toMatchObject({ code: 0 })
    const { code, stdout } = await home.run(['doctor', 'gone', 'everything', '--project', 'Sandbox'])
    expect(code).toBe(3)
    expect(stdout).toMatch(/^gone\n✗ probe/)
    expect(stdout).toMatch(/\neverything\n✓/)
    const none = await home.run(['doctor', 'evrything'])
    expect(none).toMatchObject({ code: 2, stdout: '' })
    expect(none.stderr).toContain('Did you mean "everything"?')
    expect((await home.run(['doctor', 'everything', '--project', 'Sandbax'])).stderr).toContain(
      'Did you mean "Sandbox"?',
    )
  })
})
