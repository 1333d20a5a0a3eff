import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { NOUNS } from '../../src/cli/nouns/nouns.ts'
import { EXIT } from '../../src/cli/process/exit-codes.ts'
import { writeBaseline } from '../../src/domain/runs/baseline-file.ts'
import { PROGRAM } from '../journeys/visitor.ts'
import { createHome, removeHome } from '../pty/home.ts'
import { openTerminal, type Terminal } from '../pty/terminal.ts'
import { strangeText, watchUnasked, type Purpose } from '../pty/unasked.ts'
import { randomNumbers, type Random } from '../random-numbers.ts'
import { crashIn, memoryPeak, timeUntil, usedBy, type Limits } from './look.ts'
import { Findings, type Part } from './part.ts'
import { attacksOf, openProxy } from './proxy.ts'
import type { Stage } from './stage.ts'

/**
 * Runs the words of a file unchanged, with standard error in a separate file, so that only standard output reaches the
 * terminal.
 */
const APART = 'errors=$1; shift; exec "$@" 2>"$errors"'
/** A command may wait for a service; Ctrl+C is pressed after one of these pauses, in milliseconds. */
const PATIENCE = [300, 2000, 9000]
const FROZEN_MS = 15_000
/** A baseline without known failures, so that every failure is new. */
const BASELINE = 'baseline.jsonl'
const MEMORY_EVERY_MS = 100

/** One command line, with its allowed results. */
export type Command = {
  words: readonly string[]
  /** The kind of output on standard output if it is a terminal. */
  output: Purpose
  /** Standard output is JSON if the exit code is 0: one document, or one a line. */
  json?: 'text' | 'lines'
  /** The verdict of the unchanged record; only such a command may end with 1. */
  truth?: 'passed' | 'failed'
}

/** Every command that reads from a service, with the records of a stage. */
export function commandsOf(stage: Stage, random: Random, suiteFile: string): Command[] {
  const { projectId, serverId, passing, failing, scenarioId } = stage
  const parents: Record<string, string> = {
    suite: failing.suiteId,
    run: failing.runId,
    server: serverId,
    scenario: scenarioId,
  }
  const nouns = NOUNS.filter(({ parents: wanted = [] }) => wanted.every(({ option }) => option in parents))
  const shapes = [
    { words: [], output: 'text' },
    { words: ['--json'], output: 'data', json: 'text' },
    { words: ['--jsonl'], output: 'data', json: 'lines' },
  ] as const satisfies readonly Command[]
  const gets = nouns.flatMap(noun => {
    const options = (noun.parents ?? [])
      .filter(({ optional }) => !optional || random.chance(0.5))
      .flatMap(({ option }) => [`--${option}`, parents[option]!])
    return shapes.map(({ words, ...rest }) => ({ words: ['get', noun.name, ...options, ...words], ...rest }))
  })
  const judged = ([passing, failing] as const).flatMap(({ runId, suiteId }, index): Command[] => {
    const truth = index === 0 ? 'passed' : 'failed'
    const { words, ...rest } = random.pick(shapes)
    const gates = random.pick([
      [],
      ['--min-pass-rate', '50%'],
      ['--max-duration', '10m'],
      ['--no-new-failures-against', 'last'],
      ['--baseline', join(dirname(suiteFile), BASELINE)],
    ])
    const junit = random.chance(0.3) ? ['--junit', 'report.xml'] : []
    return [
      { words: ['watch', runId, '--timeout', '20s', ...words, ...gates, ...junit], ...rest, truth },
      { words: ['run', suiteId, '--yes', '--watch', '--timeout', '20s', ...words, ...gates, ...junit], ...rest, truth },
      {
        words: ['run', '--rerun-failed', failing.runId, '--yes', '--watch', '--timeout', '20s'],
        output: 'text',
        truth: 'failed',
      },
    ]
  })
  const api = ['listProjects', 'listProjectServers', 'listEvalSuites', 'getMe', 'getCapabilities'].map(
    (name): Command => ({
      words: ['api', name, '--field', `projectId=${projectId}`, ...(random.chance(0.3) ? ['--paginate'] : [])],
      output: 'data',
    }),
  )
  return [
    ...gets,
    ...judged,
    ...judged,
    ...judged,
    ...api,
    { words: ['api', 'GET', `/projects/${projectId}/eval-runs/${failing.runId}`], output: 'data' },
    { words: ['api', 'GET', `/projects/${projectId}/eval-runs/${failing.runId}/iterations`], output: 'data' },
    { words: ['suite', 'export', failing.suiteId], output: 'data' },
    { words: ['suite', 'import', suiteFile, '--dry-run', '--json'], output: 'data', json: 'text' },
    { words: ['suite', 'import', suiteFile, '--yes'], output: 'text' },
    { words: ['doctor'], output: 'text' },
    { words: ['doctor', '--json'], output: 'data', json: 'text' },
    { words: ['doctor', serverId], output: 'text' },
    { words: ['doctor', serverId, '--json'], output: 'data', json: 'text' },
    { words: ['journal'], output: 'text' },
    { words: ['journal', '--json'], output: 'data', json: 'text' },
    { words: ['notebook', 'export'], output: 'text' },
    ...verbs({ serverId, passing, failing, scenarioId }, shapes[random.below(2)]!),
    { words: ['export'], output: 'text' },
    { words: ['apply', '--file', suiteFile, '--dry-run', '--json'], output: 'data', json: 'text' },
    { words: ['apply', '--file', suiteFile, '--yes'], output: 'text' },
  ]
}

