/** OSC 11: asks for the colour behind the text (xterm's ctlseqs). */
export const ASK_BACKGROUND = '\x1b]11;?\x1b\\'

/** Sixteen-colour numbers of COLORFGBG that are light; the others, and `default`, are dark or unknown. */
const LIGHT_NUMBERS: ReadonlySet<string> = new Set(['7', '9', '10', '11', '12', '13', '14', '15'])

/** Whether a terminal's reply says that its background is light; undefined when it is another reply. */
export function backgroundReply(sequence: string): 'light' | 'dark' | undefined {
  const match = /^\x1b\]11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i.exec(sequence)
  if (match === null) return undefined
  const [red = 0, green = 0, blue = 0] = match.slice(1).map(channel)
  // Rec. 709 luma of what the eye sees; above the middle, dark text reads better.
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5 ? 'light' : 'dark'
}

/** One to four hexadecimal digits as a share of the most that so many digits can say. */
function channel(digits: string): number {
  return Number.parseInt(digits, 16) / (16 ** digits.length - 1)
}

/** What rxvt, Konsole and others say of their background, `foreground;background`; undefined where it is not said. */
export function backgroundOf(env: NodeJS.ProcessEnv): 'light' | 'dark' | undefined {
  const number = env.COLORFGBG?.split(';').at(-1)
  if (number === undefined || !/^\d{1,2}$/.test(number)) return undefined
  return LIGHT_NUMBERS.has(number) ? 'light' : 'dark'
}
