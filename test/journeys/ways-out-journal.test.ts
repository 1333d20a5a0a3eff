import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { commandLineOf } from '../command-line-of.ts'
import type { OpenWrite } from '../../src/api/client/read-back/open-write.ts'
import { runsKeys } from '../../src/screens/runs/bindings.ts'
import { openHome } from '../cli/program.ts'
import { startProxy } from '../journal/processes.ts'
import { SHORT_LIFE } from '../pty/short-life.ts'
import { newHome } from './homes.ts'
import type { Step } from './lost-terminal-host.ts'
import type { Ending } from '../service/harness.ts'
import { programBelow } from './processes.ts'
import { startServing, type Serving } from './serving.ts'
import { PROGRAM, visit } from './visitor.ts'
import { PATIENCE } from '../patience.ts'

const HOST = fileURLToPath(new URL('lost-terminal-host.ts', import.meta.url))
const SUITE = 'Reference server smoke'

/** One of the signals that end the program, which all lead to the same code; `ways-out.test.ts` tests each of them. */
const SIGNALS = { dashboard: ['SIGABRT'], run: ['SIGTERM'] } as const

type Command = { args: readonly string[]; steps: readonly Step[] }

const commands: Record<keyof typeof SIGNALS, Command> = {
  dashboard: {
    args: [],
    steps: [
      { see: '▌Sandbox', type: '' },
      { see: 'Swarms and scenarios', type: '\x1b\r' },
      { see: `▌${SUITE}`, type: runsKeys.bindings.launch.keys[0]! },
      { see: '▌ As configured', type: '\r' },
      { see: '▌ Launch 15 trials', type: '\r' },
    ],
  },
  run: { args: ['run', SUITE, '--yes', '--watch'], steps: [] },
}

const NAMES = Object.keys(commands) as (keyof typeof SIGNALS)[]

const ends: (() => unknown)[] = []
let serving: Serving

beforeAll(async () => {
  const ending = { onTestFinished: (end: () => unknown) => void ends.unshift(end) } as Ending
  // All tests of this file share one key: at the usual rate they would wait for each other's requests.
  serving = await startServing(newHome(ending), { args: ['--rate-limit', '0', '--max-runs', '1000'] }, ending)
})

afterAll(async () => {
  for (const end of ends) await end()
})

/** A home whose program reaches the service through a separate proxy. */
async function openPlace(ending: Ending) {
  const home = await openHome()
  ending.onTestFinished(() => home.close())
  const proxy = await startProxy(serving.baseUrl)
  ending.onTestFinished(() => proxy.close())
  const env = { ...serving.env, MCPDECK_BASE_URL: proxy.baseUrl }
  /** The entry that the program recorded in the file, before it is read back. */
  const noted = () => {
    const database = new DatabaseSync(join(home.home, '.local/state/mcpdeck/journal.sqlite'), { readOnly: true })
    const rows = database.prepare('SELECT operation, outcome, open FROM entries ORDER BY id').all()
    database.close()
    return rows.map(row => ({ ...row }))
  }
  const listed = async () => {
    const { stdout, stderr } = await home.run(['journal', '--json'], { env })
    expect(stdout, stderr).not.toBe('')
    return (JSON.parse(stdout) as { items: OpenWrite[] }).items
  }
  return { home: home.home, proxy, env, ending, noted, listed }
}

type At = Awaited<ReturnType<typeof openPlace>>

const line = (args: readonly string[]) => commandLineOf(process.execPath, ...SHORT_LIFE, PROGRAM, ...args)

/** A write with an unknown outcome, and the message once it was read back. */
const IN_DOUBT = [{ operation: 'createEvalRun', open: 1 }]
const TOO_LATE = [{ operation: 'createEvalRun', outcome: 'unknown', open: 1 }]
const ANSWERED = [{ operation: 'createEvalRun', outcome: 'succeeded', open: 0 }]
const OFFERED = [
  {
    operation: 'createEvalRun',
    target: SUITE,
    sent: true,
    readBack: { finding: 'cannot-be-known' },
    choices: ['send', 'dismiss'],
  },
]

