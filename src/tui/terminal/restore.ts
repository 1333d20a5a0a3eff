import { closeSync } from 'node:fs'
import { type EndingSignal, onEndingSignal, signalExitCode } from './ending-signals.ts'
import { writeNow } from './modes.ts'
import { clean } from '../../lib/printable.ts'
import type { Screen } from './screen.ts'
import { STUCK_SENTENCE } from './watchdog.ts'

/** The reason why the program ends. */
export type ExitReason = 'quit' | EndingSignal | 'crash' | 'terminal-gone'

/** The part of the terminal's input that restoring needs; `process.stdin` fits. */
export type RestoredInput = {
  readonly isRaw?: boolean
  setRawMode?(raw: boolean): unknown
  pause(): unknown
  on(event: 'end' | 'close' | 'error', listener: () => void): unknown
  off(event: 'end' | 'close' | 'error', listener: () => void): unknown
}

/** The part of the terminal's output that restoring needs; `process.stdout` fits. */
export type RestoredOutput = {
  on(event: 'error', listener: () => void): unknown
  off(event: 'error', listener: () => void): unknown
}

export type RestoreOptions = {
  screen: Pick<Screen, 'enter' | 'leave' | 'taken'>
  stdin: RestoredInput
  stdout: RestoredOutput
  stderr: RestoredOutput
  /** Settles open work in at most two seconds; the terminal is already restored. */
  onExit(reason: ExitReason): Promise<void>
  /** Receives the error of a crash with its stack; the person only sees one sentence. */
  log(error: unknown): void
}

export type Restore = {
  /**
   * Ends the program: restores the terminal, calls `onExit`, then exits with the code (0 by default). A second call
   * ends at once.
   */
  exit(code?: number): void
  /** Ends the program because of an unhandled error, such as one that React gave up on. Exit code 70. */
  crash(error: unknown): void
  /** Ends the program in the middle of work that never ends, without `onExit`. */
  abandon(code: number): void
  /** Ctrl+Z: restores the terminal and stops the job; takes the terminal again when the shell continues the job. */
  suspend(): void
  /**
   * Lends the terminal to another program until `work` has ended, then takes it again. Meanwhile Ctrl+C goes to that
   * program, and Ctrl+Z stops both. The caller must not read keys during that time.
   */
  lend<T>(work: () => Promise<T>): Promise<T>
  /** Removes all handlers of signals and streams; leaves the terminal as it is. */
  uninstall(): void
}

/** Returns the exit code; 70 is EX_SOFTWARE of sysexits.h. */
function exitCodeOf(reason: ExitReason): number {
  if (reason === 'quit') return 0
  if (reason === 'crash') return 70
  return signalExitCode(reason === 'terminal-gone' ? 'SIGHUP' : reason)
}

const GRACE_MS = 2000
/**
 * Maximum milliseconds to wait until a terminal that is behind is restored. A terminal that accepts nothing is not
 * waited for.
 */
const TAKEN_WITHIN_MS = 5000
const STOPPED_WITHIN_MS = 100
const STANDARD_ERROR = 2

