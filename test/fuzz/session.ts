import { watchUnasked } from '../pty/unasked.ts'
import type { Terminal } from '../pty/terminal.ts'
import { pressKey, rested } from '../random-service/keys.ts'
import { NONSENSE } from '../random-service/values.ts'
import { crashIn, memoryOf, spins, timeUntil, type Limits } from './look.ts'
import type { Findings } from './part.ts'

/** How long the first picture may take, in milliseconds of the program's own. */
const STARTS_WITHIN = 20_000
const KEYS_BETWEEN_LOOKS = 6
/** Beyond this a screen counts as frozen and the session ends. */
const FROZEN_MS = 15_000
/** Ends of a dashboard: left by a key, or by Ctrl+C. */
const ENDS = [0, 130]

export type Session = {
  terminal: Terminal
  keys: Iterable<string>
  count: number
  limits: Limits
  findings: Findings
  /** What was started, for the report. */
  doing: string
  mutations: () => readonly string[]
  /** Codes that the program may end with by itself, as where it refuses to start. */
  refusals?: readonly number[]
}

/** Presses keys in a dashboard and looks after every few of them; ends it with Ctrl+C. */
export async function pressAndLook(session: Session): Promise<void> {
  const { terminal, keys, count, limits, refusals = [] } = session
  const pressed: string[] = []
  const report = (what: string): void =>
    session.findings.add(what, {
      doing: `${session.doing}; keys: ${pressed.join(' ')}`,
      mutations: [...session.mutations()],
      screen: terminal.screen(),
    })
  // A key may copy what is chosen; what a hostile text would copy is known by its word.
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

/** base64 of `evil`, as hostile texts would copy it. */
const EVIL_CLIPBOARD = '\u001B]52;c;ZXZpbA=='

function drew(terminal: Terminal): boolean {
  return terminal.exit !== undefined || (terminal.bytes > 0 && terminal.screen().trim() !== '')
}

/**
 * How long a key waits for its answer: the key that draws all anew, else a new size where an editor or a question takes
 * keys.
 * @returns what is wrong with it
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
  // What is slow once may be the machine; what is slow twice is the program.
  const second = await attempt()
  if (second <= within) return undefined
  return `answers a key after ${spell(first)} and then ${spell(second)}`
}

/** Whether a screen on which nothing changes uses a processor for two seconds in a row. */
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
