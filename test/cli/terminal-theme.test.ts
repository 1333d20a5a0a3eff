import { expect, test } from 'vitest'
import { createTerminalTheme } from '../../src/cli/dashboard/terminal-theme.ts'
import { resolveTtyConventions, type TtyConventions } from '../../src/cli/dashboard/tty-conventions.ts'

const PREFERRED: TtyConventions = { theme: 'auto', mouse: true, notify: 'off', screenReader: false }
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

test('the terminal’s answer changes the colours, and only when it says something new', () => {
  const auto = look()
  const dark = auto.theme
  expect(auto.asksBackground).toBe(true)
  expect(auto.reply(BLACK)).toBe(false)
  expect(auto.reply('\x1b[?2026;2$y')).toBe(false)
  expect(auto.theme).toBe(dark)
  expect(auto.reply(WHITE)).toBe(true)
  expect(auto.theme.paint('warn', 'x')).toBe(look({ theme: 'light' }).theme.paint('warn', 'x'))
  expect(auto.reply(BLACK)).toBe(true)
  expect(auto.theme.paint('warn', 'x')).toBe(dark.paint('warn', 'x'))
})

test('before the answer the environment counts', () => {
  const light = look({ theme: 'light' }).theme.paint('accent', 'x')
  expect(look({}, { COLORFGBG: '0;15' }).theme.paint('accent', 'x')).toBe(light)
  expect(look({}, { COLORFGBG: '15;0' }).theme.paint('accent', 'x')).not.toBe(light)
})

test('high contrast follows the background too, a named theme asks nothing', () => {
  const contrast = look({ theme: 'high-contrast' })
  const before = contrast.theme.paint('warn', 'x')
  expect(contrast.asksBackground).toBe(true)
  expect(contrast.reply(WHITE)).toBe(true)
  expect(contrast.theme.paint('warn', 'x')).not.toBe(before)
  const dark = look({ theme: 'dark' })
  expect(dark.asksBackground).toBe(false)
  expect(dark.reply(WHITE)).toBe(false)
})

test('where there are no colours, or only the console, nothing is asked', () => {
  expect(look({}, {}, 0).asksBackground).toBe(false)
  expect(look({}, { TERM: 'linux' }, 16).asksBackground).toBe(false)
  expect(look({ screenReader: true }).asksBackground).toBe(false)
})

test('for reading aloud nothing is coloured or drawn', () => {
  const { theme } = look({ screenReader: true })
  expect(theme.paint('error', 'x')).toBe('x')
  expect([...theme.symbols.lines.corners, theme.symbols.lines.horizontal, ...theme.symbols.bar].join('').trim()).toBe(
    '',
  )
})

test('an option goes before the environment, that before the config file', () => {
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
    '--theme is one of auto, dark, light, high-contrast, not "pink".',
  )
  expect(() => resolveTtyConventions({}, { MCPDECK_NOTIFY: 'loud' }, PREFERRED)).toThrow('MCPDECK_NOTIFY is one of')
})
