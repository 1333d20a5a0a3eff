import { openAndBack } from '../../components/collection/plain-parts.ts'
import { bindingsOf, on } from '../../tui/keymap/binding.ts'

const define = bindingsOf('connections')

export const connectionsKeys = define.screen('connections', 'Connections', {
  ...openAndBack('request'),
  add: on('new', 'connect a server', {
    hint: true,
    needs: 'connections.create',
    help: 'Connect a server by its address; the service has you sign in where it wants that.',
  }),
  signIn: on('browser', 'sign in', { hint: true, help: 'Open its sign-in link in the browser.' }),
  copyLink: on('shareLink', 'copy link', {
    hint: true,
    help: 'Copy its sign-in link; anyone who holds it can finish the request.',
  }),
  showLink: on('view', 'show link', { help: 'Show its sign-in link as text.' }),
  again: on('again', 'try again', {
    needs: 'connections.retryValidation',
    help: 'Have the service retry now; a request that has ended is started again.',
  }),
  cancel: on('end', 'cancel', {
    hint: true,
    needs: 'connections.cancel',
    help: 'Cancel the request, which frees its slot and ends its link.',
  }),
  server: { keys: ['alt+enter'], label: 'its server', hint: true, help: 'Go to the server that was saved.' },
  putAway: on('putAway', 'put away', { help: 'Remove a request that has ended from this list.' }),
})
