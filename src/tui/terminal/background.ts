/** OSC 11: asks for the background color (xterm's ctlseqs). */
export const ASK_BACKGROUND = '\x1b]11;?\x1b\\'

/** Color numbers of COLORFGBG that are light; the others, and `default`, are dark or unknown. */
const LIGHT_NUMBERS: ReadonlySet<string> = new Set(['7', '9', '10', '11', '12', '13', '14', '15'])

/** Returns the terminal's background as `#rrggbb` from its reply; undefined for another reply. */
export function backgroundReply(sequence: string): string | undefined {
  const match = /^\x1b\]11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i.exec(sequence)
  if (match === null) return undefined
  return `#${match.slice(1).map(channel).join('')}`
}

/** Whether dark text is more readable on this `#rrggbb`: Rec. 709 luma above the middle. */
export function isLight(hex: string): boolean {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5
}

/** OSC 10 and 11: sets the terminal's default colors. Both are `#rrggbb`. */
export function groundSequence({ ground, text }: { ground: string; text: string }): string {
  return `\x1b]10;${text}\x1b\\\x1b]11;${ground}\x1b\\`
}

/** OSC 110 and 111: restores the terminal's own default colors. */
export const GROUND_BACK = '\x1b]110\x1b\\\x1b]111\x1b\\'

/** Scales one to four hexadecimal digits to two. */
function channel(digits: string): string {
  const share = Number.parseInt(digits, 16) / (16 ** digits.length - 1)
  return Math.round(share * 255)
    .toString(16)
    .padStart(2, '0')
}

/**
 * Returns the background as reported by rxvt, Konsole and others, `foreground;background`; undefined if not reported.
 */
export function backgroundOf(env: NodeJS.ProcessEnv): 'light' | 'dark' | undefined {
  const number = env.COLORFGBG?.split(';').at(-1)
  if (number === undefined || !/^\d{1,2}$/.test(number)) return undefined
  return LIGHT_NUMBERS.has(number) ? 'light' : 'dark'
}
