import { expect, test } from 'vitest'
import { COPY_LIMIT_BYTES, copySequence, desktopSequence, link, title } from './osc.ts'
import { announcement } from './announcement.ts'

test('text is copied with OSC 52', () => {
  expect(copySequence('grüße', { TERM: 'xterm' })).toEqual({ copied: true, sequence: '\x1b]52;c;Z3LDvMOfZQ==\x07' })
})

test('a copy in tmux goes to tmux and to the terminal outside', () => {
  expect(copySequence('hi', { TMUX: '/tmp/tmux', TERM: 'tmux-256color' })).toEqual({
    copied: true,
    sequence: '\x1b]52;c;aGk=\x07\x1bPtmux;\x1b\x1b]52;c;aGk=\x07\x1b\\',
  })
})

test('a copy in GNU screen is sent in pieces', () => {
  const result = copySequence('x'.repeat(600), { STY: '1.pts', TERM: 'screen' })
  const pieces = result.copied ? result.sequence.split('\x1b\\').slice(0, -1) : []
  expect(pieces.length).toBeGreaterThan(1)
  expect(pieces.every(piece => piece.startsWith('\x1bP') && piece.length < 300)).toBe(true)
  const base64 = Buffer.from('x'.repeat(600)).toString('base64')
  expect(pieces.map(piece => piece.slice(2)).join('')).toBe(`\x1b]52;c;${base64}\x07`)
})

test('a text that is too long or empty is refused with the reason', () => {
  expect(copySequence('x'.repeat(COPY_LIMIT_BYTES), {}).copied).toBe(true)
  expect(copySequence('x'.repeat(80_000), {})).toEqual({
    copied: false,
    reason: 'The text has 80,000 bytes; terminals take at most 74,994.',
  })
  expect(copySequence('', {})).toEqual({ copied: false, reason: 'There is nothing to copy.' })
})

test('titles, notices and links contain no control characters', () => {
  expect(title('run\x1b]52;c;AA\x07 7\n\u202e')).toBe('\x1b]2;run␛]52;c;AA␇ 7␊<202E>\x1b\\')
  expect(desktopSequence('desktop', 'done\x9d', {})).toBe('\x1b]9;done<009D>\x1b\\')
  expect(desktopSequence('desktop', 'done', { TMUX: '/tmp/tmux' })).toBe('\x1bPtmux;\x1b\x1b]9;done\x1b\x1b\\\x1b\\')
  expect(desktopSequence('osc777', 'a;b\x07', {})).toBe('\x1b]777;notify;mcpdeck;a;b␇\x1b\\')
  expect(desktopSequence('osc99', 'a\x1b\\b', {})).toBe('\x1b]99;i=mcpdeck;a␛\\b\x1b\\')
  expect(link('he\x07re', 'https://example.test/')).toBe('\x1b]8;;https://example.test/\x1b\\he␇re\x1b]8;;\x1b\\')
  expect(link('here', 'https://example.test/\x1b\\')).toBe('here')
})

test.each([
  [{ TERM: 'xterm-kitty' }, '\x1b]99;'],
  [{ TERM: 'foot' }, '\x1b]777;'],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'WezTerm' }, '\x1b]9;'],
  [{ TERM: 'xterm-256color' }, '\x07'],
  // In tmux the bell is used, whatever terminal is outside.
  [{ TERM: 'tmux-256color', TMUX: '/tmp/tmux', KITTY_WINDOW_ID: '1' }, '\x07'],
])('the setting auto announces in the way that the terminal supports: %j', (env, begins) => {
  expect(announcement('auto', 'Run #3 failed', env)).toSatisfy((text: string) => text.startsWith(begins))
  expect(announcement('off', 'Run #3 failed', env)).toBe('')
})
