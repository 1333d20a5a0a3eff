import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { paletteFor } from '../../src/tui/theme/palettes.ts'
import { createTheme } from '../../src/tui/theme/theme.ts'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { appKeys } from '../../src/components/everywhere-keys.ts'
import { helpKeys } from '../../src/app/shell/app-keys.ts'
import { tabsKeys } from '../../src/components/component-keys.ts'
import { listKeys } from '../../src/components/list/list-keys.ts'
import { projectsKeys } from '../../src/screens/projects/bindings.ts'
import { formKeys } from '../../src/components/form/form-keys.ts'
import { runsKeys } from '../../src/screens/runs/bindings.ts'
import { serversKeys } from '../../src/screens/servers/bindings.ts'
import { createUsedHome, minimalEnv, removeHome } from '../pty/home.ts'
import type { Terminal } from '../pty/terminal.ts'
import { until } from '../service/harness.ts'
import { PROGRAM, visit, type Visitor } from './visitor.ts'

const ASK_BACKGROUND = '\u001B]11;?'
const WHITE = '\u001B]11;rgb:ffff/ffff/ffff\u001B\\'

async function openTools(person: Visitor): Promise<void> {
  await person.see('▌Sandbox')
  person.press(projectsKeys.bindings.open)
  await person.see('▌everything')
  person.press(serversKeys.bindings.open)
  await person.see('▌everything ─')
  person.press(tabsKeys.bindings.next)
  person.press(tabsKeys.bindings.next)
  await person.see(/\[Tools\][^]*▌echo/)
}

async function leave(person: Visitor): Promise<void> {
  person.press(appKeys.bindings.quit)
  expect(await person.terminal.waitForExit()).toEqual({ code: 0, signal: undefined })
  expect(person.terminal.buffer).toBe('normal')
  expect(person.terminal.modes.mouseTrackingMode).toBe('none')
}

/** Position of a text on the screen. */
function placeOf(terminal: Terminal, text: string): [row: number, column: number] {
  const lines = terminal.screen().split('\n')
  const row = lines.findIndex(line => line.includes(text))
  if (row === -1) throw new Error(`nothing shows ${text}:\n${terminal.screen()}`)
  return [row, lines[row]!.indexOf(text)]
}

/** Resident memory of a process in megabytes. */
function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
}

/** Resolves once a process has used no processor for a while: user and system time, fields 14 and 15 of proc(5). */
async function standsStill(pid: number): Promise<void> {
  let last = ''
  let same = 0
  await until(
    () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ').slice(13, 15).join(' '),
    time => {
      same = time === last ? same + 1 : 0
      last = time
      return same >= 10
    },
  )
}

