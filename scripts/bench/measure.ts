import { setTimeout as delay } from 'node:timers/promises'
import type { Output, Terminal } from '../../test/pty/terminal.ts'
import { cpuMilliseconds } from './process.ts'

/** Milliseconds without output after which it counts as finished. */
const quiet = 120

/** Milliseconds in which a key must show an effect. */
const patience = 1000

/**
 * The effect of one input: milliseconds until its first and last visible change, and bytes until the output is
 * finished.
 */
export type Response = { first: number; last: number; bytes: number }

/** The cost of a period: bytes written, share of one core (0 to 1). */
export type Stretch = { bytes: number; core: number }

/** The cost of a held key, and how many of its presses were on the screen before the next one. */
export type Held = Stretch & { pressed: number; answered: number }

/** Returns everything on the screen, with colors, attributes and cursor, as one comparable string. */
function picture(terminal: Terminal): string {
  const cells: (string | number)[] = [terminal.cursor.x, terminal.cursor.y]
  for (let y = 0; y < terminal.rows; y += 1) {
    for (let x = 0; x < terminal.cols; x += 1) {
      const cell = terminal.cell(x, y)
      if (cell) cells.push(cell.getChars(), cell.getFgColor(), cell.getBgColor(), cell.isInverse() + 2 * cell.isBold())
    }
  }
  return cells.join('\u0000')
}

/**
 * Returns the milliseconds from the start of the program until its screen is painted: by default, until it shows text.
 */
export async function firstPaint(
  terminal: Terminal,
  painted = (shown: Terminal) => shown.screen() !== '',
): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  terminal.onOutput = ({ at }) => {
    if (painted(terminal)) resolve(at - terminal.startedAt)
  }
  try {
    return await Promise.race([promise, terminal.waitForExit(30_000).then(() => Number.NaN)])
  } finally {
    terminal.onOutput = undefined
  }
}

/** Resolves once the program has written nothing for a while. */
export async function settle(terminal: Terminal): Promise<void> {
  await observe(terminal, quiet)
}

/** Sends input and follows its effects until the output is finished. */
export async function respond(terminal: Terminal, send: () => void): Promise<Response> {
  let before = picture(terminal)
  const sent = performance.now()
  send()
  const response: Response = { first: Number.NaN, last: Number.NaN, bytes: 0 }
  await observe(terminal, patience, piece => {
    response.bytes += piece.bytes
    const now = picture(terminal)
    if (now === before) return
    before = now
    response.last = piece.at - sent
    if (Number.isNaN(response.first)) response.first = response.last
  })
  return response
}

/** Presses a key at a steady rate and measures meanwhile. */
export async function hold(
  terminal: Terminal,
  send: (index: number) => void,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<Held> {
  const started = performance.now()
  let pressed = 0
  const answered = new Set<number>()
  const cost = during(terminal, seconds * 1000, () => answered.add(pressed))
  for (; pressed < perSecond * seconds; pressed += 1) {
    send(pressed)
    await delay(Math.max(0, started + ((pressed + 1) * 1000) / perSecond - performance.now()))
  }
  return { ...(await cost), pressed, answered: answered.size }
}

/** Measures the output and the processor's use for some milliseconds; `onChange` is called when the screen changes. */
export async function during(terminal: Terminal, milliseconds: number, onChange?: () => void): Promise<Stretch> {
  let before = picture(terminal)
  let bytes = 0
  terminal.onOutput = piece => {
    bytes += piece.bytes
    const now = picture(terminal)
    if (now !== before) onChange?.()
    before = now
  }
  const [cpu, started] = [cpuMilliseconds(terminal.pid), performance.now()]
  await delay(milliseconds)
  terminal.onOutput = undefined
  return { bytes, core: (cpuMilliseconds(terminal.pid) - cpu) / (performance.now() - started) }
}

/** Returns the milliseconds from the request to quit until the program has ended. */
export async function exitTime(terminal: Terminal, quit: () => void): Promise<number> {
  const asked = performance.now()
  quit()
  await terminal.waitForExit()
  return performance.now() - asked
}

/** Passes output on until there was none for long enough; the first piece may take `wait` milliseconds. */
async function observe(terminal: Terminal, wait: number, onPiece?: (piece: Output) => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let timer = setTimeout(resolve, wait)
  terminal.onOutput = piece => {
    clearTimeout(timer)
    timer = setTimeout(resolve, quiet)
    onPiece?.(piece)
  }
  await promise
  terminal.onOutput = undefined
}
