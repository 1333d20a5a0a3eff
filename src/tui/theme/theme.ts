import { Chalk, type ChalkInstance } from 'chalk'
import { paletteFor, type ColourLevel, type Palette, type Tone } from './palettes.ts'
import { link } from '../terminal/osc.ts'
import type { BadgeColour } from './badge-colours.ts'

export type { Tone } from './palettes.ts'

/** Marks that carry a meaning beside their colour. */
export type Symbols = {
  ok: string
  error: string
  warn: string
  live: string
  /** Was seen before and is again. */
  again: string
  pending: string
  cancelled: string
  pointer: string
  /** Before the chosen answer to a question. */
  choice: string
  /** A row that the person marked, one that was not there before, one that shows something else than before. */
  mark: string
  /** A value whose inside is hidden, or shown below. */
  folded: string
  unfolded: string
  /** The pointer on a marked row. */
  markedPointer: string
  new: string
  changed: string
  /** What passes now and fails then. */
  flaky: string
  /** What the person follows wherever they are. */
  followed: string
  /** What went to somebody, and what came from there. */
  sent: string
  received: string
  ascending: string
  descending: string
  crumb: string
  /** Leaves a gap to the rows above and below, so that a bar looks like one of a single row. */
  bar: readonly [full: string, empty: string]
  /** Half a column of a bar. */
  halfBar: readonly [left: string, right: string]
  /** Of a box over a scale. */
  box: readonly [median: string, half: string]
  /** Heights of a value in a line of values, lowest first, of which the highest fills its row; empty as below. */
  spark: readonly string[]
  /** Such heights in a single row, with a gap to the row above; empty where nothing is drawn. */
  lowSpark: readonly string[]
  /** What became of a case in a run, in one column. */
  heat: Readonly<Record<'passed' | 'failed' | 'ungraded' | 'absent' | 'unread', string>>
  /** What turns while something works, picture by picture; empty if nothing does. */
  spinner: readonly string[]
  scroll: readonly [thumb: string, track: string]
  ellipsis: string
  /** A line break in a text that is being typed. */
  lineBreak: string
  bullet: string
  lines: {
    horizontal: string
    vertical: string
    corners: readonly [string, string, string, string]
    /** Where a line of another pane begins: below the top edge, above the bottom edge, at the left and at the right. */
    tees: readonly [top: string, bottom: string, left: string, right: string]
  }
}

type State = 'ok' | 'error' | 'warn' | 'live' | 'again' | 'pending' | 'cancelled'

/** How something stands: never by its colour alone. */
export type Look<Sign extends keyof Symbols = State> = { symbol: Sign; tone: Tone; word: string }

const UNICODE: Symbols = {
  ok: '✓',
  error: '✗',
  warn: '!',
  live: '●',
  again: '↻',
  pending: '○',
  cancelled: '⊘',
  pointer: '▌',
  choice: '❯',
  mark: '◆',
  folded: '▸',
  unfolded: '▾',
  markedPointer: '◈',
  new: '+',
  changed: '~',
  flaky: '≈',
  followed: '◎',
  sent: '→',
  received: '←',
  ascending: '↑',
  descending: '↓',
  crumb: '›',
  bar: ['━', '─'],
  halfBar: ['╸', '╺'],
  box: ['█', '░'],
  spark: ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
  lowSpark: ['▁', '▂', '▃', '▄', '▅', '▆', '▇'],
  heat: { passed: '■', failed: '✗', ungraded: '!', absent: '·', unread: '░' },
  spinner: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
  scroll: ['┃', ' '],
  ellipsis: '…',
  lineBreak: '↵',
  bullet: '·',
  lines: { horizontal: '─', vertical: '│', corners: ['╭', '╮', '╰', '╯'], tees: ['┬', '┴', '├', '┤'] },
}

const HEAT_LETTERS: Symbols['heat'] = { passed: 'P', failed: 'F', ungraded: 'B', absent: '.', unread: '?' }

