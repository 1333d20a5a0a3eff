import { expect, test } from 'vitest'
import { abilitiesOf } from './abilities.ts'

test.each([
  [{ TERM: 'xterm-256color' }, 256],
  [{ TERM: 'xterm' }, 16],
  [{ TERM: 'linux' }, 16],
  [{ TERM: 'tmux-256color', COLORTERM: 'truecolor' }, 'true'],
  [{ TERM: 'xterm-kitty' }, 'true'],
  [{ TERM: 'xterm-direct' }, 'true'],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal' }, 256],
  [{ TERM: 'unheard-of' }, 0],
  [{ TERM: 'dumb' }, 0],
  [{ OS: 'Windows_NT' }, 'true'],
  [{ TERM: 'xterm-256color', NO_COLOR: '1' }, 0],
  [{ TERM: 'xterm-256color', NO_COLOR: '' }, 256],
  [{ TERM: 'xterm-256color', NO_COLOR: '1', FORCE_COLOR: '3' }, 'true'],
  [{ TERM: 'dumb', FORCE_COLOR: '1' }, 16],
  [{ TERM: 'xterm-256color', COLORTERM: 'truecolor', FORCE_COLOR: '0' }, 0],
] as const)('the environment %j has %s colors', (env, colour) => {
  expect(abilitiesOf(env, true).colour).toBe(colour)
})

test.each([
  [{ LANG: 'en_GB.UTF-8' }, true],
  [{ LANG: 'de_DE.utf8' }, true],
  [{ LANG: 'en_GB.UTF-8', LC_ALL: 'C' }, false],
  [{ LC_ALL: '', LC_CTYPE: 'C.UTF-8', LANG: 'C' }, true],
  [{}, false],
] as const)('the environment %j is Unicode: %s', (env, unicode) => {
  expect(abilitiesOf(env, true).unicode).toBe(unicode)
})

test('without a terminal, or with a dumb one, only plain lines are printed', () => {
  expect(abilitiesOf({ TERM: 'dumb' }, true).dumb).toBe(true)
  expect(abilitiesOf({}, true).dumb).toBe(true)
  expect(abilitiesOf({ TERM: 'xterm' }, false)).toMatchObject({ dumb: true, colour: 0 })
  expect(abilitiesOf({ TERM: 'xterm' }, true).dumb).toBe(false)
})

test.each([
  [{ TERM: 'xterm-256color' }, false],
  [{ TERM: 'xterm-kitty' }, true],
  [{ TERM: 'foot' }, true],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' }, true],
  [{ TERM: 'xterm-256color', VTE_VERSION: '6800' }, true],
  [{ TERM: 'xterm-256color', VTE_VERSION: '4800' }, false],
  [{ TERM: 'xterm-256color', KONSOLE_VERSION: '220400' }, true],
  [{ TERM: 'tmux-256color', TMUX: '/tmp/s', TERM_PROGRAM: 'tmux', TERM_PROGRAM_VERSION: '3.5a' }, true],
  [{ TERM: 'tmux-256color', TMUX: '/tmp/s', TERM_PROGRAM: 'tmux', TERM_PROGRAM_VERSION: '3.2' }, false],
  [{ TERM: 'screen', STY: '1.s', VTE_VERSION: '6800' }, false],
  [{ TERM: 'dumb', VTE_VERSION: '6800' }, false],
] as const)('the environment %j opens links: %s', (env, links) => {
  expect(abilitiesOf(env, true).links).toBe(links)
})
