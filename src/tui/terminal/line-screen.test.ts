import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLineScreen } from './line-screen.ts'

let said = ''
class Out extends EventEmitter {
  rows = 24
  write(text: string): void {
    said += text
  }
}

beforeEach(() => {
  said = ''
  vi.useFakeTimers()
})
afterEach(() => vi.useRealTimers())

function open() {
  const out = new Out()
  const screen = createLineScreen(out, '>')
  screen.enter()
  const show = (...lines: string[]): string => {
    said = ''
    screen.stdout.write(`\x1b[2K\x1b[1A\x1b[2K\x1b[G${lines.join('\n')}`)
    vi.runAllTimers()
    return said
  }
  return { out, screen, show }
}

test('each line is announced once and unstyled, and blank lines never', () => {
  const { show } = open()
  expect(show(' Projects    2 of 2 ', '   ', '\x1b[7m> first\x1b[27m', '  second')).toBe(
    'Projects  2 of 2\r\n> first\r\nsecond\r\n',
  )
  expect(show(' Projects  2 of 2', '> first', '  second', ' Copied.')).toBe('Copied.\r\n')
  expect(show(' Projects  2 of 2', '> first', '  second')).toBe('')
})

test('the screen is wider than any line, so that nothing is cut', () => {
  const { screen, show } = open()
  const line = 'word '.repeat(100).trim()
  expect(screen.stdout.columns).toBeGreaterThan(line.length)
  expect(show(line)).toBe(`${line}\r\n`)
})

test('moving the selection announces only the selected row', () => {
  const { show } = open()
  show('> first', '  second', '  third')
  expect(show('  first', '> second', '  third')).toBe('> second\r\n')
  expect(show('> first', '  second', '  third')).toBe('> first\r\n')
  expect(show('Really?', '> Cancel', '  Launch')).toBe('Really?\r\n> Cancel\r\nLaunch\r\n')
  expect(show('Really?', '  Cancel', '> Launch')).toBe('> Launch\r\n')
})

test('when an overlay closes, the marked lines of the page are announced again', () => {
  const { show } = open()
  show('>Projects', '> first', '  second', 'j down')
  expect(show('>Projects', '> first', '  second', '>Help', 'all keys', 'Esc close')).toBe(
    '> Help\r\nall keys\r\nEsc close\r\n',
  )
  expect(show('>Projects', '> first', '  second', 'j down')).toBe('j down\r\n> Projects\r\n> first\r\n')
})

test('intermediate frames are not announced, and only text is written', () => {
  const { screen, show } = open()
  screen.stdout.write('one')
  screen.stdout.write('two')
  expect(show('three\x1b]52;c;AAAA\x07\x1b[2J')).toBe('three␛]52;c;AAAA␇␛[2J\r\n')
  expect(said).not.toMatch(/[\x00-\x09\x0b\x0c\x0e-\x1f]/)
})

test('all lines are announced again on request, and none after leaving', () => {
  const { screen, show } = open()
  show('a', 'b')
  said = ''
  screen.redraw()
  expect(said).toBe('a\r\nb\r\n')
  screen.leave()
  expect(show('c')).toBe('')
})