/** Commands on records that every stage has, as text or as JSON. */
function verbs(
  { serverId, passing, failing, scenarioId }: Pick<Stage, 'serverId' | 'passing' | 'failing' | 'scenarioId'>,
  { words: json, ...rest }: Command,
): Command[] {
  const all = [
    ['tools', serverId],
    ['call', serverId, 'echo', 'message=hi', '--yes'],
    ['validate', serverId, '--yes'],
    ['snapshot', serverId],
    ['describe', 'server', serverId],
    ['describe', 'run', failing.runId],
    ['describe', 'scenario', scenarioId],
    ['search', 'weather'],
    ['compare', passing.runId, failing.runId],
    ['cancel', failing.runId, '--yes'],
  ]
  return all.map(words => ({ words: [...words, ...json], ...rest }))
}

const SUITE_FILE = `suite:
  name: Fuzzed
servers: [everything]
cases:
  - title: says yes
    steps:
      - id: call
        kind: toolCall
        serverName: everything
        toolName: echo
        arguments: { message: "yes" }
`

/** Every command in a terminal, with a service whose answers are corrupted on the way. */
export const commands: Part = {
  name: 'commands',
  says: 'every command behind a proxy that spoils answers',
  async round({ stage, seed, limits }) {
    const findings = new Findings('commands', seed)
    const random = randomNumbers(seed)
    await using proxy = await openProxy({ target: stage.baseUrl, seed, ...attacksOf(random) })
    const home = createHome()
    const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-fuzz-'))
    const suiteFile = join(folder, 'suite.yaml')
    writeFileSync(suiteFile, SUITE_FILE)
    writeFileSync(join(folder, BASELINE), writeBaseline([]))
    try {
      const command = random.pick(commandsOf(stage, random, suiteFile))
      await runAndLook({
        command,
        env: { MCPDECK_BASE_URL: proxy.baseUrl, MCPDECK_API_KEY: stage.key },
        home,
        folder,
        patience: command.truth === undefined ? random.pick(PATIENCE) : PATIENCE.at(-1)!,
        isApart: random.chance(0.5),
        limits,
        findings,
        mutations: () => proxy.done,
      })
      for (const leak of proxy.leaks)
        findings.add(`leak: ${leak}`, { doing: command.words.join(' '), mutations: proxy.done, screen: '' })
    } finally {
      removeHome(home)
      rmSync(folder, { recursive: true, force: true })
    }
    return findings.problems
  },
}

