import { bindingsOf, on } from '../../tui/keymap/binding.ts'

const define = bindingsOf()

/** Active, in addition to the keys of every conversation, in a chat with servers. */
export const chatKeys = define.overlay('chat', 'Chat', {
  saveCase: on('newOfCall', 'eval case', {
    hint: true,
    needs: 'cases.create',
    help: 'Save this conversation as an eval case with the same questions and tool calls.',
  }),
})
