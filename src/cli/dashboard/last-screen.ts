import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withoutUnprintable } from '../../lib/printable.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import { writeForOwner } from '../../lib/files/write-atomically.ts'
import { onEndingSignal, signalExitCode } from '../../tui/terminal/ending-signals.ts'
import { ENTER, LEAVE, writeNow } from '../../tui/terminal/modes.ts'
import { isAtTerminal } from '../process/at-terminal.ts'
import { configFile, directories } from '../config/directories.ts'

/**
 * The screen at the end of the last session, which the next start shows before it loads anything else. This file is
 * part of the boot file, so it imports almost nothing.
 */
export type LastScreen = {
  version: 1
  columns: number
  rows: number
  /** Address of the place below the profile. */
  place: string
  /** One text with SGR for each row; the last row says when the picture was saved. */
  lines: string[]
  /** Terminal output that draws the lines on an empty screen. */
  picture: string
}

/** A restored picture on the terminal, until the dashboard takes over or it is removed. */
export type PaintedScreen = {
  lines: readonly string[]
  /** From now on the dashboard controls the terminal. */
  takeOver(): void
  /** Restores the terminal; does nothing after `takeOver`. */
  undo(): void
}

const VERSION = 1
const NAMED = 'last-screen-'
/** Maximum number of saved screens; the ones used longest ago are removed. */
const MOST_KEPT = 20
/** Colors and links of rows, and what a painter adds to them. */
const DRESS = /\x1b\[[\d;:]*m|\x1b\]8;[\w:=.-]*;[\x21-\x7e]*\x1b\\/g
const PAINT = new RegExp(String.raw`${DRESS.source}|\x1b\[[\d;]*[ABCDGHKX]|\x1b\[2J|[\r\n\b]`, 'g')
const STANDARD_OUTPUT = 1
/** Settings that decide which data is shown and how it looks; secrets only as fingerprints. */
const SHOWN_BY = [
  'MCPDECK_BASE_URL',
  'MCPDECK_PROFILE',
  'MCPDECK_DATA_DIR',
  'MCPDECK_CONFIG',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'TERM',
  'COLORTERM',
  'NO_COLOR',
  'FORCE_COLOR',
  'COLORFGBG',
  'MCPDECK_THEME',
  'MCPDECK_SCREEN_READER',
  'INK_SCREEN_READER',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
]

/**
 * Returns the file of the last screen for this way of starting; each data source, look and command line has its own.
 */
export function lastScreenFile(env: NodeJS.ProcessEnv, argv: readonly string[]): string {
  const shown = SHOWN_BY.map(name => env[name] ?? '')
  const secret = fingerprint(env['MCPDECK_API_KEY'] ?? '')
  // Paths on the command line may be relative to the current folder.
  const said = argv.length > 0 ? [currentFolder(), ...argv] : []
  const identity = fingerprint([...shown, secret, configState(configFile(env)), ...said].join('\n'))
  return join(directories().state, `${NAMED}${identity}.json`)
}

function currentFolder(): string {
  try {
    return process.cwd()
  } catch {
    // The current folder was deleted, which must not stop anybody from using a service.
    return ''
  }
}

/**
 * Returns the saved screen; undefined if there is no usable one, or if it contains anything that the dashboard does not
 * write.
 */
export function readLastScreen(file: string): LastScreen | undefined {
  try {
    const found = statSync(file)
    if (!found.isFile() || found.size > BOUNDS.lastScreen.most) return undefined
    const stored = JSON.parse(readFileSync(file, 'utf8')) as LastScreen
    return isWhole(stored) ? stored : undefined
  } catch {
    return undefined
  }
}

/**
 * Whether a file that others may have changed has only valid content: text, colors, links and, in the picture, cursor
 * movements.
 */
function isWhole(stored: Partial<LastScreen> | null): stored is LastScreen {
  if (stored?.version !== VERSION || typeof stored.place !== 'string') return false
  const { lines, picture, columns, rows } = stored
  return (
    Number.isInteger(columns) &&
    Array.isArray(lines) &&
    lines.length === rows &&
    lines.every(line => holdsOnly(line, DRESS)) &&
    holdsOnly(picture, PAINT)
  )
}

function holdsOnly(text: unknown, sequences: RegExp): text is string {
  if (typeof text !== 'string') return false
  // A blank replaces each sequence, so that its neighbors never form another one.
  const rest = text.replaceAll(sequences, ' ')
  return withoutUnprintable(rest) === rest
}

/** Saves the screen for the next start, for its owner only. Throws if the file cannot be written. */
export function keepLastScreen(file: string, screen: Omit<LastScreen, 'version'>): void {
  const text = JSON.stringify({ version: VERSION, ...screen })
  if (Buffer.byteLength(text) > BOUNDS.lastScreen.most) return rmSync(file, { force: true })
  writeForOwner(file, text)
  const folder = dirname(file)
  const kept = readdirSync(folder).flatMap(name => (name.startsWith(NAMED) ? [join(folder, name)] : []))
  if (kept.length <= MOST_KEPT) return
  const dated = kept.map(path => ({ path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
  for (const { path } of dated.sort((a, b) => b.at - a.at).slice(MOST_KEPT)) rmSync(path, { force: true })
}

/** Immediately shows the last screen of the same command line in a terminal of the same size. */
export function paintLastScreen(argv: readonly string[], env: NodeJS.ProcessEnv): PaintedScreen | undefined {
  if (!isAtTerminal()) return undefined
  const stored = readStored(env, argv)
  if (!stored) return undefined
  const { stdin, stdout } = process
  if (stdout.columns !== stored.columns || stdout.rows !== stored.rows) return undefined
  // Typed keys wait unread from now on, and the terminal must not echo them.
  stdin.setRawMode(true)
  writeNow(STANDARD_OUTPUT, ENTER + stored.picture)
  let isOurs = true
  const takeOver = (): void => {
    isOurs = false
    process.off('exit', undo)
    stopListening()
  }
  const undo = (): void => {
    if (!isOurs) return
    takeOver()
    writeNow(STANDARD_OUTPUT, LEAVE)
    stdin.setRawMode(false)
  }
  const stopListening = onEndingSignal(signal => process.exit(signalExitCode(signal)))
  process.on('exit', undo)
  return { lines: stored.lines, takeOver, undo }
}

/** Identifies the state of the config file, since reading YAML would cost more than everything else here. */
function configState(file: string): string {
  try {
    const { size, mtimeMs } = statSync(file)
    return `${size}:${mtimeMs}`
  } catch {
    return ''
  }
}

/** Hashes a text with FNV-1a over UTF-16 units: tells texts apart, and no secret can be recovered from 32 bits. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}

/** Returns nothing if the environment has no place for it; the program itself reports that better. */
function readStored(env: NodeJS.ProcessEnv, argv: readonly string[]): LastScreen | undefined {
  try {
    return readLastScreen(lastScreenFile(env, argv))
  } catch {
    return undefined
  }
}
