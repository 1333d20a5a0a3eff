import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isTerminalRunStatus } from '../../src/api/contract/runs.ts'
import { type Documented, documentedCommands, SUBCOMMANDS } from '../documents.ts'
import { inWorkspace, type Prepared } from '../prepared-workspace.ts'
import { minimalEnv } from '../pty/home.ts'
import { until } from '../service/harness.ts'
import { openHome } from './program.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Commands that are not run here, with the reason. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'npm ci && npm start': 'installs the dependencies over those in use; its second half is run below',
  'npm ci && npm test': 'is what runs this test',
  'npm ci && npm run build && npm install --global .': 'would install for the whole machine; run below in a folder',
  'npm ci && npm run build && npm install -g .': 'would install for the whole machine; run below in a folder',
  'cd mcpdeck && npm ci && npm run build && npm install -g . && cd ..':
    'would install for the whole machine; run below in a folder',
  'npm uninstall --global mcpdeck': 'would take the command from the whole machine',
  'npm start --silent --': 'is the beginning of commands',
  ...Object.fromEntries(
    ['npm pack', 'npm install --global ./mcpdeck-*.tgz', 'npx ./mcpdeck-*.tgz'].map(command => [
      command,
      'packs the program; test/tooling/package.test.ts runs it',
    ]),
  ),
  'mcpdeck profile add': 'asks a person at a terminal',
  'mcpdeck ask': 'takes a model; test/cli/ask.test.ts runs it',
  'mcpdeck api': 'is the beginning of commands',
  'mcpdeck suite': 'is the beginning of commands',
  'mcpdeck journal send': 'takes an id of a write whose answer was lost; test/journal/command.test.ts runs it',
  'mcpdeck journal dismiss': 'takes an id of a write whose answer was lost; test/journal/command.test.ts runs it',
  "mcpdeck tools --command 'npx -y @modelcontextprotocol/server-everything stdio'":
    'would fetch a package; test/cli/verbs.test.ts runs the installed one',
  ...Object.fromEntries(
    [
      'import-tokens SERVER --input FILE',
      'dismiss FINDING',
      'publish ENVIRONMENT',
      'rotate SCENARIO',
      'invite SCENARIO EMAIL',
      'remove-member SCENARIO EMAIL',
      'unpublish SCENARIO',
    ].map(command => [`mcpdeck ${command}`, 'takes what a home has to hold first; test/cli/verbs.test.ts runs it']),
  ),
  'mcpdeck apply -f project --dry-run':
    'takes what a server is started with; test/cli/empty-project.test.ts applies a folder',
  ...Object.fromEntries(
    ['server import mcp.json --yes', 'server import github docs --dry-run'].map(command => [
      `mcpdeck ${command}`,
      'takes files of other programs; test/cli/server-files.test.ts runs it',
    ]),
  ),
  'mcpdeck run "Smoke" --watch-files \'src/**\'': 'runs until Ctrl+C; test/cli/watch-files.test.ts runs it',
  ...Object.fromEntries(
    ['now --watch', 'now --watch --json'].map(command => [
      `mcpdeck ${command}`,
      'runs until Ctrl+C; test/cli/now.test.ts runs it',
    ]),
  ),
  ...Object.fromEntries(
    [
      'SERVER',
      'everything',
      'everything --scenario tools-list --scenario ping',
      'everything --expected conformance.yml --junit conformance.xml',
    ].map(words => [
      `mcpdeck conformance ${words}`,
      'would fetch the suite; test/cli/conformance.test.ts runs it with a stand-in',
    ]),
  ),
  'mcpdeck try -- COMMAND': 'opens a dashboard; test/journeys/try.test.ts runs it',
  'mcpdeck try URL': 'opens a dashboard; test/journeys/try.test.ts runs it',
  "mcpdeck snapshot diff before.json --command 'node build/index.js'":
    'starts a program of the reader; test/cli/verbs.test.ts starts one of ours',
  ...Object.fromEntries(
    ['sign-in SERVER', 'sign-out SERVER'].map(command => [
      `mcpdeck ${command}`,
      'takes a server that wants OAuth; test/journeys/sign-in.test.ts runs it',
    ]),
  ),
  ...Object.fromEntries(
    ['server import orders.mcp.json --yes', 'call orders list-orders --yes'].map(command => [
      `mcpdeck ${command}`,
      'takes a server that wants OAuth; test/cli/sign-in-grants.test.ts runs it',
    ]),
  ),
  ...Object.fromEntries(
    ['ask "why did the last run fail"', 'ask --approve ACTION', 'chat --client NAME "add 2 and 3"'].map(command => [
      `mcpdeck ${command}`,
      'takes a model; test/cli/ask.test.ts runs it',
    ]),
  ),
  'mcpdeck mcp install --client claude-code': 'asks a person at a terminal; test/cli/mcp-install.test.ts runs it',
  ...Object.fromEntries(
    ['docs', 'docs pdf references/FORMS.md'].map(words => [
      `mcpdeck skills ${words}`,
      'takes a server with skills; test/cli/skills.test.ts runs it',
    ]),
  ),
  'mcpdeck launch JOURNEY': 'takes a model; test/cli/empty-project.test.ts runs it',
  'mcpdeck describe wave WAVE': 'takes a wave; test/cli/empty-project.test.ts runs it',
  'mcpdeck cancel WAVE': 'takes a wave in flight; test/cli/empty-project.test.ts runs it',
}

