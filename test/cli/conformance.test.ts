import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { XMLValidator } from 'fast-xml-parser'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PATIENCE } from '../patience.ts'
import { startHttpServer } from '../servers/http-server.ts'
import { SMALL_SERVER } from '../servers/targets.ts'
import { isAlive, openHome } from './program.ts'
import { failing, installStandIn, passing, type SuitePlan } from './stand-in-suite.ts'

let home: Awaited<ReturnType<typeof openHome>>
let suite: ReturnType<typeof installStandIn>
let cwd: string
beforeEach(async () => {
  home = await openHome()
  cwd = join(home.home, 'work')
  mkdirSync(cwd)
  suite = installStandIn(cwd)
})
afterEach(() => home.close())

const SMALL = ['--command', `${process.execPath} ${SMALL_SERVER} healthy`]

/** Tests a small unsaved program. */
const tested = async (plan: SuitePlan, args: readonly string[] = []) => {
  suite.plan(plan)
  return await home.run(['conformance', ...SMALL, ...args], { cwd })
}

/** The result as one object. */
async function asJson(plan: SuitePlan, args: readonly string[] = []) {
  const ended = await tested(plan, ['--json', ...args])
  const result = JSON.parse(ended.stdout) as {
    exitCode: number
    verdict: string | null
    problems: string[]
    stale: string[]
    scenarios: { name: string; state: string; isExpected: boolean; why: string | null; checks: object[] }[]
  }
  expect(result.exitCode).toBe(ended.code)
  return { ...result, states: Object.fromEntries(result.scenarios.map(({ name, state }) => [name, state])) }
}

const baseline = (...entries: string[]): string[] => {
  const file = join(cwd, 'expected.yml')
  writeFileSync(file, `server:\n${entries.map(entry => `  - ${entry}\n`).join('')}client:\n  - sse-retry\n`)
  return ['--expected', file]
}

describe('the verdict', () => {
  test('is 0 if all scenarios passed, and shows each with its checks and time', async () => {
    const { code, stdout, stderr } = await tested({
      scenarios: { ping: [passing('ping')], 'tools-list': [passing('a')] },
    })
    expect(code).toBe(0)
    expect(stderr).toMatch(/^The official suite 0\.1\.16, installed in .*\/work\/node_modules\/@modelcontextprotocol/)
    expect(stdout).toMatch(/^✓ ping +1 passed +\S+s\n✓ tools-list +1 passed/)
    expect(stdout).toContain('unsaved: passed. 2 of 2 scenarios passed.')
  })

  test('is 1 if a check failed, with its subject, what was found and the rule that requires it', async () => {
    const specReferences = [{ id: 'MCP-Ping', url: 'https://example.org/spec#ping' }]
    const ping = [{ ...failing('ping-answer', 'no answer'), description: 'It answers pings', specReferences }]
    const { code, stdout } = await tested({ scenarios: { ping, other: [passing('other')] } })
    expect(code).toBe(1)
    expect(stdout).toMatch(/✗ ping +1 failed/)
    expect(stdout).toContain(
      '✗ ping\n  ping-answer: It answers pings\n    found: no answer\n    required by: https://example.org/spec#ping\n',
    )
    expect(stdout).toContain('unsaved: failed. 1 of 2 scenarios passed, 1 failed.')
  })

  test('follows the baseline: expected failures pass, entries that are no longer true fail', async () => {
    const scenarios = { ping: [failing('ping')], tools: [passing('tools')], warned: [{ id: 'w', status: 'WARNING' }] }
    expect((await asJson({ scenarios })).exitCode).toBe(1)
    expect(await asJson({ scenarios }, baseline('ping', 'warned'))).toMatchObject({ verdict: 'passed', stale: [] })
    // The suite lets warnings pass without a baseline, and fail with one.
    expect(await asJson({ scenarios }, baseline('ping'))).toMatchObject({ verdict: 'failed', exitCode: 1, stale: [] })
    const stale = await asJson({ scenarios }, baseline('ping', 'warned', 'tools'))
    expect(stale).toMatchObject({ verdict: 'failed', exitCode: 1, stale: ['tools'] })
    const strange = await tested({ scenarios }, baseline('ping', 'warned', 'pong'))
    expect(strange.code).toBe(0)
    expect(strange.stderr).toContain('The expected failure pong names nothing that was run.')
  })

  test('accepts expected failures of single checks of a scenario, and fails for the others', async () => {
    const scenarios = { ping: [failing('a'), passing('b')] }
    expect((await asJson({ scenarios }, baseline('ping:a'))).exitCode).toBe(0)
    expect(await asJson({ scenarios }, baseline('ping:a', 'ping:b'))).toMatchObject({ exitCode: 1, stale: ['ping:b'] })
    const two = { ping: [failing('a'), failing('b')] }
    expect((await asJson({ scenarios: two }, baseline('ping:a'))).exitCode).toBe(1)
  })

  test('does not apply HTTP scenarios to a program for which mcpdeck provides HTTP', async () => {
    const scenarios = { ping: [passing('p')], 'dns-rebinding-protection': [failing('host')] }
    const { exitCode, states } = await asJson({ scenarios })
    expect({ exitCode, states }).toEqual({
      exitCode: 0,
      states: { ping: 'passed', 'dns-rebinding-protection': 'not applicable' },
    })
    expect((await asJson({ scenarios: { 'server-sse-polling': [passing('a')] } })).exitCode).toBe(3)
  })
})