/** How colours were requested: by number, from a palette of 256, or by channels. */
function coloursIn(output: string): Set<string> {
  const parameters = [...output.matchAll(/\u001B\[([\d;]*)m/g)].map(([, text]) => text!)
  const kindOf = (text: string): string =>
    /[34]8;2;/.test(text)
      ? 'true'
      : /[34]8;5;/.test(text)
        ? '256'
        : /(?:^|;)(?:[349]|10)[0-7](?:;|$)/.test(text)
          ? '16'
          : ''
  return new Set(parameters.map(kindOf).filter(kind => kind !== ''))
}

describe.concurrent('the dashboard in terminals of many kinds', () => {
  test.each([
    ['linux', {}, ['16']],
    ['xterm-256color', { MCPDECK_THEME: 'light' }, ['256']],
    ['xterm-256color', { MCPDECK_THEME: 'light', COLORTERM: 'truecolor' }, ['true']],
    ['vt100', { NO_COLOR: '1', LANG: 'C' }, []],
  ] as const)('shows everything with TERM=%s %j and requests no other colors', async (term, env, colours) => {
    await using person = visit({ env: { TERM: term, ...env }, cols: 120, rows: 30 })
    await person.see(/[▌>]Sandbox/)
    person.press(projectsKeys.bindings.open)
    await person.see(/[▌>]everything/)
    person.press(listKeys.bindings.filter)
    person.type('every')
    await person.see('/every')
    expect([...coloursIn(person.terminal.output)]).toEqual([...colours])
    const asks = colours.length > 0 && term !== 'linux'
    expect(person.terminal.output.includes(ASK_BACKGROUND)).toBe(asks)
    person.terminal.press('escape')
    await person.see('d doctor')
    await leave(person)
  })

  let usual = 0
  beforeAll(async () => {
    await using person = visit({ cols: 120, rows: 40 })
    await person.see('▌Sandbox')
    await standsStill(person.terminal.pid)
    usual = memoryOf(person.terminal.pid)
    await leave(person)
  })

  test.each([
    [65_535, 65_535],
    [0, 0],
  ])('works if the terminal claims to have %d columns and %d rows', async (cols, rows) => {
    const start = `stty cols ${cols} rows ${rows}; exec "$0" "$@"`
    await using person = visit({ command: 'sh', args: ['-c', start, process.execPath, PROGRAM], cols: 120, rows: 40 })
    const { terminal } = person
    // The frame depends on the size.
    await terminal.waitFor(() => terminal.buffer === 'alternate')
    const { pid } = terminal
    await standsStill(pid)
    expect(memoryOf(pid)).toBeLessThan(3 * usual)
    person.press(appKeys.bindings.interrupt)
    expect(await terminal.waitForExit()).toEqual({ code: 130, signal: undefined })
  })

  test('says what to do in a dumb terminal, and prints plain lines on request', async () => {
    await using refused = visit({ env: { TERM: 'dumb' } })
    expect(await refused.terminal.waitForExit()).toEqual({ code: 2, signal: undefined })
    expect(refused.terminal.words()).toContain('pass --screen-reader for plain lines')
    await using person = visit({ env: { TERM: 'dumb', MCPDECK_SCREEN_READER: '1' } })
    await person.see('> Sandbox')
    // The message is shown in full, whatever the width of the terminal.
    await person.see(() => /^Description  A place to try things: .*\.\r$/m.test(person.terminal.output))
    person.press(projectsKeys.bindings.open)
    await person.see(/^> everything/m)
    person.press(appKeys.bindings.help)
    await person.see('What works here')
    person.press(helpKeys.bindings.close, '?')
    // The help is now longer than the screen.
    await person.see(() => /What works here[^]*> Servers[^]*> everything/.test(person.terminal.output))
    person.press(appKeys.bindings.quit)
    expect(await person.terminal.waitForExit()).toEqual({ code: 0, signal: undefined })
    expect(person.terminal.output).not.toMatch(/\u001B|[╭╮╰╯┬┴├┤│─▌█░━╸╺]/)
  })

  test('a light background is noticed however late it is reported; --no-mouse disables the mouse', async () => {
    await using person = visit({ args: ['--no-mouse'], cols: 120, rows: 30 })
    await person.see('▌Sandbox')
    expect(person.terminal.modes.mouseTrackingMode).toBe('none')
    const light = createTheme({ level: 2, ascii: false, palette: paletteFor('light', 'light') }).paint('muted', 'x')
    const [begins = ''] = light.split('x')
    expect(person.terminal.output).not.toContain(begins)
    person.terminal.type(WHITE)
    await person.see(() => person.terminal.output.includes(begins))
    expect(person.terminal.screen()).toContain('▌Sandbox')
    await leave(person)
  })
})

test.concurrent('a click selects, a double click opens, the wheel scrolls, and M disables the mouse', async () => {
  await using person = visit({ cols: 120, rows: 24 })
  const { terminal } = person
  await openTools(person)
  expect(terminal.modes.mouseTrackingMode).toBe('vt200')
  terminal.click(...placeOf(terminal, 'get-env'))
  await person.see('▌get-env')
  const [row, column] = placeOf(terminal, '▌get-env')
  terminal.type(`\u001B[<65;${column + 3};${row + 1}M`.repeat(20))
  await person.see(/▌toggle-subscriber[^]*simulate-research/)
  terminal.click(...placeOf(terminal, '2 Projects'))
  await person.see('▌Sandbox')
  const [sandbox, at] = placeOf(terminal, '▌Sandbox')
  terminal.click(sandbox, at)
  terminal.click(sandbox, at)
  await person.see('▌everything')
  person.press(appKeys.bindings.mouse)
  await person.see('The mouse is off')
  expect(terminal.modes.mouseTrackingMode).toBe('none')
  person.press(appKeys.bindings.mouse)
  await person.see('The mouse is on')
  expect(terminal.modes.mouseTrackingMode).toBe('vt200')
  await leave(person)
})

test.concurrent('the window title shows the run, and the bell rings at its end if wanted', async () => {
  await using person = visit({ env: { MCPDECK_NOTIFY: 'bell' }, cols: 120, rows: 40 })
  const titles = (): string[] =>
    [...person.terminal.output.matchAll(/\u001B\]2;([^\u001B]*)/g)].map(([, text]) => text!)
  await person.see('▌Sandbox')
  await person.see(() => titles().includes('Projects › Sandbox · mcpdeck'))
  person.go(4)
  await person.see('▌Reference server smoke')
  person.press(runsKeys.bindings.launch)
  await person.see('As configured')
  person.press(formKeys.bindings.choose)
  await person.see(/▌ Launch \d+ trials/)
  expect(person.terminal.output).not.toContain('\u0007')
  person.press(formKeys.bindings.choose)
  await person.see(() => titles().some(title => /^● \d+\/15 /.test(title)))
  await person.see(() => titles().at(-1)?.startsWith('✗ failed ') === true)
  await person.see(() => person.terminal.output.includes('\u0007'))
  await leave(person)
  expect(person.terminal.output.match(/\u0007/g)).toHaveLength(1)
  expect(person.terminal.output).toContain('\u001B[23;0t')
})

