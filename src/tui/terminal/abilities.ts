/** Abilities of the terminal. */
export type Abilities = {
  /** Number of colors: none, 16, the 256 of xterm, or 24 bits. */
  colour: 0 | 16 | 256 | 'true'
  /** Whether characters beyond ASCII are displayed. */
  unicode: boolean
  /** Whether it cannot move the cursor, so that only plain lines may be printed. */
  dumb: boolean
  /** Whether OSC 8 links work; other terminals may print them. */
  links: boolean
}

/** Terminals with 24-bit color that do not always set COLORTERM. */
const TRUE_COLOUR_TERMS = /-direct$|^xterm-(?:kitty|ghostty)$|^(?:alacritty|contour|foot|rio|wezterm)(?:[-+]|$)/
const COLOUR_TERMS = /^(?:ansi|cygwin|dtterm|konsole|linux|putty|rxvt|screen|st|tmux|vt100|vt220|xterm)(?:[-.]|$)|color/

/**
 * Returns the abilities that the environment reports. FORCE_COLOR (force-color.org) overrides NO_COLOR (no-color.org),
 * which counts if it is not empty; then a dumb or absent terminal, COLORTERM, TERM_PROGRAM and TERM decide.
 */
export function abilitiesOf(env: NodeJS.ProcessEnv, isTTY: boolean): Abilities {
  const term = env.TERM ?? ''
  const isWindows = env.OS === 'Windows_NT'
  const dumb = !isTTY || term === 'dumb' || (term === '' && !isWindows)
  return {
    colour: forcedColour(env) ?? (dumb ? 0 : colourOf(env, term, isWindows)),
    unicode: isUnicode(env),
    dumb,
    links: !dumb && hasLinks(env, term),
  }
}

const LINK_TERMS = /^(?:xterm-(?:kitty|ghostty)|alacritty|contour|foot|rio|wezterm)(?:[-+]|$)/
const LINK_PROGRAMS = /^(?:iTerm\.app|WezTerm|vscode|ghostty|Hyper|rio)$/

/** VTE supports links since 0.50; GNU screen drops them; tmux passes them since 3.4 to clients that support them. */
function hasLinks(env: NodeJS.ProcessEnv, term: string): boolean {
  if (env.STY) return false
  if (env.TMUX) return env.TERM_PROGRAM === 'tmux' && Number.parseFloat(env.TERM_PROGRAM_VERSION ?? '') >= 3.4
  if (LINK_TERMS.test(term) || LINK_PROGRAMS.test(env.TERM_PROGRAM ?? '')) return true
  return Number(env.VTE_VERSION) >= 5000 || Boolean(env.WT_SESSION) || Boolean(env.KONSOLE_VERSION)
}

function forcedColour(env: NodeJS.ProcessEnv): Abilities['colour'] | undefined {
  const forced = env.FORCE_COLOR
  if (forced === '0' || forced === 'false') return 0
  if (forced === '2') return 256
  if (forced === '3') return 'true'
  if (forced === '' || forced === '1' || forced === 'true') return 16
  return env.NO_COLOR ? 0 : undefined
}

function colourOf(env: NodeJS.ProcessEnv, term: string, isWindows: boolean): Abilities['colour'] {
  if (/^(?:truecolor|24bit)$/i.test(env.COLORTERM ?? '') || TRUE_COLOUR_TERMS.test(term)) return 'true'
  if (isWindows || env.TERM_PROGRAM === 'iTerm.app' || env.TERM_PROGRAM === 'vscode') return 'true'
  if (env.TERM_PROGRAM === 'Apple_Terminal' || /-256(?:color)?$/i.test(term)) return 256
  return COLOUR_TERMS.test(term) || env.COLORTERM ? 16 : 0
}

/** The first non-empty one of LC_ALL, LC_CTYPE and LANG decides, as in POSIX; Windows Terminal uses UTF-8. */
function isUnicode(env: NodeJS.ProcessEnv): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || ''
  return /utf-?8/i.test(locale) || Boolean(env.WT_SESSION)
}
