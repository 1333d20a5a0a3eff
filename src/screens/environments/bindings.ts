import { openAndBack } from '../../components/collection/plain-parts.ts'
import { bindingsOf, on } from '../../tui/keymap/binding.ts'

const define = bindingsOf('environments')

export const environmentsKeys = define.screen('environments', 'Environments', {
  ...openAndBack('environment'),
  add: on('new', 'new environment', {
    hint: true,
    needs: 'environments.create',
    help: 'Save a client with its servers and a model under a name; the client can be made on the spot.',
  }),
  edit: on('edit', 'edit', {
    hint: true,
    needs: 'environments.update',
    help: 'Edit it; changes by others meanwhile are shown beside yours.',
  }),
  editText: on('editText', 'edit as YAML', {
    needs: 'environments.update',
    help: 'Edit all of it as commented YAML in your editor; errors are shown at their line.',
  }),
  name: on('rename', 'name an unnamed one', {
    needs: 'write',
    help: 'Name an environment that has no name, so that it stays in the list; its id stays.',
  }),
  talk: on('call', 'chat', {
    hint: true,
    needs: 'chats.say',
    help: 'Talk to its model, which calls the tools of its servers; what is said is stored as a session.',
  }),
  archive: on('putAway', 'archive', {
    hint: true,
    needs: 'environments.archive',
    help: 'Archive it, after asking: nothing can run on it, and its name becomes free.',
  }),
  restore: on('takeOut', 'restore', {
    needs: 'environments.restore',
    help: 'Restore an archived environment, if its name is free.',
  }),
  archived: on('hidden', 'archived too', { hint: 'later', help: 'Show archived environments, or hide them.' }),
})

export const environmentUsesKeys = define.panel('environmentUses', 'Used by', {
  go: { keys: ['enter'], label: 'go there', hint: true, help: 'Go to what uses the environment.' },
})
