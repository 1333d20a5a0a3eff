import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { minimalEnv } from '../pty/home.ts'
import { EVERYTHING } from '../servers/targets.ts'
import { MISHAP, wholeCast } from '../service/whole-cast.ts'
import { KEY } from '../service/model-runs.ts'
import { scriptedModel } from '../service/scripted-model.ts'
import { openHome } from './program.ts'

const ROOT = join(import.meta.dirname, '../..')
const DOCUMENT = readFileSync(join(ROOT, 'docs/scripting.md'), 'utf8')

let home: Awaited<ReturnType<typeof openHome>>
beforeEach(async () => {
  home = await openHome()
  const folder = join(home.home, 'bakery')
  mkdirSync(folder)
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(folder, `${name}.yaml`), content)
})
afterEach(() => home.close())

const FILES = {
  server: 'server: { name: everything, enabled: true, transportType: stdio, command: "${COMMAND}", args: "${ARGS}" }\n',
  client: 'client: { name: Desk, template: mcpjam, servers: [everything] }\n',
  environment: 'environment: { name: Staging, client: Desk }\n',
  suite: `suite: { name: Smoke, servers: [everything], model: player, environments: [Staging] }
cases:
  - title: Echo answers
    steps:
      - { id: call, kind: toolCall, serverName: everything, toolName: echo, arguments: { message: hello } }
      - { id: fine, kind: assert, assertion: { type: noToolErrors } }
`,
  persona: 'persona: { name: Ada, role: bookkeeper }\n',
  swarm: 'swarm: { name: Weekly, sessionsPerTarget: 1, maxTurns: 5 }\n',
  journey: `journey:
  { name: Sums, goal: Add 2 and 3, persona: Ada, swarm: Weekly, environments: [Staging], sessionsPerTarget: 1, maxTurns: 5 }
`,
}

/** A script of the document, by its first line. */
function documented(begin: string): string {
  const script = [...DOCUMENT.matchAll(/```shell\n([^]*?)```/g)]
    .map(([, body = '']) => body)
    .find(s => s.startsWith(begin))
  if (script === undefined) throw new Error(`docs/scripting.md has no script that begins with ${begin}`)
  return script
}

