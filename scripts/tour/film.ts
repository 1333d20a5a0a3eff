import { setTimeout as delay } from 'node:timers/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { createHome, removeHome } from '../../test/pty/home.ts'
import { root } from '../paths.ts'
import { BACKGROUNDS, cellsOn, layOn, settled, writeFilm } from '../pictures/photograph.ts'
import type { Frame } from '../pictures/svg.ts'
import { openOnTheDay, press } from './recorder.ts'

const TITLE = 'From the first screen to the reason of a failed case: E, Enter, Enter, Enter'
/** Milliseconds between recordings of a run in flight, and their maximum number. */
const LIVE_MS = 400
const MOST_LIVE = 12

/** Records a newcomer's way to the reason of a failed case as an animated picture, once per background. */
export async function film(): Promise<void> {
  for (const background of BACKGROUNDS) {
    const home = createHome()
    try {
      await using terminal = openOnTheDay({ cols: 100, rows: 30, home })
      const frames: Frame[] = []
      const take = (seconds: number): void => {
        const rows = cellsOn(terminal, background)
        const last = frames.at(-1)
        if (last && isDeepStrictEqual(last.rows, rows)) last.seconds += seconds
        else frames.push({ rows, seconds })
      }
      await press(terminal, /Call a tool of “everything”[^]*nightly/)
      await layOn(terminal, background)
      take(3)
      for (const key of ['E', /Launch 15 trials/] as const) await press(terminal, key)
      await settled(terminal)
      take(2.5)
      await press(terminal, 'enter')
      await settled(terminal)
      take(1)
      for (const key of ['enter', /● running/] as const) await press(terminal, key)
      for (let count = 0; count < MOST_LIVE && !/▌#1 +✗ failed/.test(terminal.screen()); count += 1) {
        take(LIVE_MS / 1000)
        await delay(LIVE_MS)
      }
      await press(terminal, /#1 +✗ failed/)
      await settled(terminal)
      take(2)
      for (const key of ['enter', /expected final text/] as const) await press(terminal, key)
      await settled(terminal)
      take(5)
      await writeFilm(frames, {
        file: join(root, `docs/pictures/first-minute-${background}.svg`),
        title: TITLE,
        background,
      })
    } finally {
      removeHome(home)
    }
  }
}
