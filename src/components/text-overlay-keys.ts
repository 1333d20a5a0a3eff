import { defineBindings } from '../tui/keymap/binding.ts'
import { VERBS } from '../tui/keymap/verbs.ts'

export const textOverlayKeys = defineBindings({
  name: 'text',
  scope: 'overlay',
  title: 'Text',
  bindings: { close: { verb: 'quit', keys: ['escape', VERBS.quit.key, 'enter'], label: 'close', hint: true } },
})
