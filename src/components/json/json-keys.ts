import { defineBindings } from '../../app/keymap/binding.ts'
import { VERBS } from '../../app/keymap/verbs.ts'

export const jsonOverlayKeys = defineBindings({
  name: 'jsonView',
  scope: 'overlay',
  title: 'JSON',
  bindings: { close: { verb: 'quit', keys: ['escape', VERBS.quit.key], label: 'close', hint: true } },
})
