import { Chalk, type ChalkInstance } from 'chalk'

/** Colours by meaning; no other file names a colour. */
export type Tone =
  | 'plain'
  | 'muted'
  | 'strong'
  | 'accent'
  | 'ok'
  | 'warn'
  | 'error'
  | 'live'
  | 'selected'
  | 'selectedIdle'
  | 'border'
  | 'borderFocused'
  | 'localBadge'
  | 'remoteBadge'
  | 'key'

/** Marks that carry a meaning beside their colour. */
export type Symbols = {
  ok: string
  error: string
  warn: string
  live: string
  pending: string
  cancelled: string
  pointer: string
  ascending: string
  descending: string
  crumb: string
  bar: readonly [full: string, empty: string]
  scroll: readonly [thumb: string, track: string]
  ellipsis: string
  bullet: string
  lines: { horizontal: string; vertical: string; corners: readonly [string, string, string, string] }
}

const UNICODE: Symbols = {
  ok: '✓',
  error: '✗',
  warn: '!',
  live: '●',
  pending: '○',
  cancelled: '⊘',
  pointer: '▌',
  ascending: '↑',
  descending: '↓',
  crumb: '›',
  bar: ['█', '░'],
  scroll: ['┃', ' '],
  ellipsis: '…',
  bullet: '·',
  lines: { horizontal: '─', vertical: '│', corners: ['╭', '╮', '╰', '╯'] },
}

const ASCII: Symbols = {
  ok: '+',
  error: 'x',
  warn: '!',
  live: '*',
  pending: 'o',
  cancelled: '/',
  pointer: '>',
  ascending: '^',
  descending: 'v',
  crumb: '>',
  bar: ['#', '.'],
  scroll: ['#', ' '],
  ellipsis: '~',
  bullet: '-',
  lines: { horizontal: '-', vertical: '|', corners: ['+', '+', '+', '+'] },
}

export type Theme = {
  /** Wraps cleaned text in the tone's colours. */
  paint(tone: Tone, text: string): string
  symbols: Symbols
  ascii: boolean
}

function palette(chalk: ChalkInstance): Record<Tone, (text: string) => string> {
  return {
    plain: text => text,
    muted: chalk.gray,
    strong: chalk.bold,
    accent: chalk.cyan,
    ok: chalk.green,
    warn: chalk.yellow,
    error: chalk.red,
    live: chalk.blueBright,
    selected: chalk.inverse,
    selectedIdle: chalk.bold,
    border: chalk.gray,
    borderFocused: chalk.cyan,
    localBadge: chalk.black.bgGreen,
    remoteBadge: chalk.black.bgYellow,
    key: chalk.bold.cyan,
  }
}

/** `level` as chalk counts: 0 none, 1 sixteen, 2 256, 3 true colour. Without colour, `selected` still inverts nothing: the pointer marks it. */
export function createTheme(options: { level: 0 | 1 | 2 | 3; ascii: boolean }): Theme {
  const tones = palette(new Chalk({ level: options.level }))
  return {
    paint: (tone, text) => tones[tone](text),
    symbols: options.ascii ? ASCII : UNICODE,
    ascii: options.ascii,
  }
}