describe('the command ends with 3 and no verdict for', () => {
  test.each([
    ['a suite that runs nothing', {}, 'The suite ran nothing; it exited with code 0.'],
    ['one that prints nothing and fails', { ends: 7, stderr: 'no luck' }, 'it exited with code 7: no luck.'],
    ['a scenario without checks', { scenarios: { a: [passing('a')], b: [] } }, undefined],
    ['one whose result is none', { scenarios: { a: [passing('a')], b: '[{"id":' } }, undefined],
    ['one that broke off', { scenarios: { a: [passing('a')], b: null } }, undefined],
    ['an unknown status', { scenarios: { a: [passing('a'), { id: 'b', status: 'PASSED' }] } }, undefined],
    ['a status that is no word', { scenarios: { a: [passing('a'), { id: 'b', status: 5 }] } }, undefined],
    ['only what decides nothing', { scenarios: { a: [{ id: 'a', status: 'INFO' }] } }, undefined],
    [
      'a suite that crashes in the middle',
      { scenarios: { a: [passing('a')] }, says: 3, ends: 'crashes' },
      'The suite ran 1 of 3 scenarios; it exited with code 1: Error: broke in the middle.',
    ],
    [
      'one that ends well too early',
      { scenarios: { a: [passing('a')] }, says: 2 },
      'The suite ran 1 of 2 scenarios; it exited with code 0.',
    ],
    [
      'one that fails though no check did',
      { scenarios: { a: [passing('a')] }, ends: 1 },
      'The suite exited with code 1, though no check failed.',
    ],
  ] satisfies [string, SuitePlan, string | undefined][])('%s', async (_, plan, problem) => {
    const { exitCode, verdict, problems } = await asJson(plan)
    expect({ exitCode, verdict }).toEqual({ exitCode: 3, verdict: null })
    expect(problems.join(' ')).toContain(problem ?? '')
  })

  test('a failure in a protocol version that the bridge does not use with programs', async () => {
    const { exitCode, problems } = await asJson({ scenarios: { ping: [failing('ping')] }, speaks: '2026-07-28' })
    expect(exitCode).toBe(3)
    expect(problems.join(' ')).toContain('Give --spec-version 2025-11-25')
  })

  test('an unknown scenario, in the words of the suite', async () => {
    const { exitCode, problems } = await asJson({}, ['--scenario', 'pong'])
    expect(exitCode).toBe(3)
    expect(problems).toEqual([
      "The suite ran nothing; it exited with code 1: Validation error: scenario: Unknown scenario 'pong'.",
    ])
  })

  test('a suite that takes too long, which is ended with its processes', async () => {
    const { exitCode, problems } = await asJson({ scenarios: { a: [passing('a')] }, ends: 'hangs' }, [
      '--time-limit',
      '4s',
    ])
    expect(exitCode).toBe(3)
    expect(problems.join(' ')).toContain('It took longer than 4s; --time-limit gives it more.')
    // On a busy machine the time limit may pass before the suite has started.
    expect(suite.starts().some(({ pid }) => isAlive(pid))).toBe(false)
  })

  test('a server that cannot be reached, before the suite is started', async () => {
    const junit = join(cwd, 'report.xml')
    writeFileSync(junit, '<testsuites/>')
    const { code, stdout } = await home.run(
      ['conformance', '--url', 'http://127.0.0.1:1/mcp', '--json', '--junit', junit],
      { cwd },
    )
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(readFileSync(junit, 'utf8')).toMatch(/errors="1"/)
    expect(suite.starts()).toEqual([])
  })

  test('a refused command, which replaces an earlier report', async () => {
    const junit = join(cwd, 'report.xml')
    for (const wrong of [
      ['--url', 'http://127.0.0.1:1/mcp', '--token-env', 'NOT_SET'],
      ['--url', 'no address'],
      ['--command', 'node server.mjs', '--read-only'],
    ]) {
      writeFileSync(junit, '<testsuites/>')
      const { code } = await home.run(['conformance', ...wrong, '--junit', junit], { cwd })
      expect(code).toBe(2)
      expect(readFileSync(junit, 'utf8')).toMatch(/errors="1"/)
    }
  })

  test('a report that would replace the file of expected failures', async () => {
    const expected = join(cwd, 'expected.yml')
    writeFileSync(expected, 'server: [ping]\n')
    for (const line of [[], ['--no-such-option']]) {
      const own = ['--expected', expected, '--junit', expected]
      const { code, stderr } = await home.run(['conformance', 'any', ...own, ...line], { cwd })
      expect(code).toBe(2)
      expect(stderr).toContain('--junit and --expected name the same file')
      expect(readFileSync(expected, 'utf8')).toBe('server: [ping]\n')
    }
    writeFileSync(expected, 'servers: [ping]\n')
    expect(await home.run(['conformance', 'any', '--expected', expected], { cwd })).toMatchObject({ code: 2 })
  })

  test('a failure after which the server is gone', async () => {
    const server = await startHttpServer()
    suite.plan({ scenarios: { ping: [failing('ping')] } })
    const before = await home.run(['conformance', '--url', server.url, '--json'], { cwd })
    expect(before.code).toBe(1)
    let asked = 0
    const dying = await startHttpServer({
      initialize(_, __, response) {
        asked += 1
        // The first request is mcpdeck's, the second the suite's.
        if (asked > 2) return void response.writeHead(503).end()
        response.setHeader('content-type', 'application/json')
        const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'd', version: '1' } }
        response.setHeader('mcp-session-id', 's')
        response.end(JSON.stringify({ jsonrpc: '2.0', id: asked === 1 ? 0 : 1, result }))
      },
      'notifications/initialized': (_, __, response) => void response.writeHead(202).end(),
    })
    const { code, stderr } = await home.run(['conformance', '--url', dying.url], { cwd })
    await Promise.all([server.close(), dying.close()])
    expect(code).toBe(3)
    expect(stderr).toContain('The server no longer answers, so what failed may be due to that')
  })
})

