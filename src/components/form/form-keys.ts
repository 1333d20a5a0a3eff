import { defineBindings } from '../../app/keymap/binding.ts'

export const formKeys = defineBindings({
  name: 'form',
  scope: 'overlay',
  title: 'Form',
  bindings: {
    next: { keys: ['tab', 'down'], label: 'next field', hint: true },
    previous: { keys: ['shift+tab', 'up'], label: 'previous field' },
    choose: {
      keys: ['enter'],
      label: 'go on',
      hint: true,
      help: 'To the next field; on the last line, what it says.',
    },
    send: { keys: ['ctrl+s'], label: 'send', hint: true, help: 'From any field, what the last line says.' },
    cancel: { keys: ['escape'], label: 'cancel', hint: true },
  },
})
