import { bindingsOf, on } from '../tui/keymap/binding.ts'

const define = bindingsOf()

/** Works on every screen; sentences of components name these keys too. */
export const appKeys = define.app('app', 'Everywhere', {
  help: on('help', 'help', { also: ['f1'], hint: 'end' }),
  palette: on('palette', 'palette', {
    also: ['ctrl+p'],
    help: 'Find a screen, an item or an action by a few letters.',
    hint: 'spare',
  }),
  actions: on('actions', 'actions', { help: 'Everything that can be done with what is chosen here.', hint: 'later' }),
  back: { keys: ['escape'], label: 'up', help: 'Go one step back on the screen; at its top nothing happens.' },
  quit: on('quit', 'quit', { hint: 'end' }),
  interrupt: { keys: ['ctrl+c'], label: 'leave at once' },
  suspend: { keys: ['ctrl+z'], label: 'suspend', help: 'Back to the shell; `fg` returns.' },
  redraw: { keys: ['ctrl+l'], label: 'redraw' },
  refresh: on('refresh', 'refresh', { also: ['ctrl+r'], hint: 'later', help: 'Refresh what is on the screen.' }),
  screen: {
    keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9'],
    label: 'screen',
    byKey: true,
    help: 'Open the screen of that number.',
  },
  screens: { keys: [', ,'], label: 'all screens', help: 'Every screen with its letter and what it is.' },
  copyId: on('copy', 'copy id', { help: 'Copy the id of the chosen item.' }),
  copyLink: on('copyPlace', 'copy link', { help: 'Copy a locator of this place, which `mcpdeck` opens.' }),
  browser: on('browser', 'open in browser', { help: 'Show this place in the hosted UI of the profile.' }),
  raw: on('raw', 'raw record', { help: 'Show the chosen item as the service returned it.' }),
  followed: on('followed', 'followed runs', { help: 'Go to the next followed run or running wave.' }),
  answer: on('answer', 'answer', { help: 'Answer what a server asks while its call waits.' }),
  agent: on('agent', 'ask the agent', {
    needs: 'agent.turn',
    help: 'Ask the agent about the project, or what is chosen.',
  }),
  agentTurns: on('agentTurns', 'asked before', { help: 'The questions to the agent in this project.' }),
  pin: on('pin', 'pin', { help: 'Pin what is chosen in the incident notebook.' }),
  stop: { keys: ['ctrl+x'], label: 'stop', help: 'Cancel what is running, where that is possible.' },
  messages: on('messages', 'messages', { help: 'Show the log of this session’s messages, the newest first.' }),
  budget: on('budget', 'budget', { help: 'Show what the requests of the last minute were for.' }),
  mouse: on('mouse', 'mouse on/off', { help: 'Mouse on or off; with it on, Shift and drag selects text.' }),
  theme: { keys: ['ctrl+t'], label: 'theme', help: 'Choose the colours; the list shows each as it is chosen.' },
  last: on('last', 'last place', { help: 'Go back to the place you left last.' }),
  projects: on('projects', 'projects', { help: 'Choose another project.' }),
  allProjects: { keys: ['0'], label: 'all projects', help: 'Show all projects.' },
})
