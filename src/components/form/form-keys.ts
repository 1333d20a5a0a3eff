import { bindingsOf, on } from '../../tui/keymap/binding.ts'

const define = bindingsOf()

export const formKeys = define.overlay('form', 'Form', {
  next: { keys: ['tab'], label: 'next field', hint: true },
  previous: { keys: ['shift+tab'], label: 'previous field' },
  down: { keys: ['down'], label: 'down', help: 'Next option of the field; without options, the next field.' },
  up: { keys: ['up'], label: 'up', help: 'Previous option of the field; without options, the field before.' },
  choose: {
    keys: ['enter'],
    label: 'go on',
    hint: true,
    help: 'Go to the next field; on the last line or in a menu, do what the line says.',
  },
  send: { keys: ['ctrl+s'], label: 'send', hint: true, help: 'From any field, do what the last line says.' },
  cancel: { keys: ['escape'], label: 'cancel', hint: true },
})

/** Active while there are suggestions for the typed text. */
export const suggestionKeys = define.prompt('suggestion', 'Suggestions', {
  take: {
    keys: ['ctrl+n'],
    label: 'take suggestion',
    hint: true,
    help: 'Insert the first suggestion; pressed again, the next one.',
  },
})

/** Active while the current field has options. */
export const choiceKeys = define.field('choice', 'Choice', {
  pick: {
    keys: ['space'],
    label: 'choose',
    hint: true,
    help: 'Choose the option or not, where several can be chosen; switch a yes or no.',
  },
  more: {
    keys: ['right'],
    label: 'one more',
    help: 'Where a list may hold the same several times: add the option another time.',
  },
  less: { keys: ['left'], label: 'one less', help: 'Take the option out once.' },
  further: { keys: ['pagedown'], label: 'further down', help: 'Move several options down.' },
  nearer: { keys: ['pageup'], label: 'further up', help: 'Move several options up.' },
  first: { keys: ['home'], label: 'first option' },
  last: { keys: ['end'], label: 'last option' },
  all: on('all', 'all or none', { help: 'All options, where several can be chosen, or none.' }),
})
