import { defineBindings } from '../../tui/keymap/binding.ts'
import { VERBS } from '../../tui/keymap/verbs.ts'

export const jsonOverlayKeys = defineBindings({
  name: 'jsonView',
  scope: 'overlay',
  title: 'JSON',
  bindings: { close: { verb: 'quit', keys: ['escape', VERBS.quit.key], label: 'close', hint: true } },
})