test('Ctrl+C ends the suite and the server, shows the results so far, and exits with 130', async () => {
  suite.plan({ scenarios: { a: [passing('a')], b: [passing('b')] }, ends: 'hangs' })
  const folder = join(cwd, 'tmp')
  mkdirSync(folder)
  const { child, output, ended } = home.start(['conformance', ...SMALL], { cwd, env: { TMPDIR: folder } })
  await expect.poll(output, PATIENCE).toContain('✓ a ')
  child.kill('SIGINT')
  const { code, stdout, stderr } = await ended()
  expect(code).toBe(130)
  // The second scenario may have had no time to write its result.
  expect(stdout).toMatch(/unsaved: not judged\. [12] of [12] scenarios? passed\./)
  expect(stderr).toMatch(/The suite was ended after [12] of 2 scenarios\./)
  expect(suite.starts().some(({ pid }) => isAlive(pid))).toBe(false)
  expect(readdirSync(folder).filter(name => name.startsWith('mcpdeck-conformance-'))).toEqual([])
})

test('the suite gets no secret in its environment or command line, but the server gets its headers', async () => {
  const server = await startHttpServer()
  suite.plan({ scenarios: { ping: [passing('ping')] } })
  const { code } = await home.run(
    ['conformance', '--url', server.url, '--header', 'X-Api-Key: very-secret', '--token-env', 'TOKEN'],
    { cwd, env: { TOKEN: 'of-the-token', GITHUB_TOKEN: 'another-one' } },
  )
  await server.close()
  expect(code).toBe(0)
  const [start] = suite.starts()
  expect(start).toMatchObject({ status: 200 })
  expect(JSON.stringify(start)).not.toMatch(/very-secret|of-the-token|another-one/)
  expect(start!.args.find(each => each.startsWith('--url='))).toMatch(/^--url=http:\/\/127\.0\.0\.1:\d+\/[\w-]{36}$/)
  const ofSuite = server.seen.at(-1)!
  expect(ofSuite.headers).toMatchObject({ 'x-api-key': 'very-secret', authorization: 'Bearer of-the-token' })
})

