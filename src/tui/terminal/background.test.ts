import { expect, test } from 'vitest'
import { backgroundOf, backgroundReply, isLight } from './background.ts'

test.each([
  ['\x1b]11;rgb:ffff/ffff/ffff\x1b\\', '#ffffff', 'light'],
  ['\x1b]11;rgb:fdfd/f6f6/e3e3\x07', '#fdf6e3', 'light'],
  ['\x1b]11;rgb:ff/ff/ff\x07', '#ffffff', 'light'],
  ['\x1b]11;rgb:0000/0000/0000\x1b\\', '#000000', 'dark'],
  ['\x1b]11;rgb:0000/2b2b/3636\x1b\\', '#002b36', 'dark'],
  ['\x1b]11;rgba:1e1e/1e1e/1e1e/ffff\x1b\\', '#1e1e1e', 'dark'],
  ['\x1b]11;rgb:0/0/f\x1b\\', '#0000ff', 'dark'],
  ['\x1b]10;rgb:ffff/ffff/ffff\x1b\\', undefined, undefined],
  ['\x1b]11;rgb:gg/00/00\x1b\\', undefined, undefined],
  ['\x1b]11;?\x1b\\', undefined, undefined],
  ['\x1b[?2026;2$y', undefined, undefined],
])('the answer %j is parsed as %s', (sequence, colour, background) => {
  const told = backgroundReply(sequence)
  expect(told).toBe(colour)
  expect(told && (isLight(told) ? 'light' : 'dark')).toBe(background)
})

test.each([
  ['15;0', 'dark'],
  ['0;15', 'light'],
  ['0;default;15', 'light'],
  ['0;7', 'light'],
  ['7;8', 'dark'],
  ['default;default', undefined],
  ['', undefined],
  [undefined, undefined],
])('COLORFGBG=%s is parsed as %s', (value, background) => {
  expect(backgroundOf({ COLORFGBG: value })).toBe(background)
})
