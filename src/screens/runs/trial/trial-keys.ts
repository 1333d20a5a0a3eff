import { defineBindings } from '../../../tui/keymap/binding.ts'
import { on } from '../../../tui/keymap/verbs.ts'

export const trialsKeys = defineBindings({
  name: 'trials',
  scope: 'panel',
  screen: 'runs',
  title: 'Trials',
  bindings: {
    show: {
      ...on('filter'),
      label: 'only failing',
      hint: true,
      help: 'Only what did not go well, then one kind of it after the other, then all again.',
    },
    byCase: {
      ...on('byCase'),
      label: 'by case',
      hint: true,
      help: 'A row for each case with how many of its graded trials passed, or a row for each trial.',
    },
  },
})
