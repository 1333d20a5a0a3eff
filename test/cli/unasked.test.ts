import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, type TestContext } from 'vitest'
import { parse } from 'yaml'
import { contract } from '../../src/api/contract/contract.ts'
import { NOUNS } from '../../src/cli/nouns/nouns.ts'
import { HOSTILE } from '../hostile-texts.ts'
import { openHostileService, type Spoiling } from '../journeys/hostile-service.ts'
import { openTerminal } from '../pty/terminal.ts'
import { strangeText, watchUnasked, type Purpose } from '../pty/unasked.ts'
import { sandbox, untilEnded } from '../service/harness.ts'
import { endOf, HOST } from './hosts.ts'
import { openHome } from './program.ts'

/** A command that crashed exits with 70. */
const END = new RegExp(endOf(String.raw`((?!70 )\d+)`).trim())

/** Runs commands one after the other in a terminal; returns the output that may not reach a terminal. */
async function fooled(commands: readonly (readonly [Purpose, ...string[]])[], env: Record<string, string>) {
  const list = JSON.stringify(commands.map(([, ...args]) => args))
  await using terminal = openTerminal({ command: process.execPath, args: [HOST, list], env, cols: 100, rows: 30 })
  const unasked = watchUnasked(terminal, 'text')
  expect(await terminal.waitForExit(250_000)).toMatchObject({ signal: undefined })
  // Each output is followed by its exit code.
  const pieces = terminal.output.split(END).slice(0, -1)
  const outputs = pieces.filter((_, index) => index % 2 === 0)
  // A failure is reported as sentences, whatever output format was requested.
  const purposeOf = (index: number): Purpose => (pieces[2 * index + 1] === '0' ? commands[index]![0] : 'text')
  expect(outputs).toHaveLength(commands.length)
  expect(outputs.filter(output => output.includes('evil')).length).toBeGreaterThan(outputs.length / 4)
  return [...unasked(), ...outputs.flatMap((output, index) => strangeText(output, purposeOf(index)))]
}

async function openStage(spoiling: Spoiling, ending: TestContext) {
  const { api, env } = await openHostileService(spoiling, ending)
  const { projectId, suiteId, serverId } = await sandbox(api)
  const { runId } = await api.call(contract.runs.create, { projectId, body: { suiteId } })
  await untilEnded(api, projectId, runId)
  const { items } = await api.call(contract.iterations.list, { projectId, runId })
  return { env, projectId, suiteId, serverId, runId, trialId: items[0]!.id }
}

type Stage = Awaited<ReturnType<typeof openStage>>

/** The record of the sandbox that a listing belongs to. */
function parentOptions({ serverId, suiteId, runId, trialId }: Stage): Record<string, string> {
  return { server: serverId, suite: suiteId, run: runId, trial: trialId }
}

function listings(stage: Stage): string[][] {
  const known = parentOptions(stage)
  return NOUNS.flatMap(({ name, parents = [] }) => {
    const needed = parents.filter(({ optional }) => !optional)
    if (needed.some(({ option }) => known[option] === undefined)) return []
    return [['get', name, ...needed.flatMap(({ option }) => [`--${option}`, known[option]!])]]
  })
}