/** Restores the terminal on every way out of the program. */
export function installRestore(options: RestoreOptions): Restore {
  const { screen, stdin } = options
  let isEnding = false
  let isCrashing = false
  let isLent = false
  let suspendedRaw: boolean | undefined
  let resumeTimer: NodeJS.Timeout | undefined

  const giveBack = (): void => {
    screen.leave()
    setRawMode(stdin, false)
  }
  const givenBack = (): Promise<void> => within(TAKEN_WITHIN_MS, screen.taken())
  const onceGivenBack = async (act: () => void): Promise<void> => {
    await givenBack()
    act()
  }
  const end = (reason: ExitReason, code = exitCodeOf(reason)): void => {
    // The keys of the lent terminal send these two signals to the other program too, which handles them.
    if (isLent && (reason === 'SIGINT' || reason === 'SIGQUIT')) return
    if (isEnding) {
      // A hang-up appears as a signal and as broken streams, even while the terminal is being restored; any other
      // second request skips the wait.
      if (reason !== 'SIGHUP' && reason !== 'terminal-gone') process.exit(code)
      return
    }
    isEnding = true
    giveBack()
    stdin.pause()
    const settled = within(GRACE_MS, settle(options, reason))
    void Promise.all([settled, givenBack()]).finally(() => process.exit(code))
  }
  const crash = (error: unknown): void => {
    giveBack()
    const isFirst = !isEnding && !isCrashing
    isCrashing = true
    options.log(error)
    // The sentence belongs on the restored terminal.
    void onceGivenBack(() => {
      if (isFirst) writeNow(STANDARD_ERROR, `${crashSentence(error)}\n`)
      end('crash')
    })
  }
  const resume = (): void => {
    clearTimeout(resumeTimer)
    if (isEnding || isLent) return
    // If the process was stopped from outside, without `suspend`, others may have used the terminal as well.
    const raw = suspendedRaw ?? stdin.isRaw ?? false
    if (suspendedRaw !== undefined) process.on('SIGTSTP', suspend)
    suspendedRaw = undefined
    giveBack()
    setRawMode(stdin, raw)
    screen.enter()
  }
  const suspend = (): void => {
    if (isEnding || suspendedRaw !== undefined) return
    suspendedRaw = stdin.isRaw ?? false
    giveBack()
    void onceGivenBack(() => {
      if (isEnding) return
      process.off('SIGTSTP', suspend)
      process.kill(0, 'SIGTSTP')
      // The kernel does not stop a process group that no shell waits for, and nobody would continue it either.
      resumeTimer = setTimeout(resume, STOPPED_WITHIN_MS)
    })
  }
  const lend: Restore['lend'] = async work => {
    giveBack()
    await givenBack()
    isLent = true
    // The other program's own key stops its whole process group, which includes this one; both continue together.
    process.off('SIGTSTP', suspend)
    try {
      return await work()
    } finally {
      isLent = false
      process.on('SIGTSTP', suspend)
      if (!isEnding) screen.enter()
    }
  }
  const removals = listenAll(options, { end, crash, resume, suspend, giveBack })
  return {
    exit: code => end('quit', code),
    crash,
    abandon(code) {
      giveBack()
      writeNow(STANDARD_ERROR, `${STUCK_SENTENCE}\n`)
      // Node would print to standard error that it waits for the debugger, although the debugger is what called this.
      closeSync(STANDARD_ERROR)
      process.exit(code)
    },
    suspend,
    lend,
    uninstall: () => {
      for (const remove of removals) remove()
    },
  }
}

/** Waits for the work, but no longer than this. */
function within(milliseconds: number, work: Promise<void>): Promise<void> {
  return Promise.race([work, new Promise<void>(resolve => setTimeout(resolve, milliseconds))])
}

async function settle({ onExit, log }: RestoreOptions, reason: ExitReason): Promise<void> {
  try {
    await onExit(reason)
  } catch (error) {
    log(error)
  }
}

type Reactions = {
  end(reason: ExitReason): void
  crash(error: unknown): void
  resume(): void
  suspend(): void
  giveBack(): void
}

function listenAll({ stdin, stdout, stderr }: RestoreOptions, reactions: Reactions): (() => void)[] {
  const { end, crash, resume, suspend, giveBack } = reactions
  const gone = (): void => end('terminal-gone')
  // Without a listener, a write to a closed standard error would itself crash.
  const ignored = (): void => {}
  process.on('SIGTSTP', suspend)
  process.on('SIGCONT', resume)
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
  process.on('exit', giveBack)
  stdout.on('error', gone)
  stderr.on('error', ignored)
  for (const event of ['end', 'close', 'error'] as const) stdin.on(event, gone)
  return [
    onEndingSignal(end),
    () => process.off('SIGTSTP', suspend),
    () => process.off('SIGCONT', resume),
    () => process.off('uncaughtException', crash),
    () => process.off('unhandledRejection', crash),
    () => process.off('exit', giveBack),
    () => stdout.off('error', gone),
    () => stderr.off('error', ignored),
    ...(['end', 'close', 'error'] as const).map(event => () => stdin.off(event, gone)),
  ]
}

function setRawMode(stdin: RestoredInput, raw: boolean): void {
  if (stdin.isRaw === undefined || stdin.isRaw === raw) return
  try {
    stdin.setRawMode?.(raw)
  } catch {
    // The terminal is gone; there is nothing left to restore.
  }
}

function crashSentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const [firstLine = ''] = message.split('\n')
  const said = clean(firstLine).trim()
  return `mcpdeck had to stop because of an error in the program${said === '' ? '.' : `: ${said}`}`
}
