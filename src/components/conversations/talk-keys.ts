import { bindingsOf, on } from '../../tui/keymap/binding.ts'
import { VERBS } from '../../tui/keymap/verbs.ts'

const define = bindingsOf()

/** Active while a conversation that can be continued is on screen. */
export const talkKeys = define.overlay('talk', 'Conversation', {
  stop: { keys: ['ctrl+x'], label: 'cancel', help: 'Cancel the answer at once; what was done stays.' },
  next: { keys: ['tab'], label: 'next part', hint: true, help: 'Move between conversation, actions and question.' },
  previous: { keys: ['shift+tab'], label: 'part before' },
  ask: on('agent', 'ask more', { hint: true, needs: 'write', help: 'Continue this conversation.' }),
  close: { verb: 'quit', keys: ['escape', VERBS.quit.key], label: 'close', hint: true },
})

/** Active while a question is being written. */
export const talkQuestionKeys = define.panel('talkQuestion', 'Question of a conversation', {
  next: { keys: ['down'], label: 'other question', hint: 'first', help: 'The next suggested question.' },
  previous: { keys: ['up'], label: 'question before', help: 'The suggested question before it, or your last one.' },
})
