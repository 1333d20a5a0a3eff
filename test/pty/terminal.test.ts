import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHome, PASSED_ON, removeHome } from './home.ts'
import { openTerminal } from './terminal.ts'

/**
 * Echoes typed text until ctrl+d. The shell waits for cat, because cat alone closes its terminal before it ends, and
 * may be ended by SIGHUP.
 */
const echo = 'cat; exit'

test('the test terminal shows what a program echoes and counts its bytes', async () => {
  await using terminal = openTerminal({ command: 'sh', args: ['-c', echo] })
  terminal.type('grüße 漢字')
  terminal.press('enter')
  await terminal.waitFor(/漢字\ngrüße 漢字/)
  expect(terminal.row(1)).toBe('grüße 漢字')
  expect(terminal.cursor).toEqual({ x: 0, y: 2 })
  expect(terminal.bytes).toBe(Buffer.byteLength(terminal.output))
  terminal.press('ctrl+d')
  expect(await terminal.waitForExit()).toEqual({ code: 0, signal: undefined })
})

test('the test terminal starts with an empty home and only the environment that every test gets', async () => {
  await using terminal = openTerminal({ command: 'sh', args: ['-c', 'env; find "$HOME" -type f; echo end'] })
  await terminal.waitFor(/^end$/m)
  const names = [...terminal.screen().matchAll(/^(\w+)=/gm)].map(match => match[1])
  const shellSets = ['PWD', 'OLDPWD', 'SHLVL', '_']
  const xdg = ['CACHE_HOME', 'CONFIG_HOME', 'DATA_HOME', 'RUNTIME_DIR', 'STATE_HOME'].map(name => `XDG_${name}`)
  const ofTheRun = PASSED_ON.filter(name => process.env[name] !== undefined)
  const own = ['HOME', 'LANG', 'MCPDECK_PORT', 'NODE_COMPILE_CACHE', 'PATH', 'TERM']
  const expected = new Set([...own, ...xdg, ...ofTheRun])
  expect(new Set(names.filter(name => !shellSets.includes(name ?? '')))).toEqual(expected)
})

test('the test terminal follows the alternate buffer, the caret and a resize', async () => {
  const script = `trap 'stty size' WINCH; printf '\\033[?1049h\\033[?25lfull\\n'; stty size; while :; do sleep 0.05; done`
  await using terminal = openTerminal({ command: 'sh', args: ['-c', script], cols: 80, rows: 24 })
  await terminal.waitFor('24 80')
  expect(terminal.buffer).toBe('alternate')
  expect(terminal.cursorVisible).toBe(false)
  terminal.resize(100, 30)
  await terminal.waitFor('30 100')
  expect([terminal.cols, terminal.rows]).toEqual([100, 30])
})

test('the test terminal answers a cursor position query as xterm does', async () => {
  const script = `stty -icanon -echo; printf 'ab\\033[6n'; dd bs=1 count=6 2>/dev/null | od -An -c`
  await using terminal = openTerminal({ command: 'sh', args: ['-c', script] })
  await terminal.waitFor(/033\s+\[\s+1\s+;\s+3\s+R/)
})

test('the test terminal marks a paste only if the program asked for it', async () => {
  await using terminal = openTerminal({ command: 'sh', args: ['-c', `printf '\\033[?2004hready\\n'; cat -v`] })
  await terminal.waitFor('ready')
  terminal.paste('a\nb')
  await terminal.waitFor('^[[200~a')
  await terminal.waitFor('b^[[201~')
})

test('the test terminal tells a crash from a signal', async () => {
  await using crash = openTerminal({ command: process.execPath, args: ['-e', 'throw new Error("boom")'] })
  expect(await crash.waitForExit()).toEqual({ code: 1, signal: undefined })
  expect(crash.screen()).toContain('Error: boom')
  await using endless = openTerminal({ command: 'cat' })
  endless.kill('SIGHUP')
  expect(await endless.waitForExit()).toEqual({ code: 0, signal: 'SIGHUP' })
})

test('a wait that cannot end shows the screen in its error', async () => {
  await using terminal = openTerminal({ command: 'sh', args: ['-c', `echo something else; ${echo}`] })
  await terminal.waitFor('something')
  await expect(terminal.waitFor('never', 50)).rejects.toThrow(
    /timed out after 50 ms waiting for never[^]*something else/,
  )
  terminal.press('ctrl+d')
  await expect(terminal.waitFor('never')).rejects.toThrow(/program ended \(code 0\)/)
})

test('a home outlives its terminal only if asked to', async () => {
  const terminal = openTerminal({ command: 'cat' })
  await terminal.close()
  expect(existsSync(terminal.home)).toBe(false)
  const home = createHome()
  writeFileSync(join(home, 'kept'), '')
  const again = openTerminal({ command: 'cat', home })
  await again.close()
  expect(readdirSync(home)).toContain('kept')
  removeHome(home)
})
