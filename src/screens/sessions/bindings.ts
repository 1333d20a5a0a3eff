import { openAndBack } from '../../components/collection/plain-parts.ts'
import { bindingsOf, on } from '../../tui/keymap/binding.ts'

const define = bindingsOf('sessions')

export const sessionsKeys = define.screen('sessions', 'Sessions', {
  ...openAndBack('session'),
  parent: {
    keys: ['alt+enter'],
    label: 'its run or scenario',
    hint: true,
    help: 'Go to what it belongs to: the trial of its eval run, its journey run, or its scenario.',
  },
  talk: on('call', 'go on', { needs: 'chats.say', help: 'Continue a chat; a new one is started at an environment.' }),
  search: on('search', 'search', {
    hint: true,
    needs: 'service',
    help: 'Search titles or transcripts; an empty text shows all sessions again.',
  }),
  export: on('write', 'export traces', {
    needs: 'service',
    help: 'Write the traces of the project’s sessions to a file, as OTLP JSON with a line for each page.',
  }),
  source: on('filterSource', 'next source', {
    hint: true,
    help: 'Show eval, swarm, visitor or chat sessions alone, or all of them again.',
  }),
})
