import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { commandLineOf } from '../command-line-of.ts'
import { openStage } from '../cli/stage.ts'
import { SHORT_LIFE } from '../pty/short-life.ts'
import { type Ending, withRunningTest } from '../service/harness.ts'
import { usedHome } from './homes.ts'
import { descendantsOf, programBelow } from './processes.ts'
import { PROGRAM, visit } from './visitor.ts'
import { PATIENCE } from '../patience.ts'

const HOST = fileURLToPath(new URL('lost-terminal-host.ts', import.meta.url))

/**
 * Signals that the program handles itself, all with the same code. The dashboard ends on each; programs that are
 * started otherwise end on some.
 */
const SIGNALS: Record<string, readonly NodeJS.Signals[]> = {
  dashboard: ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGABRT', 'SIGALRM', 'SIGUSR2', 'SIGXCPU', 'SIGXFSZ'],
  'dashboard with options': ['SIGTERM'],
  watch: ['SIGINT', 'SIGXCPU'],
  run: ['SIGTERM', 'SIGALRM'],
  serve: ['SIGINT', 'SIGTERM', 'SIGHUP'],
}

type Command = {
  args: string[]
  /** Text on its screen once it is running. */
  underWay: string
  /** The message of the command when a signal ends it. */
  says?: string
  /** Signals that end it normally. */
  ordinary?: readonly string[]
  /** Lets it end by itself. */
  end?: () => void
  home: string
  env: Record<string, string>
}

const commands: Record<string, (ending: Ending) => Promise<Command>> = {
  async dashboard(ending) {
    return { args: [], underWay: '▌Sandbox', home: usedHome(ending), env: {} }
  },
  // Options start the dashboard by a different path.
  async 'dashboard with options'(ending) {
    const home = usedHome(ending)
    return { args: ['--log-file', join(home, 'log')], underWay: '▌Sandbox', home, env: {} }
  },
  async watch(ending) {
    const { home, service } = await openStage(ending)
    service.put('r1', { status: 'running' })
    const end = () => service.put('r1', { status: 'completed', result: 'passed' })
    return { ...followed, args: ['watch', 'r1'], home: home.home, env: service.env, end }
  },
  async run(ending) {
    const { home, service } = await openStage(ending)
    service.suites = [{ id: 's1', name: 'Smoke', environment: { servers: ['everything'] } }]
    service.answers['GET /projects/p1/eval-suites/s1/cases'] = () => ({
      body: { items: [{ id: 'c1', title: 'One', steps: [] }] },
    })
    service.answers['POST /projects/p1/eval-runs'] = () => {
      service.put('r1', { status: 'running' })
      return { status: 202, body: { runId: 'r1', suiteId: 's1', status: 'pending' } }
    }
    const end = () => service.put('r1', { status: 'completed', result: 'passed' })
    return { ...followed, args: ['run', 'Smoke', '--yes', '--watch'], home: home.home, env: service.env, end }
  },
  async serve(ending) {
    const ordinary = ['SIGINT', 'SIGTERM']
    return { args: ['serve', '--port', '0'], underWay: 'Stop with Ctrl+C.', ordinary, home: usedHome(ending), env: {} }
  },
}

const followed = { underWay: 'running, 2 of 2 trials', says: 'Interrupted; the run continues.' }

const line = (args: readonly string[]) => commandLineOf(process.execPath, ...SHORT_LIFE, PROGRAM, ...args)

describe.each(Object.entries(commands))('%s', (name, prepare) => {
  test.each(SIGNALS[name]!)('ends on %s with its exit code, and restores the terminal', async signal => {
    const { args, underWay, says = '', ordinary = [], home, env } = await prepare(withRunningTest)
    const script = `${line(args)}; echo "code $?"; stty -a | tr ';' '\\n' | grep -wE -e '-?(icanon|echo)'; exec sleep 60`
    await using person = visit({ command: 'sh', args: ['-c', script], home, env })
    await person.see(underWay)
    const program = programBelow(person.terminal.pid)
    const below = descendantsOf(program)
    process.kill(program, signal)
    await person.see(/^code \d+\n[^]*icanon/m)
    const code = ordinary.includes(signal) ? 0 : 128 + constants.signals[signal]
    const screen = person.terminal.screen()
    expect(screen).toMatch(new RegExp(`^code ${code}$`, 'm'))
    expect(screen).toContain(says)
    expect(screen).not.toMatch(/-icanon|-echo\b/)
    expect(person.terminal).toMatchObject({ buffer: 'normal', cursorVisible: true })
    expect(person.terminal.modes).toMatchObject({
      bracketedPasteMode: false,
      sendFocusMode: false,
      mouseTrackingMode: 'none',
    })
    for (const { pid } of below) await vi.waitFor(() => expect(isGone(pid)).toBe(true), PATIENCE)
  })

  const lost: Record<string, (command: string) => string> = {
    // Only the shell gets the signal, and passes it on, as shells do.
    'with a hang-up': command => `trap 'kill -HUP $pid' HUP; exec 3<&0; ${command} <&3 & pid=$!; wait $pid; wait $pid`,
    // Without a controlling terminal the program only sees streams that fail.
    'without a hang-up': command => `trap '' HUP; setsid -w ${command}`,
  }
  const cases = Object.entries(lost).filter(([how]) => name !== 'serve' || how === 'with a hang-up')
  test.each(cases)('ends when the terminal has closed %s', { tags: ['setsid'] }, async (how, started) => {
    const { args, underWay, home, env, end } = await prepare(withRunningTest)
    const file = join(home, 'code')
    const script = `${started(`${line(args)} 2>'${home}/errors'`)}; echo "code $?" >'${file}.part'; mv '${file}.part' '${file}'`
    const steps = JSON.stringify([{ see: underWay, type: '' }])
    const host = spawn(process.execPath, [HOST, script, home, JSON.stringify(env), steps], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void host.kill('SIGKILL'))
    await once(host.stdout, 'data')
    host.kill('SIGKILL')
    // A program that prints nothing does not notice that the terminal has closed, and ends by itself.
    if (how === 'without a hang-up') end?.()
    await vi.waitFor(() => expect(existsSync(file)).toBe(true), PATIENCE)
    const ownEnd = how === 'without a hang-up' && end !== undefined
    expect(readFileSync(file, 'utf8')).toBe(`code ${ownEnd ? 0 : 129}\n`)
    expect(readFileSync(join(home, 'errors'), 'utf8')).not.toContain('error in the program')
  })
})

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}
