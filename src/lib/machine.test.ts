import { expect, test } from 'vitest'
import { linuxStart } from './machine.ts'

test('a process whose file in /proc is hidden exists for as long as it can be signalled', () => {
  const hidden = (): string => {
    throw Object.assign(new Error('hidden'), { code: 'ENOENT' })
  }
  expect(linuxStart(process.pid, hidden)).toBe('')
  // The highest process id of Linux is 2 ** 22.
  expect(linuxStart(2 ** 22 + 1, hidden)).toBeUndefined()
})

test.each([
  ['S', '4711'],
  ['Z', undefined],
  ['X', undefined],
])('a process in state %s started at %s', (state, start) => {
  const stat = `1 (a) name) ${state} ${'0 '.repeat(18)}4711 0`
  expect(linuxStart(1, () => stat)).toBe(start)
})
