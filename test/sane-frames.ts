import { expect } from 'vitest'
import { widthOf } from '../src/tui/theme/text.ts'
import type { TestApp } from './harness.tsx'
import { NONSENSE } from './random-service/values.ts'

/** Columns and rows of the terminal. For screen readers, lines have no maximum length. */
export type Drawn = { size: { width: number; height: number }; aloud?: boolean }

const BUSY = /(?:Reading|Waiting|Looking) .*…/
const FRAME = /[│╭╮╰╯┬┴├┤─┃━╸╺▌█▏▎▍▋▊▉▁▂▃▄▅▆▇]/

/** Waits until no part of the screen is loading. */
export const settled = (app: TestApp): Promise<string> => app.see(frame => !BUSY.test(frame))

/** Checks what must be true of every frame. */
export function expectSane(app: TestApp, { size, aloud = false }: Drawn): void {
  const frame = app.frame()
  const lines = frame.split('\n')
  expect(NONSENSE.exec(frame)?.[0], frame).toBeUndefined()
  expect(frame).not.toContain('Fault in mcpdeck')
  if (aloud) expect(lines.filter(line => FRAME.test(line))).toEqual([])
  else {
    expect(lines.length, frame).toBeLessThanOrEqual(size.height)
    expect(lines.filter(line => widthOf(line) > size.width)).toEqual([])
  }
}
