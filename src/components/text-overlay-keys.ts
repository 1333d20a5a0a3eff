import { bindingsOf } from '../tui/keymap/binding.ts'
import { VERBS } from '../tui/keymap/verbs.ts'

const define = bindingsOf()

export const textOverlayKeys = define.overlay('text', 'Text', {
  close: { verb: 'quit', keys: ['escape', VERBS.quit.key, 'enter'], label: 'close', hint: true },
})
