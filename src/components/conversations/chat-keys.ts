import { defineBindings, on } from '../../tui/keymap/binding.ts'

/** Beside those of every conversation, while one is a chat with servers. */
export const chatKeys = defineBindings({
  name: 'chat',
  scope: 'overlay',
  title: 'Chat',
  bindings: {
    saveCase: on('newOfCall', 'eval case', {
      hint: true,
      needs: 'cases.create',
      help: 'Save this conversation as an eval case, which asks the same and wants the same tools called.',
    }),
  },
})
