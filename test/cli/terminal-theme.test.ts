import { expect, test } from 'vitest'
import { createTerminalTheme } from '../../src/cli/dashboard/terminal-theme.ts'
import { THEME_CHOICES } from '../../src/tui/theme/theme-choice.ts'
import { THEMES } from '../../src/tui/theme/themes.ts'
import { resolveTtyConventions, type TtyConventions } from '../../src/cli/dashboard/tty-conventions.ts'

const PREFERRED: TtyConventions = { theme: 'auto', themes: {}, mouse: true, notify: 'off', screenReader: false }
const WHITE = '\x1b]11;rgb:ffff/ffff/ffff\x1b\\'
const BLACK = '\x1b]11;rgb:0000/0000/0000\x1b\\'

function look(
  conventions: Partial<TtyConventions> = {},
  env: NodeJS.ProcessEnv = {},
  colour: 0 | 16 | 256 | 'true' = 256,
) {
  return createTerminalTheme({
    abilities: { colour, unicode: true, dumb: false, links: true },
    ascii: false,
    conventions: { ...PREFERRED, ...conventions },
    badge: undefined,
    env,
  })
}

test('the terminal’s answer changes the colors, and only if it differs', () => {
  const auto = look()
  const dark = auto.theme
  expect(auto.asksBackground).toBe(true)
  expect(auto.reply('\x1b[?2026;2$y')).toBe(false)
  expect(auto.theme).toBe(dark)
  expect(auto.reply(BLACK)).toBe(true)
  expect(auto.reply(BLACK)).toBe(false)
  expect(auto.reply(WHITE)).toBe(true)
  expect(auto.theme.paint('warn', 'x')).toBe(look({ theme: 'light' }).theme.paint('warn', 'x'))
  expect(auto.reply(BLACK)).toBe(true)
  expect(auto.theme.paint('warn', 'x')).toBe(dark.paint('warn', 'x'))
})

test('the environment decides the background until the terminal answers', () => {
  const light = look({ theme: 'light' }).theme.paint('accent', 'x')
  expect(look({}, { COLORFGBG: '0;15' }).theme.paint('accent', 'x')).toBe(light)
  expect(look({}, { COLORFGBG: '15;0' }).theme.paint('accent', 'x')).not.toBe(light)
})

test('high contrast follows the background too, and a named theme keeps its colors', () => {
  const contrast = look({ theme: 'high-contrast' })
  const before = contrast.theme.paint('warn', 'x')
  expect(contrast.asksBackground).toBe(true)
  expect(contrast.reply(WHITE)).toBe(true)
  expect(contrast.theme.paint('warn', 'x')).not.toBe(before)
  const nord = look({ theme: 'nord' })
  const accent = nord.theme.paint('accent', 'x')
  nord.reply(WHITE)
  expect(nord.theme.paint('accent', 'x')).toBe(accent)
})

test('a theme sets the background only if the terminal has reported its own, and restores it', () => {
  const terminal = look({ theme: 'nord' })
  expect(terminal.ground).toBeUndefined()
  terminal.reply(BLACK)
  expect(terminal.ground).toMatchObject({ ground: '#2e3440', text: '#d8dee9' })
  terminal.choose('auto')
  expect(terminal.ground).toBeUndefined()
  const few = look({ theme: 'nord' }, {}, 16)
  few.reply(BLACK)
  expect(few.ground).toBeUndefined()
})

test('a theme in the config file is painted in its own colors', () => {
  const mine = { ...THEMES.nord.colours, accent: '#ff8800' }
  const terminal = look({ theme: 'mine', themes: { mine } }, {}, 'true')
  expect(terminal.theme.paint('accent', 'x')).toContain('38;2;255;136;0')
  expect(terminal.choices.at(-1)).toMatchObject({ name: 'mine' })
})

test('the terminal is not queried if there are no colors, or on the console', () => {
  expect(look({}, {}, 0).asksBackground).toBe(false)
  expect(look({}, { TERM: 'linux' }, 16).asksBackground).toBe(false)
  expect(look({ screenReader: true }).asksBackground).toBe(false)
})

test('nothing is colored or drawn for screen readers', () => {
  const { theme } = look({ screenReader: true })
  expect(theme.paint('error', 'x')).toBe('x')
  expect([...theme.symbols.lines.corners, theme.symbols.lines.horizontal, ...theme.symbols.bar].join('').trim()).toBe(
    '',
  )
})

test('an option overrides the environment, which overrides the config file', () => {
  const env = { MCPDECK_THEME: 'light', MCPDECK_NOTIFY: 'bell' }
  expect(resolveTtyConventions({ theme: 'dark' }, env, PREFERRED).theme).toBe('dark')
  expect(resolveTtyConventions({}, env, { ...PREFERRED, theme: 'dark' })).toMatchObject({
    theme: 'light',
    notify: 'bell',
  })
  expect(resolveTtyConventions({}, {}, { ...PREFERRED, notify: 'desktop' }).notify).toBe('desktop')
  expect(resolveTtyConventions({ mouse: false }, {}, PREFERRED).mouse).toBe(false)
  expect(resolveTtyConventions({ mouse: true }, {}, { ...PREFERRED, mouse: false }).mouse).toBe(false)
  expect(resolveTtyConventions({}, { MCPDECK_SCREEN_READER: '1' }, PREFERRED).screenReader).toBe(true)
  expect(resolveTtyConventions({}, { INK_SCREEN_READER: 'true' }, PREFERRED).screenReader).toBe(true)
  expect(() => resolveTtyConventions({ theme: 'pink' }, {}, PREFERRED)).toThrow(
    `--theme is one of ${THEME_CHOICES.join(', ')}, not "pink".`,
  )
  expect(() => resolveTtyConventions({}, { MCPDECK_NOTIFY: 'loud' }, PREFERRED)).toThrow('MCPDECK_NOTIFY is one of')
})