describe.concurrent('text of a hostile service', () => {
  test.for(['every text', 'every text but words of the contract', 'every refusal'] as const)(
    'reaches the terminal through no listing: %s',
    async (spoiling, context) => {
      const stage = await openStage(spoiling, context)
      const commands = listings(stage).flatMap((args, index) => {
        // A refusal is reported as text, whatever format was requested, and in the same way for all listings.
        if (spoiling === 'every refusal') return index % 4 === 0 ? [['text', ...args] as const] : []
        const text = ['text', ...args] as const
        // JSON is escaped whatever it contains, including words of the contract.
        if (spoiling === 'every text') return [text]
        return [text, ['data', ...args, index % 2 === 0 ? '--json' : '--jsonl'] as const]
      })
      expect(await fooled(commands, stage.env)).toEqual([])
    },
  )

  test.for(['every text', 'every text but words of the contract'] as const)(
    'reaches the terminal through no command that follows, checks, exports or calls: %s',
    async (spoiling, context) => {
      const stage = await openStage(spoiling, context)
      const { projectId, suiteId, serverId, runId, trialId } = stage
      const fields = (more: object): string[] =>
        Object.entries({ projectId, ...more }).flatMap(([name, value]) => ['--field', `${name}=${value}`])
      const { runs, suites, iterations, servers } = contract
      const following: [Purpose, ...string[]][] = [
        ['text', 'watch', runId],
        ['text', 'watch', runId, '--jsonl'],
        ['text', 'watch', runId, '--json'],
        ['text', 'run', suiteId, '--yes'],
        ['text', 'run', suiteId, '--yes', '--json'],
      ]
      const commands: [Purpose, ...string[]][] = [
        // A run with an unknown state is followed without end.
        ...(spoiling === 'every text' ? [] : following),
        ['text', 'suite', 'export', 'nothing of this name'],
        ['text', 'doctor', serverId],
        ['data', 'doctor', serverId, '--json'],
        ['text', 'journal'],
        ['data', 'journal', '--json'],
        ['data', 'api', 'listProjects'],
        ['data', 'api', suites.list.operation, ...fields({})],
        ['data', 'api', runs.get.operation, ...fields({ runId })],
        ['data', 'api', iterations.list.operation, ...fields({ runId }), '--paginate'],
        ['data', 'api', iterations.trace.operation, ...fields({ runId, iterationId: trialId })],
        ['data', 'api', servers.tools.operation, ...fields({ serverId, 'body.x': 1 }).slice(0, 4)],
        ['text', 'api', suites.get.operation, ...fields({ suiteId: 'nothing' })],
      ]
      expect(await fooled(commands, stage.env)).toEqual([])
    },
  )

  test('is printable in data for other programs, and the same as the service sent', async context => {
    const stage = await openStage('every text but words of the contract', context)
    const { env, projectId, runId } = stage
    const home = await openHome()
    context.onTestFinished(() => home.close())
    const stdoutOf = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await home.run(args, { env })
      expect({ code, stderr, strange: strangeText(stdout, 'data') }).toMatchObject({ code: 0, strange: [] })
      expect(stdout).toContain('evil')
      return stdout
    }
    const raw = await fetch(`${env.MCPDECK_BASE_URL}/projects/${projectId}/eval-runs/${runId}/iterations`, {
      headers: { authorization: `Bearer ${env.MCPDECK_API_KEY}` },
    })
    const said: unknown = await raw.json()
    const fields = ['--field', `projectId=${projectId}`, '--field', `runId=${runId}`]
    const printed = JSON.parse(await stdoutOf('api', contract.iterations.list.operation, ...fields)) as object
    // The service alters each answer differently, so only the amount of the alterations is compared.
    expect(shapeOf(printed)).toEqual(shapeOf(said))
    const file = join(home.home, 'report.xml')
    await home.run(['watch', runId, '--junit', file], { env })
    const xml = readFileSync(file, 'utf8')
    expect(strangeText(xml, 'data')).toEqual([])
    expect(XMLValidator.validate(xml)).toBe(true)
    expect(new XMLParser().parse(xml)).toHaveProperty('testsuites.testsuite')
    const page = join(home.home, 'report.html')
    await home.run(['report', runId, '--html', page], { env })
    const html = readFileSync(page, 'utf8')
    expect(strangeText(html, 'text')).toEqual([])
    expect(html).not.toMatch(/[\r\u001B]/)
    expect(html).toContain('evil')
  })

  test('is printable in a suite file, from which the same suite is imported', async context => {
    const home = await openHome()
    context.onTestFinished(() => home.close())
    const message = HOSTILE.filter(text => text.isWellFormed()).join(' ')
    const call = { id: 'call', kind: 'toolCall', serverName: 'everything', toolName: 'echo', arguments: { message } }
    const cases = [{ id: 'one', title: 'a\u009D0;evil\u009C\u{E0041}\u3164', steps: [call] }]
    const suite = { name: '\u009D52;c;ZXZpbA==\u009C evil\u2028', servers: ['everything'], model: 'none' }
    const input = JSON.stringify({ suite, cases })
    const imported = await home.run(['suite', 'import', '-', '--yes', '--unchecked'], { input })
    expect(imported).toMatchObject({ code: 0 })
    expect(strangeText(imported.stderr, 'text')).toEqual([])
    const suiteId = /ste_\w+/.exec(imported.stderr)![0]
    const exported = await home.run(['suite', 'export', suiteId])
    expect(exported.code).toBe(0)
    expect(strangeText(exported.stdout, 'data')).toEqual([])
    expect(parse(exported.stdout)).toMatchObject(JSON.parse(input) as object)
  })
})

/** Returns a value with all its texts made equal. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shapeOf(field)]))
}