/** Runs a shell script in a home, with the built program as `mcpdeck`. */
async function shell(script: string, env: Record<string, string> = {}, at = home.home) {
  const program = `mcpdeck() { '${process.execPath}' '${join(ROOT, 'dist/boot.js')}' "$@"; }\n`
  const secrets = { COMMAND: process.execPath, ARGS: `'${EVERYTHING}' stdio`, MISHAP }
  const child = spawn('/bin/sh', ['-eu', '-c', program + script], {
    cwd: at,
    env: { ...minimalEnv(at), ...secrets, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { stdout, stderr, code: code as number | null }
}

/** All files below a folder, by name. */
function filesOf(folder: string): Record<string, string> {
  const names = readdirSync(join(home.home, folder), { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.yaml'),
  )
  return Object.fromEntries(names.toSorted().map(name => [name, readFileSync(join(home.home, folder, name), 'utf8')]))
}

test('a script gets from an empty project to the scorecard of a wave', async () => {
  const { env } = await wholeCast()
  const ended = await shell(documented('# From an empty project'), env)
  expect(ended, ended.stdout + ended.stderr).toMatchObject({ code: 0 })
  expect(ended.stdout).toMatch(/\[get-sum failed\]/)
  expect(ended.stdout).toMatch(/^scenario +fnd_\w+ +new +tool_error +get-sum/m)
  expect(ended.stdout).toMatch(/Tool calls serve the goal +judge +1 +0 +1/)
  expect(ended.stderr).toMatch(/is completed: 1 of 1 sessions succeeded, 1 graded, 0 missed goal or criteria\./)
})

test('a wave whose sessions could not be graded is not a success', async () => {
  const { settings } = await scriptedModel(({ system, prompts }) => {
    if (system.includes('You grade a conversation')) return { text: 'Looks fine to me!' }
    if (!system.includes('You play a person')) return { text: 'Fine weather.' }
    return { text: JSON.stringify({ done: prompts[0]!.includes('assistant'), message: 'How is the weather?' }) }
  })
  const env = { MCPDECK_MODEL_BASE_URL: settings.baseUrl, MCPDECK_MODEL_API_KEY: KEY, MCPDECK_MODEL: 'player' }
  const ended = await shell(
    `mcpdeck api createProject --field name=Ungraded
mcpdeck --project Ungraded apply -f bakery --yes
mcpdeck --project Ungraded launch Weekly --yes --watch`,
    env,
  )
  expect(ended, ended.stdout + ended.stderr).toMatchObject({ code: 3 })
  expect(ended.stderr).toContain(
    '1 of 1 sessions succeeded, 0 graded, 0 missed goal or criteria, 1 could not be graded.',
  )
})

test('a wave in flight is stopped by its id, and described as cancelled', async () => {
  const { settings } = await scriptedModel(() => 'silence')
  const env = { MCPDECK_MODEL_BASE_URL: settings.baseUrl, MCPDECK_MODEL_API_KEY: KEY, MCPDECK_MODEL: 'player' }
  const ended = await shell(
    `mcpdeck api createProject --field name=Held
mcpdeck --project Held apply -f bakery --yes
wave=$(mcpdeck --project Held launch Weekly --yes)
mcpdeck --project Held cancel "$wave" --yes
mcpdeck --project Held describe wave "$wave" --json > described.json
mcpdeck --project Held launch Nothing --yes`,
    env,
  )
  expect(ended, ended.stdout + ended.stderr).toMatchObject({ code: 2 })
  expect(ended.stderr).toContain('There is no journey "Nothing", and as a swarm: There is no swarm "Nothing".')
  const described = JSON.parse(readFileSync(join(home.home, 'described.json'), 'utf8')) as { canceled: boolean }
  expect(described).toMatchObject({ canceled: true, relations: { scorecard: expect.any(Array) } })
})

test('one command creates a project from its files, and its export creates an equal one', async () => {
  const ended = await shell(documented('# A project from its files'))
  expect(ended, ended.stdout + ended.stderr).toMatchObject({ code: 0 })
  const files = filesOf('from')
  expect(Object.keys(files)).toHaveLength(Object.keys(FILES).length)
  expect(filesOf('to')).toEqual(files)
})

test('a job on a fresh runner is judged by the baseline in its repository', async ending => {
  const script = documented('# On a fresh runner')
  const echo = (title: string, needle: string) =>
    `  - title: ${title}
    steps:
      - { id: call, kind: toolCall, serverName: everything, toolName: echo, arguments: { message: hello } }
      - { id: fine, kind: assert, assertion: { type: responseContains, needle: ${needle} } }
`
  const head = 'suite: { name: Smoke, servers: [everything], model: none }\ncases:\n'
  const baseline = 'evals/baseline.jsonl'
  /** The exit code of the script on a new runner, and the baseline that it writes. */
  const onRunner = async (cases: string, known?: string, command = script) => {
    const runner = await openHome()
    ending.onTestFinished(() => runner.close())
    mkdirSync(join(runner.home, 'evals'))
    writeFileSync(join(runner.home, 'evals/server.yaml'), FILES.server)
    writeFileSync(join(runner.home, 'evals/suite.yaml'), head + cases)
    if (known !== undefined) writeFileSync(join(runner.home, baseline), known)
    const ended = await shell(command, {}, runner.home)
    return { ...ended, written: known ?? (ended.code === 2 ? '' : readFileSync(join(runner.home, baseline), 'utf8')) }
  }
  const cases = echo('Echo answers', 'hello') + echo('Echo, of "more"', 'more')
  const missing = await onRunner(cases)
  expect(missing, missing.stdout + missing.stderr).toMatchObject({ code: 2 })
  expect(missing.stderr).toContain('add --update-baseline')
  const updating = script.replace('--max-broken', '--update-baseline --max-broken')
  const { code, stdout, written } = await onRunner(cases, undefined, updating)
  expect({ code, stdout }).toMatchObject({ code: 1, stdout: expect.stringContaining('written with 2 results') })
  const same = await onRunner(cases, written)
  expect(same, same.stdout + same.stderr).toMatchObject({ code: 0 })
  expect(same.stdout).toContain('gate baseline: passed, no new failures, 1 case still failing')
  const worse = await onRunner(echo('Echo answers', 'bye') + echo('Echo, of "more"', 'hello'), written)
  expect(worse, worse.stdout + worse.stderr).toMatchObject({ code: 1 })
  expect(worse.stdout).toContain('1 regressed, 0 new and failing, 0 still failing, 1 fixed, 0 new, 0 gone')
  const smaller = await onRunner(echo('Echo, of "more"', 'more'), written)
  expect(smaller, smaller.stdout + smaller.stderr).toMatchObject({ code: 3 })
  expect(smaller.stdout).toContain('1 case that passed there is gone: Echo answers')
})
