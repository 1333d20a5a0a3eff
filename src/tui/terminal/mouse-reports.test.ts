import { expect, test } from 'vitest'
import { createScreen } from './screen.ts'
import { Emulator } from '../../../test/terminal/emulator.ts'

test('mouse movement is reported only while it is needed, and while the mouse is on', async () => {
  const emulator = new Emulator({ columns: 80, rows: 24 })
  const screen = createScreen(emulator, { mouse: true })
  screen.enter()
  await emulator.drawn()
  const since = async (act: () => void): Promise<string> => {
    const before = emulator.sent.length
    act()
    await emulator.drawn()
    return emulator.sent.slice(before).replaceAll('\x1b[?', ' ').trim()
  }
  expect(await since(() => screen.setHover(true))).toBe('1003h')
  expect(await since(() => screen.setHover(true))).toBe('')
  expect(await since(() => screen.setMouse(false))).toBe('1006l 1003l 1000l')
  expect(await since(() => screen.setMouse(true))).toBe('1000h 1006h 1003h')
  // The mode 1000 is set again, since terminals with only one mouse mode at a time would stop reporting clicks.
  expect(await since(() => screen.setHover(false))).toBe('1003l 1000h')
  expect(await since(() => screen.leave())).toContain('1003l')
})
