import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXIT } from '../../src/cli/process/exit-codes.ts'
import { isInstalled } from '../programs.ts'
import { createHome, minimalEnv, removeHome } from '../pty/home.ts'
import { openTerminal } from '../pty/terminal.ts'
import { strangeText } from '../pty/unasked.ts'
import { randomKeys } from '../random-service/keys.ts'
import { randomNumbers } from '../random-numbers.ts'
import { runAndLook, type Command } from './commands.ts'
import { crashIn, timeUntil, usedBy } from './look.ts'
import { ODDITIES, type Surroundings } from './oddities.ts'
import { Findings, type Part, type Round } from './part.ts'
import { start } from './process.ts'
import { pressAndLook } from './session.ts'

const KEYS = 12
const PATIENCE_MS = 12_000
const DASHBOARD: readonly Command[] = [{ words: [], output: 'dashboard' }]
const COMMANDS: readonly Command[] = [
  { words: ['get', 'projects'], output: 'text' },
  { words: ['get', 'projects', '--json'], output: 'data', json: 'text' },
  { words: ['get', 'suites', '--local'], output: 'text' },
  { words: ['doctor'], output: 'text' },
  { words: ['doctor', '--json'], output: 'data', json: 'text' },
  { words: ['config', 'show'], output: 'text' },
  { words: ['config', 'check'], output: 'text' },
  { words: ['config', 'check', '--json'], output: 'data', json: 'text' },
  { words: ['config', 'path'], output: 'text' },
  { words: ['config', 'init'], output: 'text' },
  { words: ['profile', 'list'], output: 'text' },
  { words: ['profile', 'show', '--json'], output: 'data' },
  { words: ['journal'], output: 'text' },
  { words: ['journal', '--json'], output: 'data', json: 'text' },
  { words: ['notebook', 'export'], output: 'text' },
  { words: ['serve', 'status'], output: 'text' },
  { words: ['serve', 'limits', '--json'], output: 'data', json: 'text' },
  { words: ['serve', 'key', 'list'], output: 'text' },
  { words: ['completion', 'bash'], output: 'text' },
  { words: ['--help'], output: 'text' },
  { words: ['--version'], output: 'text' },
  { words: ['api', '--list'], output: 'text' },
  { words: ['api', 'listProjects'], output: 'data' },
  { words: ['suite', 'schema'], output: 'data', json: 'text' },
]

/** How a shell redirects or closes the three standard streams; the program then has no terminal. */
const DESCRIPTORS = [
  'exec "$@"',
  'exec "$@" </dev/null',
  'exec "$@" <&-',
  'exec "$@" >&-',
  'exec "$@" 2>&-',
  'exec "$@" <&- >&- 2>&-',
  'exec "$@" >/dev/full',
  'exec "$@" 2>/dev/full',
  'exec "$@" >/dev/full 2>/dev/full',
  'exec "$@" </dev/zero',
  ...(isInstalled('bash') ? ['exec "$@" > >(head -c 1 >/dev/null)', 'exec "$@" > >(true)'] : []),
]
/** Signals that end a program without a terminal. */
const ENDED = new Set<number>([...Object.values(EXIT), 143])

/** The dashboard and commands in unusual environments. */
export const environments: Part = {
  name: 'environments',
  says: 'odd variables, folders, windows, files and descriptors',
  async round(round) {
    const { stage, seed } = round
    const findings = new Findings('environments', seed)
    const random = randomNumbers(seed)
    const home = createHome()
    const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-fuzz-'))
    const service = random.chance(0.5) ? { MCPDECK_BASE_URL: stage.baseUrl, MCPDECK_API_KEY: stage.key } : {}
    // Without a configured editor the program starts vi, whose own escape sequences are not checked.
    const env = { EDITOR: 'true', ...service }
    const at: Surroundings = { home, env, cols: 100, rows: 30, random }
    try {
      if (random.chance(0.4)) await start(['get', 'projects'], { ...minimalEnv(home), ...env }, folder).ended
      const odd = Array.from({ length: 1 + random.below(3) }, () => random.pick(ODDITIES))
      const told = [...new Set(odd)].map(oddity => `${oddity.name}: ${oddity.make(at)}`)
      await attempt(round, { at, folder, findings, told })
    } finally {
      removeHome(home)
      rmSync(folder, { recursive: true, force: true })
    }
    return findings.problems
  },
}

type Attempt = { at: Surroundings; folder: string; findings: Findings; told: string[] }

async function attempt(round: Round, { at, folder, findings, told }: Attempt): Promise<void> {
  const { random, env, home, cols, rows } = at
  const { limits, seed } = round
  const mutations = () => told
  const command = random.pick(random.chance(0.35) ? DASHBOARD : COMMANDS)
  if (random.chance(0.3)) return withoutTerminal({ command, at, folder, findings, told })
  if (command.output !== 'dashboard') {
    const isApart = random.chance(0.5)
    const patience = PATIENCE_MS
    return runAndLook({
      command,
      env,
      home,
      folder,
      patience,
      isApart,
      limits,
      findings,
      mutations,
      size: { cols, rows },
    })
  }
  await using terminal = openTerminal({ isPlain: true, env, home, cols, rows, cwd: folder })
  await pressAndLook({
    terminal,
    keys: randomKeys(seed),
    count: KEYS,
    limits,
    findings,
    doing: `mcpdeck, ${cols}×${rows}`,
    mutations,
    refusals: [EXIT.usage, EXIT.noVerdict],
  })
}

/** Runs a program without a terminal until its end, or until SIGTERM. */
async function withoutTerminal({ command, at, folder, findings, told }: Attempt & { command: Command }) {
  const script = at.random.pick(DESCRIPTORS)
  const program = start(command.words, environmentOf(at), folder, script)
  const pid = program.child.pid!
  const hasEnded = (): boolean => program.child.exitCode !== null || program.child.signalCode !== null
  const report = (what: string): void =>
    findings.add(what, {
      doing: `mcpdeck ${command.words.join(' ')} as ${script}`,
      mutations: told,
      screen: program.written(),
    })
  const took = await timeUntil(pid, hasEnded, PATIENCE_MS)
  if (took === Infinity) {
    if (usedBy(pid) > PATIENCE_MS / 2) report('takes a whole processor and does not end')
    program.child.kill('SIGTERM')
    if ((await timeUntil(pid, hasEnded, PATIENCE_MS)) === Infinity) report('does not end after SIGTERM')
    program.child.kill('SIGKILL')
  }
  const { code, signal } = await program.ended
  if (signal !== 'SIGTERM' && (signal ?? !ENDED.has(code!))) report(`ended with ${signal ?? code}`)
  if (code === EXIT.failedVerdict) report('ended with 1 without a verdict')
  const crash = crashIn(program.written())
  if (crash !== undefined) report(`crash: ${crash}`)
  for (const each of strangeText(program.written(), 'text')) report(`unasked: ${each}`)
}

function environmentOf({ home, env }: Surroundings): NodeJS.ProcessEnv {
  return { ...minimalEnv(home), ...env }
}
