import { writeSync } from 'node:fs'

const RETRY_EVERY_MS = 5
const RETRY_FOR_MS = 300

/**
 * Takes over the terminal: title saved, alternate screen, no autowrap (the last cell must not scroll), cursor hidden,
 * bracketed paste, focus reports. Sources: xterm's ctlseqs (DECSET 7, 25, 1004, 1049, 2004; XTWINOPS 22).
 */
export const ENTER = '\x1b[22;0t\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h\x1b[?1004h'

/**
 * Undoes `ENTER` and the mouse modes. The alternate screen is cleared first: after a resize tmux would put its rows
 * into the history.
 */
export const LEAVE =
  '\x1b[m\x1b[H\x1b[2J\x1b[?2026l\x1b]8;;\x1b\\\x1b[m\x1b[?1006l\x1b[?1003l\x1b[?1000l\x1b[?1004l\x1b[?2004l' +
  '\x1b[?7h\x1b[?1049l\x1b[?25h\x1b[23;0t'

/**
 * Button and wheel reports in SGR coordinates (DECSET 1000, 1006). Moves (DECSET 1003) are reported only while a
 * picture describes what is under the mouse; terminals support one of the two at a time.
 */
export const MOUSE_ON = '\x1b[?1000h\x1b[?1006h'
export const MOUSE_OFF = '\x1b[?1006l\x1b[?1003l\x1b[?1000l'
export const HOVER_ON = '\x1b[?1003h'
export const HOVER_OFF = '\x1b[?1003l\x1b[?1000h'

/** DECRQM: asks whether the terminal supports synchronized output. */
export const ASK_SYNCHRONIZED = '\x1b[?2026$p'
export const SYNCHRONIZED_BEGIN = '\x1b[?2026h'
export const SYNCHRONIZED_END = '\x1b[?2026l'

/** Asks whether the terminal supports the kitty keyboard protocol (sw.kovidgoyal.net/kitty/keyboard-protocol). */
export const ASK_KEYBOARD = '\x1b[?u'
/**
 * Makes keys unambiguous (flag 1), so that Esc is recognized without waiting, and adds the Latin key at their place
 * (flag 4). The alternate screen has its own stack of such flags: pushed there, popped there.
 */
export const KEYBOARD_ON = '\x1b[>5u'
export const KEYBOARD_OFF = '\x1b[<u'

/** Whether a terminal's reply says that it supports the keyboard protocol; terminals without it do not answer. */
export function isKeyboardReply(sequence: string): boolean {
  return /^\x1b\[\?\d+u$/.test(sequence)
}

/** Whether a terminal's reply says that it supports synchronized output; undefined for another reply. */
export function synchronizedReply(sequence: string): boolean | undefined {
  const state = /^\x1b\[\?2026;(\d)\$y$/.exec(sequence)?.[1]
  return state === undefined ? undefined : state === '1' || state === '2'
}

/**
 * Writes to a file descriptor before returning, so that it works in exit handlers; a terminal that is gone is not an
 * error.
 * @returns the text that a full descriptor did not accept in time
 */
export function writeNow(fd: number, text: string): string {
  const pause = new Int32Array(new SharedArrayBuffer(4))
  const deadline = performance.now() + RETRY_FOR_MS
  let rest = Buffer.from(text)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest))
    } catch (error) {
      // A descriptor in non-blocking mode refuses while its buffer is full.
      const isFull = error instanceof Error && 'code' in error && error.code === 'EAGAIN'
      if (!isFull) return ''
      if (performance.now() > deadline) return rest.toString()
      Atomics.wait(pause, 0, 0, RETRY_EVERY_MS)
    }
  }
  return rest.toString()
}
