import { openAndBack } from '../../components/collection/plain-parts.ts'
import { defineBindings, on } from '../../tui/keymap/binding.ts'

export const readinessKeys = defineBindings({
  name: 'readiness',
  scope: 'screen',
  screen: 'readiness',
  title: 'Readiness',
  bindings: {
    ...openAndBack('run'),
    add: on('new', 'grade a server', {
      hint: true,
      needs: 'readiness.startClaude',
      help: 'Grade a server against the rules of a publisher’s directory; says before what it costs.',
    }),
    cancel: on('end', 'cancel', {
      hint: true,
      needs: 'readiness.cancel',
      help: 'Stop a run that has not ended, after asking.',
    }),
    server: { keys: ['alt+enter'], label: 'its server', hint: true, help: 'Go to the server that it grades.' },
  },
})
