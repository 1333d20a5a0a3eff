import { defineBindings } from '../app/keymap/binding.ts'

export const textOverlayKeys = defineBindings({
  name: 'text',
  scope: 'overlay',
  title: 'Text',
  bindings: { close: { keys: ['escape', 'q', 'enter'], label: 'close', hint: true } },
})