type Running = {
  command: Command
  env: Record<string, string | undefined>
  home: string
  folder: string
  patience: number
  /** Whether standard error is written to a separate file. */
  isApart: boolean
  limits: Limits
  findings: Findings
  mutations: () => readonly string[]
  size?: { cols: number; rows: number }
}

/** Runs one command in a terminal until its end or a Ctrl+C, and checks everything it wrote. */
export async function runAndLook(running: Running): Promise<void> {
  const { command, env, home, folder, patience, isApart, limits } = running
  const errors = join(folder, 'errors')
  const words = [process.execPath, PROGRAM, ...command.words]
  await using terminal = openTerminal({
    ...(isApart ? { command: '/bin/sh', args: ['-c', APART, 'sh', errors, ...words] } : { args: command.words }),
    env,
    home,
    cwd: folder,
    ...running.size,
  })
  const report = (what: string): void =>
    running.findings.add(what, {
      doing: `mcpdeck ${command.words.join(' ')}${isApart ? ' 2>errors' : ''}; code ${terminal.exit?.code}`,
      mutations: [...running.mutations()],
      screen: isApart ? `${terminal.screen()}\nerrors: ${textOf(errors)}` : terminal.screen(),
    })
  const unasked = watchUnasked(terminal, isApart ? command.output : 'text')
  const memory = memoryPeak(terminal.pid)
  const timer = setInterval(memory, MEMORY_EVERY_MS)
  await timeUntil(terminal.pid, () => terminal.exit !== undefined, patience)
  const isInterrupted = terminal.exit === undefined
  if (isInterrupted) {
    if (usedBy(terminal.pid) > 0.7 * patience && patience > 5000) report('takes a whole processor')
    terminal.press('ctrl+c')
    const took = await timeUntil(terminal.pid, () => terminal.exit !== undefined, FROZEN_MS)
    if (took > limits.endsWithin) report(`ends ${took} ms after Ctrl+C`)
  }
  clearInterval(timer)
  const { megabytes, status } = memory()
  if (megabytes > limits.memory) report(`had ${Math.round(megabytes)} MB: ${status}`)
  for (const each of unasked()) report(`unasked: ${each}`)
  const stderr = isApart ? textOf(errors) : ''
  for (const each of strangeText(stderr, 'text')) report(`unasked in standard error: ${each}`)
  const crash = crashIn(terminal.output) ?? crashIn(stderr)
  if (crash !== undefined) report(`crash: ${crash}`)
  if (terminal.exit) for (const wrong of wrongEnd(command, terminal, isInterrupted, isApart)) report(wrong)
}

/** Returns the faults in how a command ended. */
function wrongEnd(command: Command, terminal: Terminal, isInterrupted: boolean, isApart: boolean): string[] {
  const { code, signal } = terminal.exit!
  const { truth, json } = command
  const wrong: string[] = []
  // Before the program is loaded, Ctrl+C ends it like any other program.
  const isEnded = signal === 'SIGINT' ? isInterrupted : Object.values<number>(EXIT).includes(code)
  if (!isEnded) wrong.push(`ended with ${signal ?? code}`)
  if (code === EXIT.interrupted && !isInterrupted) wrong.push('says that it was interrupted')
  if (code === EXIT.failedVerdict && truth === undefined) wrong.push('ended with 1 without a verdict')
  if (code === EXIT.done && !signal && truth === 'failed') wrong.push('a false green: 0, though the run failed')
  // Ctrl+C arrived as the program ended: the terminal itself prints it if no program reads.
  const output = isInterrupted ? terminal.output.replace('^C', '') : terminal.output
  if (code === EXIT.done && !signal && isApart && json !== undefined && !isJson(output, json))
    wrong.push('ended with 0, and its output is not JSON')
  return wrong
}

function isJson(output: string, json: 'text' | 'lines'): boolean {
  const text = output.replaceAll('\r\n', '\n')
  try {
    for (const part of json === 'text' ? [text] : text.split('\n').filter(Boolean)) JSON.parse(part)
    return true
  } catch {
    return false
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