test('an address that needs no headers is tested directly', async () => {
  const server = await startHttpServer()
  suite.plan({ scenarios: { 'dns-rebinding-protection': [passing('host')] } })
  const { code } = await home.run(['conformance', '--url', server.url, '--spec-version', '2025-11-25'], { cwd })
  await server.close()
  expect(code).toBe(0)
  expect(suite.starts()[0]!.args).toEqual(
    expect.arrayContaining(['server', `--url=${server.url}`, '--spec-version=2025-11-25']),
  )
})

test('text of server and suite is printed and reported without control characters and secrets', async () => {
  const hostile = 'gone\u001b[2J\u0007\u202e\nsecond ✓ line sk-abcdefghijklmnop'
  const checks = [{ id: `i\u001b]0;x\u0007`, status: 'FAILURE', description: hostile, errorMessage: hostile }]
  const junit = join(cwd, 'report.xml')
  const plan = { scenarios: { ping: checks, odd: [{ id: 'x', status: '\u001b[31mDONE' }] }, stderr: '\u001b[2J' }
  const { code, stdout, stderr } = await tested(plan, ['--junit', junit])
  expect(code).toBe(1)
  const unprintable = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/
  const report = readFileSync(junit, 'utf8')
  for (const text of [stdout, stderr, report]) {
    expect(text).not.toMatch(unprintable)
    expect(text).not.toContain('sk-abcdefghijklmnop')
  }
  expect(stdout).not.toMatch(/^second/m)
  expect(XMLValidator.validate(report)).toBe(true)
  const { stdout: json } = await tested(plan, ['--json'])
  expect(json.trimEnd()).not.toMatch(unprintable)
  expect(json).not.toContain('sk-abcdefghijklmnop')
})

test('a report has a testcase for each scenario, and fails if the exit code does', async () => {
  const junit = join(cwd, 'report.xml')
  const report = async (plan: SuitePlan, args: string[] = []) => {
    const { code } = await tested(plan, ['--junit', junit, ...args])
    return [
      code,
      /<testsuite [^>]*(tests="\d+" failures="\d+" errors="\d+" skipped="\d+")/.exec(readFileSync(junit, 'utf8'))?.[1],
    ]
  }
  const scenarios = { a: [passing('a')], b: [failing('b')], c: [{ id: 'c', status: 'INFO' }] }
  expect(await report({ scenarios })).toEqual([1, 'tests="3" failures="1" errors="0" skipped="1"'])
  expect(await report({ scenarios }, baseline('b'))).toEqual([0, 'tests="3" failures="0" errors="0" skipped="2"'])
  expect(await report({ scenarios }, baseline('a', 'b'))).toEqual([1, 'tests="4" failures="1" errors="0" skipped="2"'])
  expect(await report({})).toEqual([3, 'tests="1" failures="0" errors="1" skipped="0"'])
  expect(await report({ scenarios: { c: scenarios.c } })).toEqual([3, 'tests="2" failures="0" errors="1" skipped="1"'])
  expect((await home.run(['conformance', '--junit', junit, '--no-such'], { cwd })).code).toBe(2)
  expect(readFileSync(junit, 'utf8')).toMatch(/errors="1"/)
})

