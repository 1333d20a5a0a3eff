import { bindingsOf, on } from '../../tui/keymap/binding.ts'

const define = bindingsOf()

export const traceKeys = define.panel('trace', 'Trace', {
  nextError: on('nextError', 'next error', { hint: true, help: 'Go to the next failure.' }),
  previousError: on('previousError', 'previous error'),
  nextCall: on('nextCall', 'next tool call', { hint: 'later' }),
  previousCall: on('previousCall', 'previous tool call'),
  raw: on('raw', 'raw JSON', {
    hint: 'later',
    help: 'Show what is at the line as it was recorded, or the whole trace.',
  }),
})
