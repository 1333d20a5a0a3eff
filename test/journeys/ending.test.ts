import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { appKeys } from '../../src/components/everywhere-keys.ts'
import { tabsKeys } from '../../src/components/component-keys.ts'
import { projectsKeys } from '../../src/screens/projects/bindings.ts'
import { formKeys } from '../../src/components/form/form-keys.ts'
import { runsKeys } from '../../src/screens/runs/bindings.ts'
import { serversKeys } from '../../src/screens/servers/bindings.ts'
import type { Terminal } from '../pty/terminal.ts'
import { SHORT_LIFE } from '../pty/short-life.ts'
import { inWorkspace } from '../prepared-workspace.ts'
import { echoCase, longCase, until } from '../service/harness.ts'
import { descendantsOf, programBelow, serversOf, stillRunning } from './processes.ts'
import { usedHome } from './homes.ts'
import { PROGRAM, visit, type Visitor } from './visitor.ts'

const PTY_HOST = fileURLToPath(new URL('pty-host.ts', import.meta.url))
const RUN = [process.execPath, ...SHORT_LIFE, PROGRAM].map(word => `'${word}'`).join(' ')
const RESTORED = {
  buffer: 'normal',
  cursorVisible: true,
  bracketedPaste: false,
  focusReports: false,
  mouse: 'none',
  wraparound: true,
}

/** Returns the terminal settings that a program left behind. */
function leftBehind({ buffer, cursorVisible, modes }: Terminal) {
  return {
    buffer,
    cursorVisible,
    bracketedPaste: modes.bracketedPasteMode,
    focusReports: modes.sendFocusMode,
    mouse: modes.mouseTrackingMode,
    wraparound: modes.wraparoundMode,
  }
}

/**
 * Lets the dashboard start the reference server twice: the process for the doctor ends with the doctor, the process for
 * the listings stays for a while.
 */
async function examine(person: Visitor): Promise<void> {
  await person.see('▌Sandbox')
  person.press(projectsKeys.bindings.open)
  await person.see('▌everything')
  person.press(serversKeys.bindings.doctor)
  await person.see(/✓ ready\s/)
  person.press(tabsKeys.bindings.next)
  await person.see('get-sum')
}

async function launch(person: Visitor): Promise<void> {
  person.press(runsKeys.bindings.launch)
  await person.see('As configured')
  person.press(formKeys.bindings.choose)
  await person.see(/▌ Launch \d+ trials/)
  person.press(formKeys.bindings.choose)
}

async function untilGone(pids: readonly number[]): Promise<void> {
  await until(
    () => stillRunning(pids),
    left => left.length === 0,
  )
}

/** Every process in the terminal below its shell, including servers and their guardian. */
function everythingIn({ pid }: Terminal): number[] {
  expect(serversOf(programBelow(pid)).length).toBeGreaterThan(0)
  return descendantsOf(pid).map(each => each.pid)
}

describe.concurrent('the terminal is restored and no process is left', () => {
  test.each<[string, number, (person: Visitor) => void]>([
    ['Ctrl+C', 130, person => person.press(appKeys.bindings.interrupt)],
    ['SIGTERM', 143, ({ terminal }) => process.kill(programBelow(terminal.pid), 'SIGTERM')],
  ])('after %s', async (_, code, leave) => {
    const script = `echo before; ${RUN}; echo "code $?"; stty -a | tr ';' '\\n' | grep -wE -e '-?(icanon|echo)'; exec sleep 60`
    await using person = visit({ command: 'sh', args: ['-c', script] })
    await examine(person)
    expect(person.terminal.buffer).toBe('alternate')
    const processes = everythingIn(person.terminal)
    leave(person)
    await person.see(/^before\ncode \d+\n[^]*icanon/)
    expect(person.terminal.screen()).toContain(`before\ncode ${code}\n`)
    expect(person.terminal.screen()).not.toMatch(/-icanon|-echo\b/)
    expect(leftBehind(person.terminal)).toEqual(RESTORED)
    await untilGone(processes)
  })

  test('after Ctrl+Z, until fg resumes it, and after q', { tags: ['bash'] }, async () => {
    await using person = visit({ command: 'bash', args: ['--norc', '--noediting', '-i'], env: { PS1: 'prompt> ' } })
    await person.see('prompt>')
    person.type(`${RUN}\r`)
    await examine(person)
    person.press(appKeys.bindings.suspend)
    await person.see(/Stopped[^]*prompt>$/m)
    expect(person.terminal.screen()).toMatch(/^prompt> /)
    expect(leftBehind(person.terminal)).toEqual(RESTORED)
    person.type('fg\r')
    await person.see(/✓ ready\s/)
    expect(leftBehind(person.terminal)).toMatchObject({ buffer: 'alternate', cursorVisible: false })
    const processes = everythingIn(person.terminal)
    person.press(appKeys.bindings.quit)
    await person.see(/fg\n[^]*prompt>$/m)
    expect(leftBehind(person.terminal)).toEqual(RESTORED)
    person.type('echo "code $?"\r')
    await person.see(/^code 0$/m)
    await untilGone(processes)
  })

  test('after the terminal itself has closed', async ending => {
    const host = spawn(process.execPath, [PTY_HOST, usedHome(ending)], { stdio: ['ignore', 'pipe', 'inherit'] })
    ending.onTestFinished(() => void host.kill('SIGKILL'))
    const [line] = (await once(host.stdout, 'data')) as [Buffer]
    const processes = JSON.parse(String(line)) as number[]
    ending.onTestFinished(() => stillRunning(processes).forEach(({ pid }) => process.kill(pid, 'SIGKILL')))
    expect(processes.length).toBeGreaterThan(1)
    host.kill('SIGKILL')
    await untilGone(processes)
  })
})

test.concurrent(
  'a run whose dashboard was killed is settled at the next start, and a new one works',
  { timeout: 300_000 },
  async ending => {
    const home = usedHome(ending)
    const place = await inWorkspace(home, async ({ client, projectId }) => {
      const [server] = (await client.servers.list({ projectId })).items
      // The second case is still running when the dashboard is killed, however late that is.
      const tests = [echoCase('quick', 'hello', 'bye'), longCase('slow', 100)]
      const body = { name: 'Lasting', model: 'none', serverIds: [server!.id], tests }
      const { suiteId } = await client.suites.create({ projectId, body })
      return `projects/${projectId}/runs?suiteId=${suiteId}&pane=runs`
    })
    await using first = visit({ home, args: [place] })
    await first.see('▌Runs 0 of 0')
    await launch(first)
    await first.see(/✗ failed +quick[^]*● running +slow/)
    // Nothing else is started while its processes are searched for.
    first.terminal.kill('SIGSTOP')
    const processes = [first.terminal.pid, ...descendantsOf(first.terminal.pid).map(each => each.pid)]
    expect(serversOf(first.terminal.pid)).not.toEqual([])
    first.terminal.kill('SIGKILL')
    await untilGone(processes)

    await using second = visit({ home, args: [place] })
    await second.see('▌Runs 1 of 1')
    await second.see(/#1 .*✗ failed/)
    second.press(runsKeys.bindings.open)
    await second.see('▌Run #1')
    await second.see(/Status +completed/)
    await second.see(/environment: 1 trial[^]*The process that ran/)
    expect(second.terminal.screen()).not.toContain('running')

    second.go(2)
    await second.see('▌Sandbox')
    second.press(projectsKeys.bindings.runs)
    await second.see('▌Reference server smoke')
    await launch(second)
    await second.see(/✗ failed +Sum is wrong[^]*✓ passed +Long operation/)
  },
)