/** Commands with an exit code other than 0: 1 = a suite that fails by design, 3 = a run that has ended. */
const ENDS: Readonly<Record<string, number>> = {
  'mcpdeck run "Reference server smoke" --watch --yes --junit report.xml': 1,
  'mcpdeck run --rerun-failed R --yes --watch': 1,
  'mcpdeck cancel RUN': 3,
  // The sample run of the workspace has failed.
  'mcpdeck now': 1,
  'mcpdeck now --json --project Sandbox': 1,
  'mcpdeck now --report shift.md --since 8h': 1,
  // The reference server gives some advice.
  'mcpdeck doctor everything --strict': 3,
}

/** Commands that serve until stopped, with the output that shows that they started. */
const SERVES = /^serve(?: --(?!help).*)?$/

/** A file with the case of the suite "Smoke". */
const SMOKE = `suite: { name: Smoke }
cases: [{ title: says yes, tags: [smoke], steps: [{ id: call, kind: toolCall, toolName: echo }] }]
`

let home: Awaited<ReturnType<typeof openHome>>
let names: { passed: string; failed: string; project: string; keys: string[] }

beforeAll(async () => {
  home = await openHome()
  names = await inWorkspace(home.home, prepare)
  writeFileSync(join(home.home, 'sum.json'), '{"a": 2, "b": 3}')
  mkdirSync(join(home.home, 'evals'))
  writeFileSync(join(home.home, 'evals/smoke.yaml'), SMOKE)
  for (const name of ['one', 'two']) {
    const { code, stderr } = await home.run(['serve', 'key', 'create', name])
    if (code !== 0) throw new Error(stderr)
  }
  const { stdout } = await home.run(['serve', 'key', 'list'])
  names.keys = stdout.match(/\bkey_\w+/g) ?? []
})
afterAll(async () => {
  await home.close()
})

/** A suite that passes, another in two environments, and a run that failed. */
async function prepare({ client, projectId }: Prepared): Promise<typeof names> {
  const [server] = (await client.servers.list({ projectId })).items
  const echo = (title: string, wanted: string) => ({
    title,
    steps: [
      {
        id: 'call',
        kind: 'toolCall' as const,
        serverName: server!.name,
        toolName: 'echo',
        arguments: { message: 'yes' },
      },
      { id: 'check', kind: 'assert' as const, assertion: { type: 'responseContains', needle: wanted } },
    ],
  })
  const make = async (name: string, tests: ReturnType<typeof echo>[]) => {
    const body = { name, model: 'none', serverIds: [server!.id], tests }
    return (await client.suites.create({ projectId, body })).suiteId
  }
  const [smoke, twice, broken] = [
    await make('Smoke', [echo('says yes', 'yes')]),
    await make('Smoke in two places', [echo('says yes', 'yes')]),
    await make('Broken', [echo('says yes', 'yes'), echo('says no', 'no such word')]),
  ]
  const config = { modelId: 'none', serverIds: [server!.id] }
  const host = await client.clients.create({ projectId, body: { name: 'Client', config } })
  const environmentIds = await Promise.all(
    ['staging', 'prod'].map(async name => {
      const body = { name, hostId: host.id }
      return (await client.environments.create({ projectId, body })).id
    }),
  )
  await client.suites.update({ projectId, suiteId: twice, body: { environmentIds } })
  const run = async (suiteId: string) => {
    const { runId } = await client.runs.create({ projectId, body: { suiteId } })
    await until(
      () => client.runs.get({ projectId, runId }),
      ({ status }) => isTerminalRunStatus(status),
    )
    return runId
  }
  return { passed: await run(smoke), failed: await run(broken), project: projectId, keys: [] }
}

