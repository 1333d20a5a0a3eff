const named = {
  enter: '\r',
  escape: '\u001B',
  tab: '\t',
  'shift+tab': '\u001B[Z',
  backspace: '\u007F',
  delete: '\u001B[3~',
  space: ' ',
  up: '\u001B[A',
  down: '\u001B[B',
  right: '\u001B[C',
  left: '\u001B[D',
  home: '\u001B[H',
  end: '\u001B[F',
  pageup: '\u001B[5~',
  pagedown: '\u001B[6~',
} as const

// The mode for application cursor keys changes only these keys.
const cursorKeys: ReadonlySet<string> = new Set(['up', 'down', 'right', 'left', 'home', 'end'])

/** The name of a key in xterm. Letters and other text are typed, not pressed. */
export type Key = keyof typeof named | `ctrl+${string}` | `alt+${string}`

/**
 * Returns the bytes that xterm sends for a key.
 * @param application whether the program requested application cursor keys (DECCKM)
 */
export function keyBytes(key: Key, application: boolean): string {
  if (key in named) {
    const bytes = named[key as keyof typeof named]
    return application && cursorKeys.has(key) ? bytes.replace('[', 'O') : bytes
  }
  const [modifier, letter = ''] = key.split('+')
  if (modifier === 'alt' && letter === 'enter') return `\u001B${named.enter}`
  if (letter.length !== 1) throw new Error(`no such key: ${key}`)
  if (modifier === 'alt') return `\u001B${letter}`
  // Control clears the upper three bits of an ASCII letter.
  return String.fromCodePoint((letter.codePointAt(0) ?? 0) & 0x1f)
}