describe('the command ends with 2 for', () => {
  test.each([
    ['no server', [], 'Name a server'],
    ['a version that is none', [...SMALL, '--suite-version', '../evil'], '"../evil" is no version'],
    ['a baseline that is not there', [...SMALL, '--expected', 'none.yml'], 'none.yml cannot be read'],
    ['one that is a list', [...SMALL, '--expected', 'list.yml'], 'is no file of expected failures'],
    ['one of mappings', [...SMALL, '--expected', 'mapping.yml'], 'is no file of expected failures'],
    ['one that is no YAML', [...SMALL, '--expected', 'broken.yml'], 'broken.yml:1: '],
    ['one that says something twice', [...SMALL, '--expected', 'twice.yml'], 'all of ping to fail, and single checks'],
  ])('%s', async (_, args, says) => {
    suite.plan({ scenarios: { ping: [passing('ping')] } })
    writeFileSync(join(cwd, 'list.yml'), '- ping\n')
    writeFileSync(join(cwd, 'mapping.yml'), 'server:\n  - ping: a\n')
    writeFileSync(join(cwd, 'broken.yml'), 'server: [')
    writeFileSync(join(cwd, 'twice.yml'), 'server:\n  - ping\n  - ping:a\n')
    const { code, stderr } = await home.run(['conformance', ...args], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain(says)
    expect(existsSync(join(cwd, 'node_modules/@modelcontextprotocol/conformance/starts'))).toBe(false)
  })

  test('a server of a remote service, which does not say how it is reached', async () => {
    const { openHttpServer } = await import('./service-double.ts')
    const service = await openHttpServer('sk_of_tests')
    const { code, stderr } = await home.run(['conformance', 'everything', '--base-url', service.address], {
      cwd,
      env: { MCPDECK_API_KEY: 'sk_of_tests' },
    })
    await service.close()
    expect(code).toBe(2)
    expect(stderr).toContain('Give --url')
  })
})

test('a missing suite is fetched by npx with a notice, and the command ends with 3 if that fails', async () => {
  rmSync(join(cwd, 'node_modules'), { recursive: true })
  const bin = join(cwd, 'bin')
  mkdirSync(bin)
  // Tests have no network. This npx prints its arguments and fails.
  writeFileSync(join(bin, 'npx'), '#!/bin/sh\necho "npm error asked $(command -v node) for $*" >&2\nexit 1\n', {
    mode: 0o755,
  })
  const env = { PATH: `${bin}:${process.env['PATH']}` }
  const { code, stderr } = await home.run(['conformance', ...SMALL, '--scenario', 'ping'], { cwd, env })
  expect(code).toBe(3)
  expect(stderr).toContain('The official suite 0.1.16 is fetched by npx')
  // The suite runs with the Node of mcpdeck, whichever Node is first on the PATH.
  expect(stderr).toContain(`asked ${process.execPath} for -y @modelcontextprotocol/conformance@0.1.16 server --url=`)
  suite = installStandIn(cwd, '0.9.0')
  suite.plan({ scenarios: { ping: [passing('ping')] } })
  const other = await home.run(['conformance', ...SMALL], { cwd, env })
  expect(other).toMatchObject({ code: 0, stderr: expect.stringContaining('The official suite 0.9.0, installed in') })
  const wanted = await home.run(['conformance', ...SMALL, '--suite-version', '0.8.0'], { cwd, env })
  expect(wanted).toMatchObject({ code: 3, stderr: expect.stringContaining('conformance@0.8.0') })
})
