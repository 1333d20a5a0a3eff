import type { Effect } from './effects.ts'
import type { Terminal } from './terminal.ts'

/**
 * What a program may do to its terminal: `data` writes text for other programs, `text` writes sentences and tables for
 * people and overwrites its own lines, and the `dashboard` owns the screen.
 */
export type Purpose = 'data' | 'text' | 'dashboard'

const SGR = /\u001B\[(?!(?:5;7;41|8|[\d;]*;8)m)[\d;:]*m/
/** Every sequence that the program may write, by its purpose. */
const OWN_SEQUENCES: Record<Purpose, readonly RegExp[]> = {
  data: [/\r(?=\n)/],
  // These are also used for a line that is typed after a question.
  text: [/\r/, /\u001B\[K|\u001B\[\d+G|\u001B\[0J/, SGR],
  dashboard: [
    // SGR may not blink, hide, or set those backgrounds that only hostile texts request.
    SGR,
    // These move the cursor and erase.
    /\u001B\[\d*(?:;\d+)?H|\u001B\[\d*[ABCDGK]|\u001B\[\d+X|\u001B\[2J|[\r\u0008]/,
    // These are the modes of src/tui/terminal/modes.ts.
    /\u001B\[\?(?:7|25|1000|1003|1004|1006|1049|2004|2026)[hl]|\u001B\[\?2026\$p|\u001B\[\?u|\u001B\[>5u|\u001B\[<u/,
    /\u001B\[2[23];0t/,
    // The title has no characters that could end it early; the second one queries the background.
    /\u001B\]2;[^\u0000-\u001F\u007F-\u009F]*\u001B\\|\u001B\]11;\?(?:\u001B\\|\u0007)/,
    // A link has an address of printable ASCII; an empty address ends it.
    /\u001B\]8;[\w:=.-]*;[\u0021-\u007E]*\u001B\\/,
  ],
}
/** The sequence for text that a person copies with a key. */
const COPIED = /\u001B\]52;c;[A-Za-z0-9+/=]*\u0007/
/**
 * While a picture is shown, the terminal is asked for its name and for what it can draw: see src/tui/picture/kitty.ts.
 */
const DRAWN = /\u001B\[>q|\u001B\[16t|\u001B_G[\w,=]*(?:;[A-Za-z0-9+/=]*)?\u001B\\/
/** Modes and other settings that the dashboard changes, as the emulator reports them. */
const OWN_EFFECTS = /^(?:mode \?(?:7|25|1000|1003|1004|1006|1049|2004|2026)[hl]|title .*|colour 11;\?|link .*)$/
/** Control characters, C1, lone surrogates and invisible characters; a line break and a tab are text. */
const NOT_TEXT =
  /(?![\n\t]|\u200C|\u200D|\uFE0E|\uFE0F)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/u
/** In data, characters that join letters and choose a picture are escaped too. */
const NOT_DATA = /(?![\n\t])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/u
/** The beginning of a sequence whose end has not arrived yet. */
const TORN = /\u001B(?:\[[\d;:?<>=]*|\][^\u0007\u001B]*\u001B?)?$/
const AROUND = 60

type Watched = Pick<Terminal, 'output' | 'effects' | 'exit'>

export type UnaskedOptions = {
  /** Whether the test pressed a key that copies. */
  copies?: boolean
  /** Whether a picture is shown. */
  draws?: boolean
}

/**
 * Reports what reached a terminal although it is not allowed: escape sequences other than the program's own, control
 * characters, invisible characters, and what the emulator did because of them (clipboard, title, modes, links, notices,
 * resets, reports).
 *
 * @example
 *   await using terminal = openTerminal({ args: ['get', 'projects', '--json'], env })
 *   const unasked = watchUnasked(terminal, 'data')
 *   await terminal.waitForExit()
 *   expect(unasked()).toEqual([])
 *
 * @returns a function that returns what arrived since its last call, each with the surrounding text, as JSON
 */
export function watchUnasked(terminal: Watched, purpose: Purpose, options: UnaskedOptions = {}): () => string[] {
  let seenOutput = 0
  let seenEffects = 0
  return () => {
    const { output } = terminal
    const torn = terminal.exit ? undefined : TORN.exec(output.slice(seenOutput))
    const end = torn ? seenOutput + torn.index : output.length
    const written = output.slice(seenOutput, end)
    const effects = terminal.effects.slice(seenEffects)
    seenOutput = end
    seenEffects += effects.length
    return [...strangeText(written, purpose, options), ...strangeEffects(effects, purpose, options)]
  }
}

/**
 * Returns the first part of a text that is neither text nor a sequence of the program's own; empty if there is none.
 */
export function strangeText(written: string, purpose: Purpose, { copies, draws }: UnaskedOptions = {}): string[] {
  const sequences = [...OWN_SEQUENCES[purpose], ...(copies ? [COPIED] : []), ...(draws ? [DRAWN] : [])]
  const own = new RegExp(sequences.map(({ source }) => source).join('|'), 'g')
  // A separator replaces each sequence, so that the text around it never forms another one.
  const rest = written.replaceAll(own, '\n')
  const found = (purpose === 'data' ? NOT_DATA : NOT_TEXT).exec(rest)
  return found ? [spelt(rest.slice(Math.max(0, found.index - AROUND), found.index + AROUND))] : []
}

function strangeEffects(effects: readonly Effect[], purpose: Purpose, { copies, draws }: UnaskedOptions): string[] {
  return effects
    .filter(({ kind, text }) => {
      if (copies && kind === 'clipboard') return false
      if (draws && kind === 'report' && text === '>q') return false
      return purpose !== 'dashboard' || !OWN_EFFECTS.test(`${kind} ${text}`)
    })
    .map(({ kind, text }) => spelt(`${kind} ${text.slice(0, 2 * AROUND)}`))
}

/** Returns text with every character other than plain ASCII escaped. */
function spelt(text: string): string {
  return JSON.stringify(text).replaceAll(/[^ -~]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
