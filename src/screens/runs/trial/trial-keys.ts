import { bindingsOf, on } from '../../../tui/keymap/binding.ts'

const define = bindingsOf('runs')

export const trialsKeys = define.panel('trials', 'Trials', {
  show: on('filter', 'only failing', {
    hint: true,
    help: 'Only what did not go well, then one kind of it after the other, then all again.',
  }),
  byCase: on('byCase', 'by case', {
    hint: true,
    help: 'A row for each case with how many of its graded trials passed, or a row for each trial.',
  }),
})
