import { emitKeypressEvents, type Key as ReadlineKey } from 'node:readline'
import { PassThrough } from 'node:stream'
import { asEverywhere } from './keyboard-protocol.ts'

/** A key press. `name` is canonical: `a`, `A`, `ctrl+c`, `alt+x`, `enter`, `shift+tab`, `pageup`, `space`, `?`. */
export type Key = {
  name: string
  /** The sequence that a terminal without a keyboard protocol sends for it. */
  sequence: string
}

const FUNCTION_KEY = /^\x1b(?:\[\[?[A-Za-z]|\[\d{1,3}(?:;\d)?[~^$A-Za-z]|O\d?[A-Za-z])$/

const decoder = new PassThrough()
let decoded: ReadlineKey | undefined
emitKeypressEvents(decoder)
decoder.on('keypress', (_text: string | undefined, key: ReadlineKey) => {
  decoded = key
})

/**
 * Returns the key of one whole sequence (a character, a control character, or an escape sequence); undefined if it is
 * none.
 */
export function decodeKey(received: string): Key | undefined {
  const sequence = asEverywhere(received)
  if (sequence === undefined) return undefined
  const name = sequence.startsWith('\x1b') ? escapeName(sequence) : characterName(sequence)
  return name === undefined ? undefined : { name, sequence }
}

function escapeName(sequence: string): string | undefined {
  if (sequence === '\x1b') return 'escape'
  if (FUNCTION_KEY.test(sequence)) return functionName(sequence)
  const rest = sequence.slice(1)
  return [...rest].length === 1 ? withAlt(characterName(rest)) : undefined
}

/**
 * Returns the name of a function key; node:readline knows those of xterm, rxvt, PuTTY and the Linux console with their
 * modifiers.
 */
function functionName(sequence: string): string | undefined {
  decoded = undefined
  // The listener of node:readline decodes immediately. It only receives whole sequences, so it never waits for more.
  decoder.emit('data', sequence)
  return decodedName(decoded)
}

function decodedName(key: ReadlineKey | undefined): string | undefined {
  // Unknown sequences have this word as their name.
  if (key?.name === undefined || key.name === 'undefined') return undefined
  const modifiers = [key.ctrl === true && 'ctrl+', key.meta === true && 'alt+', key.shift === true && 'shift+']
  return [...modifiers.filter(modifier => modifier !== false), key.name].join('')
}

function withAlt(name: string | undefined): string | undefined {
  if (name === undefined) return undefined
  return name.startsWith('ctrl+') ? `ctrl+alt+${name.slice(5)}` : `alt+${name}`
}

function characterName(character: string): string | undefined {
  const code = character.codePointAt(0) ?? 0
  if (code === 0x20) return 'space'
  if (code === 0x0d || code === 0x0a) return 'enter'
  if (code === 0x09) return 'tab'
  if (code === 0x7f || code === 0x08) return 'backspace'
  if (code === 0) return 'ctrl+space'
  if (code <= 0x1a) return `ctrl+${String.fromCharCode(code + 0x60)}`
  if (code < 0x20) return `ctrl+${String.fromCharCode(code + 0x40)}`
  return code < 0xa0 && code > 0x7e ? undefined : character
}
