import { expect, onTestFinished, test } from 'vitest'
import { openHome } from '../cli/program.ts'
import { openTerminal, type Terminal } from '../pty/terminal.ts'

/** Opens the dashboard on the calls of the sandbox server. */
async function openCalls(home: string): Promise<Terminal> {
  const terminal = openTerminal({ home, args: ['servers'] })
  onTestFinished(() => terminal.close())
  await terminal.waitFor('everything')
  terminal.press('enter')
  terminal.type(']]]]]')
  await terminal.waitFor(/\[Calls\]/)
  return terminal
}

async function quit(terminal: Terminal): Promise<void> {
  terminal.type('q')
  expect(await terminal.waitForExit()).toMatchObject({ code: 0 })
}

test('calls outlive the program that made them: a shell command, a killed one, and the dashboard', async () => {
  const own = await openHome()
  onTestFinished(() => own.close())
  const called = await own.run(['call', 'everything', 'echo', 'message=of the shell', '--yes'])
  expect(called).toMatchObject({ code: 0, stdout: 'Echo: of the shell\n' })
  const slow = ['trigger-long-running-operation', 'duration=60', 'steps=1', '--yes']
  const killed = own.start(['call', 'everything', ...slow])
  const first = await openCalls(own.home)
  await first.waitFor(/running +call +trigger-long/)
  killed.child.kill('SIGKILL')
  await first.waitFor(/unknown +call +trigger-long/)
  first.press('end')
  first.type('R')
  await first.waitFor('With {"message":"of the shell"}')
  first.press('down', 'enter')
  await first.waitFor('As received')
  first.press('escape')
  await first.waitFor(/answered +call +echo[^]*unknown +call +trigger-long[^]*answered +call +echo/)
  await quit(first)
  const again = await openCalls(own.home)
  await again.waitFor(/answered +call +echo[^]*unknown +call +trigger-long[^]*answered +call +echo/)
  again.press('enter')
  await again.waitFor('Echo: of the shell')
  again.press('escape')
  await again.waitFor('show result')
  await quit(again)
})

test("in a form the terminal's cursor is at the caret, and pasted lines do not act as Enter", async () => {
  const own = await openHome()
  onTestFinished(() => own.close())
  const terminal = openTerminal({ home: own.home, args: ['servers'] })
  onTestFinished(() => terminal.close())
  await terminal.waitFor('everything')
  terminal.press('enter')
  terminal.type(']]')
  await terminal.waitFor(/\[Tools\][^]*echo/)
  terminal.press('enter')
  await terminal.waitFor('Call echo')
  const caret = () => {
    const rows = terminal.screen().split('\n')
    const y = rows.findIndex(row => row.includes('second'))
    return { x: rows[y]!.indexOf('second'), y }
  }
  terminal.type('first\nsecond\n')
  await terminal.waitFor('second↵')
  terminal.press('up')
  await terminal.waitFor(() => terminal.cursor.y === caret().y && terminal.cursor.x === caret().x)
  expect(terminal.cursorVisible).toBe(false)
  terminal.press('right', 'right')
  await terminal.waitFor(() => terminal.cursor.x === caret().x + 2)
  expect(terminal.words()).toContain('Call echo on everything')
  terminal.press('escape')
  await terminal.waitFor('Discard')
  terminal.press('down', 'enter')
  await terminal.waitFor('[Tools]')
  await quit(terminal)
})
