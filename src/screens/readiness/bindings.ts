import { openAndBack } from '../../components/collection/plain-parts.ts'
import { bindingsOf, on } from '../../tui/keymap/binding.ts'

const define = bindingsOf('readiness')

export const readinessKeys = define.screen('readiness', 'Readiness', {
  ...openAndBack('run'),
  add: on('new', 'check a server', {
    hint: true,
    needs: 'readiness.startClaude',
    help: 'Check a server against the rules of a publisher’s directory; shows the cost first.',
  }),
  cancel: on('end', 'cancel', {
    hint: true,
    needs: 'readiness.cancel',
    help: 'Stop a run that has not ended, after asking.',
  }),
  server: { keys: ['alt+enter'], label: 'its server', hint: true, help: 'Go to the server that it checks.' },
})