/** The words of a documented command, with its placeholders filled in. */
function wordsOf(command: string): string[] {
  const program = command.replace(/^npm start(?: --silent)?(?: --|$) ?|^mcpdeck /, '')
  const failed = /--rerun-failed|--status failed/.test(program)
  const file = join(home.home, 'suite.yaml')
  const [revoked = '', orphaned = ''] = names.keys
  const filled = program
    .replaceAll(/[[\]]/g, '')
    .replaceAll(/\b(?:R|RUN)\b/g, failed ? names.failed : names.passed)
    .replaceAll(/\bSUITE\b/g, 'Smoke')
    .replaceAll(/\bFILE\b/g, file)
    .replace(/"Smoke" (?=--environment)/, '"Smoke in two places" ')
    .replace('<name>=<value>', 'burst=20')
    .replace('<kind>=<rate>', '500=0.5')
    .replace('<number>', '7')
    .replace('<name>', 'documented')
    .replace('<project>', names.project)
    .replace('<id>', program.includes('orphan') ? orphaned : revoked)
    // Another process of the machine may use the port.
    .replace('--port 4747', '--port 0')
  return [...filled.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
}

const all = documentedCommands()
const isOurs = ({ command }: Documented) => !/^(?:export|npm run) /.test(command) && !(command in NOT_RUN)

test('every command that this test leaves out is still in the documents', () => {
  const commands = new Set(all.map(({ command }) => command))
  for (const command of [...Object.keys(NOT_RUN), ...Object.keys(ENDS)]) expect(commands).toContain(command)
})

test('a command is recognized by its first word, whichever command the program has', async () => {
  const { stdout } = await home.run(['--help'])
  // The subcommands under their headings, after the options.
  const [, listed = ''] = stdout.split(/--help .*\n/)
  const commands = [...listed.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name)
  expect(commands.toSorted()).toEqual(SUBCOMMANDS.toSorted())
})

test('scripts and variables that the documents name exist', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object }
  const settings = ['config/settings.ts', 'config/model-settings.ts', 'config/profiles.ts']
  const source = settings.map(name => readFileSync(join(ROOT, 'src/cli', name), 'utf8')).join('\n')
  const named = (pattern: RegExp) => all.flatMap(({ command }) => pattern.exec(command)?.[1] ?? [])
  const [ran, exported] = [named(/^npm run (\S+)/), named(/^export (\w+)=/)]
  expect(ran).not.toEqual([])
  expect(exported).not.toEqual([])
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(ran))
  expect(exported.filter(variable => !source.includes(variable))).toEqual([])
})

test.each(all.filter(isOurs))('$document: $command', async ({ command }) => {
  const [line = '', target] = command.split(' > ')
  const words = wordsOf(line)
  if (words.includes('import'))
    await home.run(['suite', 'export', 'Smoke', '--output', join(home.home, 'suite.yaml'), '--force'])
  if (SERVES.test(words.join(' '))) return await serveAndStop(words)
  const { code, stdout, stderr } = await home.run(words, { cwd: home.home })
  expect({ command, code, stderr: stderr.slice(-600) }).toMatchObject({ code: ENDS[command] ?? 0 })
  if (target !== undefined) writeFileSync(join(home.home, target), stdout)
  // A list of existing records is not empty.
  if (words[0] === 'get') expect(stdout.trim().split('\n').filter(Boolean)).not.toEqual([])
})

async function serveAndStop(words: string[]): Promise<void> {
  const { child, ended } = home.start(words)
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  expect(await ended()).toMatchObject({ code: 0 })
}

test('installing as the README says puts the command on the PATH, and it runs the program', async () => {
  const [folder, prefix] = [join(home.home, 'mcpdeck'), join(home.home, '.local')]
  await mkdir(folder)
  await mkdir(prefix, { recursive: true })
  for (const name of ['package.json', 'dist']) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const path = [join(prefix, 'bin'), dirname(process.execPath), process.env['PATH']].join(':')
  const execute = async (...[file = '', ...args]: string[]) => {
    const env = { ...minimalEnv(home.home), PATH: path, npm_config_prefix: prefix, npm_config_offline: 'true' }
    const child = spawn(file, args, { cwd: folder, env, stdio: 'pipe' })
    const read = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    const [stdout, stderr, [code]] = await read
    return { stdout, stderr, code: code as number }
  }
  expect(await execute('npm', 'install', '--global', '.')).toMatchObject({ code: 0 })
  expect(await execute('mcpdeck', 'get', 'suites')).toMatchObject({ code: 0, stdout: expect.stringContaining('Smoke') })
})