/** Takes the steps up to the write, and sends the signal while a part of its exchange is held back. */
async function endWith(
  signal: NodeJS.Signals,
  { args, steps }: Command,
  { home, proxy, env }: At,
  held: 'request' | 'answer',
): Promise<void> {
  const keeping = proxy.hold(held)
  const script = `${line(args)}; echo "code $?"; exec sleep 60`
  await using person = visit({ command: 'sh', args: ['-c', script], home, env })
  for (const { see, type } of steps) {
    await person.see(see)
    person.type(type)
  }
  const goOn = await keeping
  process.kill(programBelow(person.terminal.pid), signal)
  if (held === 'answer') goOn()
  await person.see(new RegExp(`^code ${128 + constants.signals[signal]}$`, 'm'))
  proxy.letThrough()
}

/**
 * Ends the terminal while the write is held back. `ended` resolves with the shell's report of how the program ended.
 */
async function endTerminal(
  started: (command: string) => string,
  { args, steps }: Command,
  { home, proxy, env, ending }: At,
) {
  const keeping = proxy.hold('request')
  const file = join(home, 'code')
  const script = `${started(line(args))}; echo "code $?" >'${file}.part'; mv '${file}.part' '${file}'`
  const host = spawn(process.execPath, [HOST, script, home, JSON.stringify(env), JSON.stringify(steps)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  ending.onTestFinished(() => void host.kill('SIGKILL'))
  const [goOn] = await Promise.all([keeping, once(host.stdout, 'data')])
  host.kill('SIGKILL')
  const ended = async () => {
    await vi.waitFor(() => expect(existsSync(file)).toBe(true), PATIENCE)
    proxy.letThrough()
    return readFileSync(file, 'utf8')
  }
  return { goOn, ended }
}

/** Only the shell gets the signal, and passes it on, as shells do. */
const withHangUp = (command: string): string =>
  `trap 'kill -HUP $pid' HUP; exec 3<&0; ${command} <&3 & pid=$!; wait $pid; wait $pid`
/** Without a controlling terminal the program only sees streams that fail. */
const withoutHangUp = (command: string): string => `trap '' HUP; setsid -w ${command}`

// A run that started meanwhile would be mistaken for one in doubt. So writes without a run come first, and wait
// concurrently.
describe.concurrent('a write without an answer stays open with its target', () => {
  describe.each(NAMES)('in %s', name => {
    const command = commands[name]
    test.for(SIGNALS[name])('if %s ends the program', async (signal, ending) => {
      const place = await openPlace(ending)
      await endWith(signal, command, place, 'request')
      expect(place.noted()).toMatchObject(IN_DOUBT)
      expect(await place.listed()).toMatchObject(OFFERED)
    })

    const lost = { 'with a hang-up': withHangUp, ...(name === 'dashboard' && { 'without one': withoutHangUp }) }
    test.for(Object.entries(lost))(
      'if the terminal has closed %s',
      { tags: ['setsid'] },
      async ([, started], ending) => {
        const place = await openPlace(ending)
        const { ended } = await endTerminal(started, command, place)
        expect(await ended()).toBe('code 129\n')
        expect(place.noted()).toMatchObject(IN_DOUBT)
        expect(await place.listed()).toMatchObject(OFFERED)
      },
    )
  })
})

describe('an answer that arrives while the program ends settles a write', () => {
  test.for(NAMES)('in %s, or leaves it open if the answer came too late', async (name, ending) => {
    const place = await openPlace(ending)
    await endWith('SIGHUP', commands[name], place, 'answer')
    expect([ANSWERED, TOO_LATE]).toContainEqual(place.noted())
  })

  test('in run, which notices a closed terminal only when it prints something', { tags: ['setsid'] }, async ending => {
    const place = await openPlace(ending)
    const { goOn, ended } = await endTerminal(withoutHangUp, commands.run, place)
    goOn()
    await ended()
    expect(place.noted()).toEqual(ANSWERED)
    expect(await place.listed()).toEqual([])
  })
})
