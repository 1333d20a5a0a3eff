import { bindingsOf, on } from '../../tui/keymap/binding.ts'

const define = bindingsOf()

export const formKeys = define.overlay('form', 'Form', {
  next: { keys: ['tab'], label: 'next field', hint: true },
  previous: { keys: ['shift+tab'], label: 'previous field' },
  down: {
    keys: ['down'],
    label: 'down',
    help: 'To the next option of the field, which a choice takes; without options to the next field.',
  },
  up: {
    keys: ['up'],
    label: 'up',
    help: 'To the option before, which a choice takes; without options to the field before.',
  },
  choose: {
    keys: ['enter'],
    label: 'go on',
    hint: true,
    help: 'Goes to the next field; on the last line and in a menu, does what the line says.',
  },
  send: { keys: ['ctrl+s'], label: 'send', hint: true, help: 'From any field, what the last line says.' },
  cancel: { keys: ['escape'], label: 'cancel', hint: true },
})

/** While something is suggested for what is typed. */
export const suggestionKeys = define.prompt('suggestion', 'Suggestions', {
  take: {
    keys: ['ctrl+n'],
    label: 'take suggestion',
    hint: true,
    help: 'Put in the first suggestion, and pressed again the one after it.',
  },
})

/** While the active field offers something to choose from. */
export const choiceKeys = define.field('choice', 'Choice', {
  pick: {
    keys: ['space'],
    label: 'choose',
    hint: true,
    help: 'Where several can be chosen, take the option or take it back; switch a yes or no.',
  },
  further: { keys: ['pagedown'], label: 'further down', help: 'Some options further down.' },
  nearer: { keys: ['pageup'], label: 'further up', help: 'Some options further up.' },
  first: { keys: ['home'], label: 'first option' },
  last: { keys: ['end'], label: 'last option' },
  all: on('all', 'all or none', { help: 'Every option where several can be taken, or none.' }),
})