const ASCII: Symbols = {
  ok: '+',
  error: 'x',
  warn: '!',
  live: '*',
  again: '&',
  pending: 'o',
  cancelled: '/',
  pointer: '>',
  choice: '>',
  mark: '*',
  folded: '+',
  unfolded: '-',
  markedPointer: '@',
  new: '+',
  changed: '=',
  flaky: '%',
  followed: '@',
  sent: '>',
  received: '<',
  ascending: '+',
  // A letter would belong to the title that it is behind.
  descending: '-',
  crumb: '>',
  bar: ['#', '.'],
  halfBar: ['#', '#'],
  box: ['#', '.'],
  spark: ['_', '.', '-', '=', '+', '#'],
  lowSpark: ['_', '.', '-', '=', '+', '#'],
  heat: HEAT_LETTERS,
  spinner: ['|', '/', '-', '\\'],
  scroll: ['#', ' '],
  ellipsis: '~',
  lineBreak: '$',
  bullet: '-',
  lines: { horizontal: '-', vertical: '|', corners: ['+', '+', '+', '+'], tees: ['+', '+', '+', '+'] },
}

/** Where nothing is drawn, only said: what draws is blank. */
const PLAIN: Partial<Symbols> = {
  pointer: '>',
  choice: '>',
  bar: ['', ''],
  halfBar: ['', ''],
  box: ['', ''],
  spark: [],
  lowSpark: [],
  heat: HEAT_LETTERS,
  spinner: [],
  scroll: [' ', ' '],
  lines: { horizontal: ' ', vertical: ' ', corners: [' ', ' ', ' ', ' '], tees: [' ', ' ', ' ', ' '] },
}

export type Theme = {
  /** Wraps cleaned text in the tone's colours. */
  paint(tone: Tone, text: string): string
  /** Cleaned text that opens an address, where the terminal has such links; the text alone elsewhere. */
  link(text: string, address: string): string
  symbols: Symbols
  /** Whether the chosen row is a quiet ground, so that its cells keep their tones; else `selected` is for bare text. */
  tintsRows: boolean
  /** How many colours there are, for pictures; text is painted by its meaning. */
  level: ColourLevel
  ascii: boolean
  /** For reading aloud. */
  plain: boolean
}

function badges(chalk: ChalkInstance): Record<BadgeColour, (text: string) => string> {
  return {
    yellow: chalk.black.bgYellow,
    red: chalk.white.bgRed,
    magenta: chalk.white.bgMagenta,
    blue: chalk.white.bgBlue,
    cyan: chalk.black.bgCyan,
    white: chalk.black.bgWhite,
  }
}

/**
 * `level` as chalk counts: 0 none, 1 sixteen, 2 256, 3 true colour. Without colour, `selected` still inverts nothing:
 * the pointer marks it.
 */
export function createTheme(options: {
  level: ColourLevel
  ascii: boolean
  palette?: Palette
  /** Of a profile that says one. */
  badge?: BadgeColour | undefined
  /** For reading aloud: no frames, no bars. */
  plain?: boolean
  /** The terminal opens the addresses of OSC 8. */
  links?: boolean
  /** The terminal has not told what its text is on. */
  isGroundUnknown?: boolean
}): Theme {
  const chalk = new Chalk({ level: options.level })
  const { paints, tintsFrom } = options.palette ?? paletteFor('dark', 'dark')
  const tones = paints(chalk, options.level, options.isGroundUnknown)
  if (options.badge) tones.remoteBadge = badges(chalk)[options.badge]
  return {
    paint: (tone, text) => tones[tone](text),
    link: (text, address) => (options.links ? link(text, address) : text),
    symbols: { ...(options.ascii ? ASCII : UNICODE), ...(options.plain && PLAIN) },
    tintsRows: tintsFrom !== undefined && options.level >= tintsFrom,
    level: options.level,
    ascii: options.ascii,
    plain: options.plain ?? false,
  }
}
