import { defineBindings } from '../../tui/keymap/binding.ts'
import { on } from '../../tui/keymap/verbs.ts'

export const traceKeys = defineBindings({
  name: 'trace',
  scope: 'panel',
  title: 'Trace',
  bindings: {
    nextError: { ...on('nextError'), label: 'next error', hint: true, help: 'Go to the next thing that went wrong.' },
    previousError: { ...on('previousError'), label: 'previous error' },
    nextCall: { ...on('nextCall'), label: 'next tool call', hint: 'later' },
    previousCall: { ...on('previousCall'), label: 'previous tool call' },
    raw: {
      ...on('raw'),
      label: 'raw JSON',
      hint: 'later',
      help: 'What is at the line as it was recorded, or the whole trace.',
    },
  },
})
