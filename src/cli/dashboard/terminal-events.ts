import type { PressedKey } from '../../tui/keymap/binding.ts'
import type { InputEvent } from '../../tui/terminal/input.ts'
import type { MouseEvent } from '../../tui/terminal/mouse.ts'

/** Receivers of terminal input. */
export type EventReceivers = {
  press: (keys: PressedKey[]) => Promise<void>
  /** `notches` counts equal wheel turns that arrived together. */
  mouse: (event: MouseEvent, notches: number) => Promise<void>
  paste: (text: string) => void
  /** Lines that arrived at once, and the keys that they stand for if they are not a paste. */
  burst: (text: string, keys: PressedKey[]) => Promise<void>
  focus: (focused: boolean) => void
  reply: (sequence: string) => void
}

/** Dispatches the events of a chunk in order; keys between two other events go as one batch. */
export async function dispatchEvents(events: readonly InputEvent[], to: EventReceivers): Promise<void> {
  let keys: PressedKey[] = []
  let notches = 0
  const flush = async (): Promise<void> => {
    const batch = keys
    keys = []
    if (batch.length > 0) await to.press(batch)
  }
  for (const [index, event] of events.entries()) {
    if (event.type === 'key') {
      keys.push(event.key)
      continue
    }
    await flush()
    if (event.type === 'mouse') {
      const next = events[index + 1]
      notches += 1
      if (next?.type === 'mouse' && isTakenUp(event, next)) continue
      await to.mouse(event, notches)
      notches = 0
    } else if (event.type === 'paste') to.paste(event.text)
    else if (event.type === 'burst') await to.burst(event.text, event.keys)
    else if (event.type === 'focus') to.focus(event.focused)
    else to.reply(event.sequence)
  }
  await flush()
}

/**
 * Whether an event is merged with the next: wheel turns on one cell are, and of a mouse movement only the end counts.
 */
function isTakenUp(event: MouseEvent, next: MouseEvent): boolean {
  const { action, row, column } = event
  if (action !== next.action) return false
  const isWheel = action === 'wheel-up' || action === 'wheel-down'
  return action === 'move' || (isWheel && next.row === row && next.column === column)
}
