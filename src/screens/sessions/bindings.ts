import { defineBindings } from '../../tui/keymap/binding.ts'
import { on } from '../../tui/keymap/verbs.ts'

export const sessionsKeys = defineBindings({
  name: 'sessions',
  scope: 'screen',
  screen: 'sessions',
  title: 'Sessions',
  bindings: {
    open: { keys: ['enter'], label: 'open', hint: 'first', help: 'Go into the session.' },
    back: { keys: ['escape'], label: 'back', help: 'Out of the session.' },
    parent: {
      keys: ['alt+enter'],
      label: 'its record',
      hint: true,
      help: 'Go to what it belongs to: the trial of its eval run, its journey run, or its scenario.',
    },
    source: {
      ...on('filterSource'),
      label: 'next source',
      hint: true,
      help: 'Show eval, swarm, visitor or chat sessions alone, or all of them again.',
    },
  },
})