test.concurrent('200 keys at once all count, and 100 KB pasted are text only for a field', async () => {
  await using person = visit({ cols: 120, rows: 24 })
  await openTools(person)
  person.type(`${'j'.repeat(100)}${'k'.repeat(97)}Gkk${'g'.repeat(10)}j`)
  await person.see('▌get-annotated')
  person.terminal.paste('q\n'.repeat(50_000))
  person.press(appKeys.bindings.palette)
  await person.see('Palette')
  person.terminal.paste('x'.repeat(100_000))
  await person.see('Nothing fits.')
  person.terminal.press('ctrl+u')
  await person.see('Go to Servers')
  person.type('go serv')
  await person.see('▌Go to Servers')
  person.terminal.press('escape')
  await person.seeGone('Palette')
  expect(person.terminal.screen()).toContain('▌get-annotated')
  await leave(person)
})

test('in a real tmux the title, resizing and mouse work, and the shell is restored', { tags: ['tmux'] }, async () => {
  const home = createUsedHome()
  const socket = `mcpdeck-${randomBytes(6).toString('hex')}`
  // The socket of tmux must not be in a folder that other users can use, and tmux does not start with a simulated
  // clock.
  const { LD_PRELOAD: _, ...own } = minimalEnv(home)
  const env = { ...own, TMUX_TMPDIR: home }
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], { env, encoding: 'utf8' })
  onTestFinished(() => {
    spawnSync('tmux', ['-L', socket, 'kill-server'], { env })
    removeHome(home)
  })
  const screen = (): string => tmux('capture-pane', '-p')
  const see = (wanted: RegExp): Promise<unknown> => until(screen, text => wanted.test(text))
  tmux('new-session', '-d', '-x', '120', '-y', '30', 'sh')
  tmux('set', '-g', 'mouse', 'on')
  tmux('send-keys', `echo before; '${process.execPath}' '${PROGRAM}'; echo "ended $?"`, 'Enter')
  await see(/▌Sandbox/)
  await until(
    () => tmux('display', '-p', '#{pane_title}'),
    title => title.includes('Projects › Sandbox · mcpdeck'),
  )
  expect(tmux('display', '-p', '#{mouse_standard_flag}#{alternate_on}').trim()).toBe('11')
  tmux('resize-window', '-x', '80', '-y', '24')
  await until(screen, text => text.split('\n')[2]?.length === 80)
  tmux('send-keys', '-H', ...Buffer.from('\u001B[<0;4;2M').toString('hex').match(/../g)!)
  tmux('send-keys', '-l', '3')
  await see(/▌everything/)
  tmux('resize-window', '-x', '200', '-y', '50')
  await until(screen, text => text.split('\n')[2]?.length === 200)
  tmux('send-keys', '-l', 'q')
  await see(/before[^]*ended 0/)
  // Rows of a resized alternate screen must not come from tmux's history.
  expect(screen()).not.toContain('│')
  expect(tmux('display', '-p', '#{mouse_standard_flag}#{alternate_on}').trim()).toBe('00')
})
