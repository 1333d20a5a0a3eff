import { defineBindings } from '../tui/keymap/binding.ts'
import { on } from '../tui/keymap/verbs.ts'

/** What works on every screen; sentences of components name its keys too. */
export const appKeys = defineBindings({
  name: 'app',
  scope: 'app',
  title: 'Everywhere',
  bindings: {
    help: { ...on('help'), label: 'help', hint: 'end' },
    palette: {
      ...on('palette', 'ctrl+p'),
      label: 'palette',
      help: 'Find a place, a thing or an action by a few letters.',
      hint: 'spare',
    },
    actions: {
      ...on('actions'),
      label: 'actions',
      help: 'Everything that can be done with what is chosen here.',
      hint: 'later',
    },
    back: { keys: ['escape'], label: 'up', help: 'One step up on the screen; at its top it stays.' },
    quit: { ...on('quit'), label: 'quit', hint: 'end' },
    interrupt: { keys: ['ctrl+c'], label: 'leave at once' },
    suspend: { keys: ['ctrl+z'], label: 'suspend', help: 'Back to the shell; `fg` returns.' },
    redraw: { keys: ['ctrl+l'], label: 'redraw' },
    refresh: { ...on('refresh'), label: 'refresh', hint: 'later', help: 'Read again what is on screen.' },
    screen: {
      keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9'],
      label: 'screen',
      byKey: true,
      help: 'Open the screen of that number.',
    },
    screens: { keys: [', ,'], label: 'all screens', help: 'Every screen with its letter and what it is.' },
    copyId: { ...on('copy'), label: 'copy id', help: 'Copy the id of the chosen thing.' },
    copyLink: { ...on('copyPlace'), label: 'copy link', help: 'Copy a locator of this place, which `mcpdeck` opens.' },
    browser: { ...on('browser'), label: 'open in browser', help: 'Show this place in the hosted UI of the profile.' },
    raw: { ...on('raw'), label: 'raw record', help: 'Show the chosen thing as the service answered it.' },
    followed: { ...on('followed'), label: 'followed runs', help: 'Go to the next followed run, or wave in flight.' },
    answer: { ...on('answer'), label: 'answer', help: 'Answer what a server asks while its call waits.' },
    agent: {
      ...on('agent'),
      label: 'ask the agent',
      needs: 'agent.turn',
      help: 'Ask the agent about the project, or what is chosen.',
    },
    agentTurns: { ...on('agentTurns'), label: 'asked before', help: 'What the agent was asked in this project.' },
    pin: { ...on('pin'), label: 'pin', help: 'Keep what is chosen in the incident notebook.' },
    stop: { keys: ['ctrl+x'], label: 'stop', help: 'Give up what is under way, where that can be done.' },
    messages: {
      ...on('messages'),
      label: 'messages',
      help: 'Show the messages of this session again, the newest first.',
    },
    budget: { ...on('budget'), label: 'budget', help: 'Show what the requests of the last minute were for.' },
    mouse: { ...on('mouse'), label: 'mouse on/off', help: 'Mouse on or off; with it on, Shift and drag selects text.' },
    theme: { keys: ['ctrl+t'], label: 'theme', help: 'Choose the colours; the list shows each as it is chosen.' },
    last: { ...on('last'), label: 'last place', help: 'Swap with the place you left last.' },
    projects: { ...on('projects'), label: 'projects', help: 'Choose another project.' },
  },
})
