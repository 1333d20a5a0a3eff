import { openAndBack } from '../../components/collection/plain-parts.ts'
import { defineBindings } from '../../tui/keymap/binding.ts'
import { on } from '../../tui/keymap/verbs.ts'

export const readinessKeys = defineBindings({
  name: 'readiness',
  scope: 'screen',
  screen: 'readiness',
  title: 'Readiness',
  bindings: {
    ...openAndBack('run'),
    add: {
      ...on('new'),
      label: 'grade a server',
      hint: true,
      needs: 'readiness.startClaude',
      help: 'Grade a server against the rules of a publisher’s directory; says before what it costs.',
    },
    cancel: {
      ...on('end'),
      label: 'cancel',
      hint: true,
      needs: 'readiness.cancel',
      help: 'Stop a run that has not ended, after asking.',
    },
    server: { keys: ['alt+enter'], label: 'its server', hint: true, help: 'Go to the server that it grades.' },
  },
})
