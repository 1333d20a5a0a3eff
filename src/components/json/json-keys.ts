import { defineBindings } from '../../app/keymap/binding.ts'

export const jsonOverlayKeys = defineBindings({
  name: 'jsonView',
  scope: 'overlay',
  title: 'JSON',
  bindings: { close: { keys: ['escape', 'q'], label: 'close', hint: true } },
})
