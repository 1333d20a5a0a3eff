import { defineBindings } from '../../app/keymap/binding.ts'

export const traceKeys = defineBindings({
  name: 'trace',
  scope: 'panel',
  title: 'Trace',
  bindings: {
    nextError: {
      keys: ['e'],
      label: 'next error',
      hint: true,
      help: 'Go to the next thing that went wrong.',
    },
    previousError: { keys: ['E'], label: 'previous error' },
    nextCall: { keys: ['t'], label: 'next tool call', hint: 'later' },
    previousCall: { keys: ['T'], label: 'previous tool call' },
    raw: {
      keys: ['J'],
      label: 'raw JSON',
      hint: 'later',
      help: 'What is at the line as it was recorded, or the whole trace.',
    },
  },
})
