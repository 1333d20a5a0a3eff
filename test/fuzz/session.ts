import { watchUnasked } from '../pty/unasked.ts'
import type { Terminal } from '../pty/terminal.ts'
import { pressKey, rested } from '../random-service/keys.ts'
import { NONSENSE } from '../random-service/values.ts'
import { crashIn, memoryOf, spins, timeUntil, type Limits } from './look.ts'
import type { Findings } from './part.ts'

/** Maximum time until the first frame, in milliseconds of the program's own clock. */
const STARTS_WITHIN = 20_000
const KEYS_BETWEEN_LOOKS = 6
/** A screen without an answer for longer than this is frozen, and the session ends. */
const FROZEN_MS = 15_000
/** How a dashboard is ended: with the quit key or with Ctrl+C. */
const ENDS = [0, 130]

export type Session = {
  terminal: Terminal
  keys: Iterable<string>
  count: number
  limits: Limits
  findings: Findings
  /** The program that was started, for the report. */
  doing: string
  mutations: () => readonly string[]
  /** Exit codes that the program may use by itself, for example if it refuses to start. */
  refusals?: readonly number[]
}

/** Presses keys in a dashboard and checks it after every few keys; ends it with Ctrl+C. */
export async function pressAndLook(session: Session): Promise<void> {
  const { terminal, keys, count, limits, refusals = [] } = session
  const pressed: string[] = []
  const report = (what: string): void =>
    session.findings.add(what, {
      doing: `${session.doing}; keys: ${pressed.join(' ')}`,
      mutations: [...session.mutations()],
      screen: terminal.screen(),
    })
  // A key may copy the selection; text copied by a hostile sequence is recognised by its word.
  const unasked = watchUnasked(terminal, 'dashboard', { copies: true })
  const look = (): void => {
    for (const each of unasked()) report(`unasked: ${each}`)
    if (terminal.output.includes(EVIL_CLIPBOARD)) report('the clipboard was written')
    const crash = crashIn(terminal.screen())
    if (crash !== undefined) report(`crash: ${crash}`)
    const nonsense = NONSENSE.exec(terminal.screen())
    if (nonsense) report(`says ${nonsense[0]}`)
    const memory = memoryOf(terminal.pid)
    if (memory > limits.memory) report(`has ${Math.round(memory)} MB`)
  }
  const started = await timeUntil(terminal.pid, () => drew(terminal), STARTS_WITHIN)
  if (started === Infinity) return report('shows nothing')
  for (const next of keys) {
    if (terminal.exit || pressed.length >= count || session.findings.problems.length > 0) break
    pressed.push(next)
    pressKey(terminal, next)
    await rested(terminal)
    if (pressed.length % KEYS_BETWEEN_LOOKS !== 0) continue
    look()
    const answered = await answers(terminal, limits.answersWithin)
    if (answered !== undefined) report(answered)
  }
  look()
  if (!terminal.exit && session.findings.problems.length === 0 && (await restsAndSpins(terminal)))
    report('takes a whole processor while nothing happens')
  if (terminal.exit) return lookAtEnd(terminal, [0, ...refusals], report)
  terminal.press('ctrl+c')
  const took = await timeUntil(terminal.pid, () => terminal.exit !== undefined, FROZEN_MS)
  if (took > limits.endsWithin) report(`ends ${spell(took)} after Ctrl+C`)
  if (terminal.exit) lookAtEnd(terminal, [...ENDS, ...refusals], report)
}

/** The word `evil` in base64, as hostile texts would copy it. */
const EVIL_CLIPBOARD = '\u001B]52;c;ZXZpbA=='

function drew(terminal: Terminal): boolean {
  return terminal.exit !== undefined || (terminal.bytes > 0 && terminal.screen().trim() !== '')
}

/**
 * Measures the time between a key and its effect: with the key that redraws everything, or with a resize while an
 * editor or a question has the keys.
 * @returns the problem, if any
 */
async function answers(terminal: Terminal, within: number): Promise<string | undefined> {
  const attempt = async (): Promise<number> => {
    const before = terminal.bytes
    const isAnswered = (): boolean => terminal.bytes > before || terminal.exit !== undefined
    terminal.press('ctrl+l')
    const took = await timeUntil(terminal.pid, isAnswered, Math.max(2 * within, 3000))
    if (took < Infinity) return took
    terminal.resize(terminal.cols === 100 ? 99 : 100, terminal.rows)
    return timeUntil(terminal.pid, isAnswered, FROZEN_MS)
  }
  const first = await attempt()
  if (first <= within) return undefined
  if (first === Infinity) return 'is frozen'
  // A single slow answer may be due to the machine, a second one is due to the program.
  const second = await attempt()
  if (second <= within) return undefined
  return `answers a key after ${spell(first)} and then ${spell(second)}`
}

/** Whether a screen without changes uses a processor for two seconds in a row. */
async function restsAndSpins(terminal: Terminal): Promise<boolean> {
  const before = terminal.bytes
  if (!(await spins(terminal.pid)) || terminal.bytes - before > 5000) return false
  return (await spins(terminal.pid)) && (await spins(terminal.pid)) && terminal.bytes - before < 5000
}

function lookAtEnd(terminal: Terminal, codes: readonly number[], report: (what: string) => void): void {
  const { code, signal } = terminal.exit!
  if (signal || !codes.includes(code)) report(`ended with ${signal ?? code}`)
  const crash = crashIn(terminal.screen())
  if (crash !== undefined) report(`crash at the end: ${crash}`)
  const { bracketedPasteMode, sendFocusMode, mouseTrackingMode, wraparoundMode } = terminal.modes
  const isRestored =
    terminal.buffer === 'normal' &&
    terminal.cursorVisible &&
    !bracketedPasteMode &&
    !sendFocusMode &&
    mouseTrackingMode === 'none' &&
    wraparoundMode
  if (!isRestored) report('leaves the terminal in another state')
}

function spell(ms: number): string {
  return ms === Infinity ? 'not at all' : `${Math.round(ms)} ms`
}
