import { bindingsOf, on } from '../../tui/keymap/binding.ts'
import { VERBS } from '../../tui/keymap/verbs.ts'

const define = bindingsOf()

/** While a conversation that can be gone on with is on screen. */
export const talkKeys = define.overlay('talk', 'Conversation', {
  stop: { keys: ['ctrl+x'], label: 'cancel', help: 'Cancel the answer at once; what was done stays.' },
  next: { keys: ['tab'], label: 'next part', hint: true, help: 'To what was said, what was done, the question.' },
  previous: { keys: ['shift+tab'], label: 'part before' },
  ask: on('agent', 'ask more', { hint: true, needs: 'write', help: 'Go on with this conversation.' }),
  close: { verb: 'quit', keys: ['escape', VERBS.quit.key], label: 'close', hint: true },
})

/** While a question is written. */
export const talkQuestionKeys = define.panel('talkQuestion', 'Question of a conversation', {
  next: { keys: ['down'], label: 'other question', hint: 'first', help: 'The next question that can be asked.' },
  previous: { keys: ['up'], label: 'question before', help: 'The question before it, or what was asked last.' },
})
