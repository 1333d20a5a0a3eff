import { defineBindings } from '../../app/keymap/binding.ts'

export const runsKeys = defineBindings({
  name: 'runs',
  scope: 'screen',
  screen: 'runs',
  title: 'Runs',
  bindings: {
    open: { keys: ['enter'], label: 'open', hint: true, help: 'Go into the suite, the run or the trial.' },
    back: {
      keys: ['escape'],
      label: 'back',
      help: 'Out of the trial, the run, the suite; then one place back.',
    },
    launch: {
      keys: ['n'],
      label: 'new run',
      hint: true,
      needs: 'write',
      help: 'Launch the suite as it is configured, after asking.',
    },
    rerun: {
      keys: ['R'],
      label: 'rerun failed',
      hint: true,
      needs: 'write',
      help: 'Run the failed cases again, after a preview.',
    },
    cancel: { keys: ['x'], label: 'cancel run', hint: true, needs: 'write' },
  },
})
