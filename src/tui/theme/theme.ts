import { Chalk, type ChalkInstance } from 'chalk'
import { paletteFor, type ColourLevel, type Palette, type Tone } from './palettes.ts'
import { link } from '../terminal/osc.ts'
import type { BadgeColour } from './badge-colours.ts'

export type { Tone } from './palettes.ts'

/** Signs that carry a meaning in addition to their color. */
export type Symbols = {
  ok: string
  error: string
  warn: string
  live: string
  /** Something that was seen before occurs again. */
  again: string
  pending: string
  cancelled: string
  pointer: string
  /** Before the selected answer to a question. */
  choice: string
  /** A row that the person marked. */
  mark: string
  /** A value whose content is hidden, or shown below. */
  folded: string
  unfolded: string
  /** The pointer on a marked row. */
  markedPointer: string
  /** A new row, and a row that has changed. */
  new: string
  changed: string
  /** Something that sometimes passes and sometimes fails. */
  flaky: string
  /** A run that the person follows everywhere. */
  followed: string
  /** Something sent, and something received. */
  sent: string
  received: string
  ascending: string
  descending: string
  crumb: string
  /** Leaves a gap to the rows above and below, so that a bar looks like one of a single row. */
  bar: readonly [full: string, empty: string]
  /** Half a column of a bar. */
  halfBar: readonly [left: string, right: string]
  /** Parts of a box plot. */
  box: readonly [median: string, half: string]
  /**
   * Heights of a value in a chart, lowest first, of which the highest fills its row; empty if the theme draws no
   * charts.
   */
  spark: readonly string[]
  /** Heights of a value in a chart of a single row, with a gap to the row above; empty if the theme draws no charts. */
  lowSpark: readonly string[]
  /** The result of a case in a run, in one column. */
  heat: Readonly<Record<'passed' | 'failed' | 'ungraded' | 'absent' | 'unread', string>>
  /** Frames of the sign for work in progress; empty without animation. */
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
    /**
     * Signs where a line of another pane begins: below the top edge, above the bottom edge, at the left and at the
     * right.
     */
    tees: readonly [top: string, bottom: string, left: string, right: string]
  }
}

type State = 'ok' | 'error' | 'warn' | 'live' | 'again' | 'pending' | 'cancelled'

/** How a state looks: never only by its color. */
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
  // A letter would look like part of the title before it.
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

/** Without charts and frames, the drawing characters are blank. */
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
  /** Wraps cleaned text in the tone's colors. */
  paint(tone: Tone, text: string): string
  /** Returns cleaned text that opens an address, if the terminal supports links; otherwise only the text. */
  link(text: string, address: string): string
  symbols: Symbols
  /**
   * Whether the selected row has a muted background on which its cells keep their tones; otherwise `selected` is for
   * unstyled text.
   */
  tintsRows: boolean
  /** Number of colors, for pictures; text is painted by its meaning. */
  level: ColourLevel
  ascii: boolean
  /** Whether the theme is for reading aloud. */
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
 * `level` as in chalk: 0 none, 1 sixteen, 2 256, 3 true color. Without color, `selected` inverts nothing: the pointer
 * marks the row.
 */
export function createTheme(options: {
  level: ColourLevel
  ascii: boolean
  palette?: Palette
  /** Badge color of a profile that sets one. */
  badge?: BadgeColour | undefined
  /** Whether the theme is for reading aloud: no frames, no bars. */
  plain?: boolean
  /** Whether the terminal opens the addresses of OSC 8. */
  links?: boolean
  /** The terminal has not reported its background. */
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
