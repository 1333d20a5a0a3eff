import { StringDecoder } from 'node:string_decoder'
import { decodeKey, type Key } from './key-decoder.ts'
import { scan } from './input-scanner.ts'
import { decodeMouse, type MouseEvent } from './mouse.ts'

export type InputEvent =
  | { type: 'key'; key: Key }
  | { type: 'paste'; text: string }
  | { type: 'focus'; focused: boolean }
  | MouseEvent
  /** An answer of the terminal's to a query, or a sequence that is no key. */
  | { type: 'reply'; sequence: string }

/** What is held back: nothing, an Esc that may be the key, a sequence cut by its chunk, or a paste without its end. */
export type Waiting = 'nothing' | 'maybe-escape' | 'sequence' | 'paste'

/** Turns a byte stream into events; how the stream is cut into chunks makes no difference. */
export type InputDecoder = {
  push(chunk: Uint8Array | string): InputEvent[]
  waiting(): Waiting
  /** Decides, after a pause, about what is held back: Esc is the key, a paste has ended, a cut sequence is dropped. */
  flush(): InputEvent[]
}

const PASTE_BEGIN = '\x1b[200~'
const PASTE_END = '\x1b[201~'

export function createInputDecoder(): InputDecoder {
  const utf8 = new StringDecoder('utf8')
  let pending = ''
  let isPasting = false

  const takePaste = (events: InputEvent[]): boolean => {
    const end = pending.indexOf(PASTE_END)
    if (end === -1) return false
    events.push({ type: 'paste', text: pending.slice(0, end) })
    pending = pending.slice(end + PASTE_END.length)
    isPasting = false
    return true
  }
  /** True when it stopped where a paste begins. */
  const takeSequences = (events: InputEvent[]): boolean => {
    let index = 0
    while (index < pending.length) {
      const end = scan(pending, index)
      if (end === undefined) break
      const sequence = pending.slice(index, end)
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
  return {
    push(chunk) {
      pending += typeof chunk === 'string' ? chunk : utf8.write(chunk)
      const events: InputEvent[] = []
      let isMore = true
      while (isMore) isMore = (!isPasting || takePaste(events)) && takeSequences(events)
      return events
    },
    waiting() {
      if (isPasting) return 'paste'
      if (pending === '') return 'nothing'
      return pending.length <= 2 ? 'maybe-escape' : 'sequence'
    },
    flush() {
      const held = pending
      pending = ''
      if (isPasting) {
        isPasting = false
        return [{ type: 'paste', text: held }]
      }
      const key = held === '' || held.length > 2 ? undefined : decodeKey(held)
      return key === undefined ? [] : [{ type: 'key', key }]
    },
  }
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
