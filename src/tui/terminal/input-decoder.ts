import { StringDecoder } from 'node:string_decoder'
import { decodeKey, type Key } from './key-decoder.ts'
import { scan } from './input-scanner.ts'
import { decodeMouse, type MouseEvent } from './mouse.ts'

export type InputEvent =
  | { type: 'key'; key: Key }
  | { type: 'paste'; text: string }
  /**
   * Lines of text that arrived at once: a paste in a terminal that does not mark pastes, or keys on a slow connection.
   */
  | { type: 'burst'; text: string; keys: Key[] }
  | { type: 'focus'; focused: boolean }
  | MouseEvent
  /** The terminal's answer to a query, or a sequence that is not a key. */
  | { type: 'reply'; sequence: string }

/**
 * The input held back: nothing, an Esc that may be the key, a sequence cut by its chunk, a paste without its end, lines
 * that may continue, or only the memory of a cut report, whose rest must not be typed.
 */
export type Waiting = 'nothing' | 'maybe-escape' | 'sequence' | 'paste' | 'burst' | 'cut-report'

/** Turns a byte stream into events. The division into chunks only matters for several lines of text. */
export type InputDecoder = {
  push(chunk: Uint8Array | string): InputEvent[]
  waiting(): Waiting
  /** Decides, after a pause, what held-back input is: Esc is the key, a paste has ended, a cut sequence is dropped. */
  flush(): InputEvent[]
}

const PASTE_BEGIN = '\x1b[200~'
const PASTE_END = '\x1b[201~'
/** Matches text with line breaks and tabs, up to the next sequence or control character. */
const TEXT = /[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*/y
const TEXT_CHARACTER = /^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/
/** Maximum length of text that a person may type ahead on a slow connection; longer text is not turned into keys. */
const MOST_TYPED = 64
/** Matches a line break between characters, which a person never types within one chunk. */
const LINES = /\S[^\S\r\n]*[\r\n]\s*\S/
/** Matches reports of the focus and the mouse, and their beginnings. */
const REPORT = /^\x1b\[(?:[IO]|<\d{1,4};\d{1,5};\d{1,5}[Mm])/
const CUT_REPORT = /^\x1b(?:\[(?:<\d{0,4}(?:;\d{0,5}){0,2})?)?$/

export function createInputDecoder(): InputDecoder {
  const utf8 = new StringDecoder('utf8')
  let pending = ''
  let isPasting = false
  let burst = ''
  /**
   * A report that was cut and not completed in time: its first characters were dropped, and its rest must not be typed.
   */
  let cut = { text: '', given: 0 }

  const takePaste = (events: InputEvent[]): boolean => {
    const end = pending.indexOf(PASTE_END)
    if (end === -1) return false
    events.push({ type: 'paste', text: pending.slice(0, end) })
    pending = pending.slice(end + PASTE_END.length)
    isPasting = false
    return true
  }
  const endBurst = (events: InputEvent[]): void => {
    if (burst !== '') events.push({ type: 'burst', text: burst, keys: burst.length <= MOST_TYPED ? keysOf(burst) : [] })
    burst = ''
  }
  /** Takes lines that arrived at once, or that continue the previous chunk; returns the position after them. */
  const takeLines = (from: number): number => {
    TEXT.lastIndex = from
    const [text = ''] = TEXT.exec(pending) ?? []
    if (text === '' || (burst === '' && !LINES.test(text))) return from
    burst += text
    return from + text.length
  }
  /** Returns true if it stopped at the beginning of a paste. */
  const takeSequences = (events: InputEvent[]): boolean => {
    let index = 0
    let isText = false
    while (index < pending.length) {
      if (!isText) index = takeLines(index)
      if (index === pending.length) break
      const end = scan(pending, index)
      if (end === undefined) break
      endBurst(events)
      const sequence = pending.slice(index, end)
      isText = TEXT_CHARACTER.test(sequence)
      index = end
      if (sequence === PASTE_BEGIN) {
        isPasting = true
        break
      }
      const event = eventOf(sequence)
      if (event !== undefined) events.push(event)
    }
    pending = pending.slice(index)
    return isPasting
  }
  /** Returns the text without the rest of a cut report; undefined if the whole text may be such a rest. */
  const withoutRest = (text: string, events: InputEvent[]): string | undefined => {
    if (cut.text === '') return text
    const joined = cut.text + text
    const report = REPORT.exec(joined)?.[0]
    if (report === undefined && CUT_REPORT.test(joined)) {
      cut = { ...cut, text: joined }
      return undefined
    }
    const event = report === undefined ? undefined : eventOf(report)
    if (event) events.push(event)
    const rest = report === undefined ? joined.slice(cut.given) : joined.slice(report.length)
    cut = { text: '', given: 0 }
    return rest
  }
  return {
    push(chunk) {
      const events: InputEvent[] = []
      const text = withoutRest(typeof chunk === 'string' ? chunk : utf8.write(chunk), events)
      if (text === undefined) return events
      pending += text
      let isMore = true
      while (isMore) isMore = (!isPasting || takePaste(events)) && takeSequences(events)
      return events
    },
    waiting() {
      if (isPasting) return 'paste'
      if (pending !== '') return pending.length === 1 ? 'maybe-escape' : 'sequence'
      if (burst !== '') return 'burst'
      return cut.text === '' ? 'nothing' : 'cut-report'
    },
    flush() {
      const events: InputEvent[] = []
      endBurst(events)
      const held = pending
      pending = ''
      if (isPasting) {
        isPasting = false
        return [...events, { type: 'paste', text: held }]
      }
      const typed = cut.text.slice(cut.given)
      cut = CUT_REPORT.test(held) ? { text: held, given: held.length } : { text: '', given: 0 }
      const key = held === '' || held.length > 2 ? undefined : decodeKey(held)
      const keys = [...keysOf(typed), ...(key === undefined ? [] : [key])]
      return [...events, ...keys.map(each => ({ type: 'key' as const, key: each }))]
    },
  }
}

/** Returns the keys of a text without sequences. */
function keysOf(text: string): Key[] {
  return [...text].flatMap(character => decodeKey(character) ?? [])
}

function eventOf(sequence: string): InputEvent | undefined {
  if (sequence === '\x1b[I') return { type: 'focus', focused: true }
  if (sequence === '\x1b[O') return { type: 'focus', focused: false }
  if (sequence === PASTE_END) return undefined
  if (sequence.startsWith('\x1b[<')) return decodeMouse(sequence)
  const key = decodeKey(sequence)
  if (key !== undefined) return { type: 'key', key }
  return sequence.length > 2 ? { type: 'reply', sequence } : undefined
}
