import { bindingsOf, on } from '../../../tui/keymap/binding.ts'

const define = bindingsOf('runs')

export const trialsKeys = define.panel('trials', 'Trials', {
  show: on('filter', 'only failing', {
    hint: true,
    help: 'Only what did not pass, then each kind of it, then all again.',
  }),
  byCase: on('byCase', 'by case', {
    hint: true,
    help: 'A row for each case with how many of its graded trials passed, or a row for each trial.',
  }),
})
