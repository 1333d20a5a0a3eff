import { openAndBack } from '../../components/collection/plain-parts.ts'
import { bindingsOf, on } from '../../tui/keymap/binding.ts'

const define = bindingsOf('clients')

export const clientsKeys = define.screen('clients', 'Clients', {
  ...openAndBack('client'),
  add: on('new', 'new client', {
    hint: true,
    needs: 'clients.create',
    help: 'Save a client that talks to servers like a known product, with the servers it has.',
  }),
  edit: on('edit', 'edit config', {
    hint: true,
    needs: 'clients.update',
    help: 'Edit its whole configuration in your editor; changes by others meanwhile are merged, not lost.',
  }),
  rename: on('rename', 'rename', { needs: 'clients.update', help: 'Rename it.' }),
  duplicate: on('newOfCopy', 'duplicate', {
    needs: 'clients.duplicate',
    help: 'Save a copy of it; the service chooses a free name.',
  }),
  remove: on('delete', 'delete', {
    hint: true,
    needs: 'clients.delete',
    help: 'Delete it, after asking; what still uses it is listed first.',
  }),
})
