import { clean } from '../../lib/printable.ts'

/** Most terminals and multiplexers drop an OSC 52 longer than 100,000 bytes of base64. */
export const COPY_LIMIT_BYTES = 74_994

const MAX_TITLE_LENGTH = 200
const MAX_LINK_LENGTH = 2083
/** GNU screen forwards at most this much of a DCS string (its MAXSTR is 768 in common builds). */
const SCREEN_PIECE_LENGTH = 256

/** The sequence to send, or a message that says why the text cannot be copied. */
export type CopyResult = { copied: true; sequence: string } | { copied: false; reason: string }

/**
 * OSC 52: copies text to the clipboard of the terminal's machine, also over ssh. In tmux it is sent both to tmux itself
 * (`set-clipboard on`) and through it (`allow-passthrough on`), whichever is enabled; in GNU screen through it.
 */
export function copySequence(text: string, env: NodeJS.ProcessEnv, limit = COPY_LIMIT_BYTES): CopyResult {
  const bytes = Buffer.from(text)
  if (bytes.length === 0) return { copied: false, reason: 'There is nothing to copy.' }
  if (bytes.length > limit) {
    const [size, most] = [bytes.length, limit].map(count => count.toLocaleString('en-US'))
    return { copied: false, reason: `The text has ${size} bytes; terminals take at most ${most}.` }
  }
  const sequence = `\x1b]52;c;${bytes.toString('base64')}\x07`
  if (env.TMUX) return { copied: true, sequence: sequence + throughTmux(sequence) }
  if (env.STY || env.TERM?.startsWith('screen')) return { copied: true, sequence: throughScreen(sequence) }
  return { copied: true, sequence }
}

const NOTICES = { desktop: '9;', osc777: '777;notify;mcpdeck;', osc99: '99;i=mcpdeck;' } as const

/** OSC 9, 777 or 99: a desktop notification; sent through tmux and GNU screen, which have none themselves. */
export function desktopSequence(kind: keyof typeof NOTICES, text: string, env: NodeJS.ProcessEnv): string {
  const sequence = `\x1b]${NOTICES[kind]}${clean(text).slice(0, MAX_TITLE_LENGTH).toWellFormed()}\x1b\\`
  if (env.TMUX) return throughTmux(sequence)
  return env.STY || env.TERM?.startsWith('screen') ? throughScreen(sequence) : sequence
}

function throughTmux(sequence: string): string {
  return `\x1bPtmux;${sequence.replaceAll('\x1b', '\x1b\x1b')}\x1b\\`
}

function throughScreen(sequence: string): string {
  const pieces = sequence.match(new RegExp(`[^]{1,${SCREEN_PIECE_LENGTH}}`, 'g')) ?? []
  return pieces.map(piece => `\x1bP${piece}\x1b\\`).join('')
}

/** OSC 8: text that opens an address. An address that is not printable ASCII, or is too long, leaves plain text. */
export function link(text: string, address: string): string {
  const shown = clean(text)
  if (address.length > MAX_LINK_LENGTH || !/^[\x21-\x7e]+$/.test(address)) return shown
  return `\x1b]8;;${address}\x1b\\${shown}\x1b]8;;\x1b\\`
}

/** OSC 2: sets the terminal's title. */
export function title(text: string): string {
  return `\x1b]2;${clean(text).slice(0, MAX_TITLE_LENGTH).toWellFormed()}\x1b\\`
}
