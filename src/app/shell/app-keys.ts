import { type Bindings, bindingsOf, on } from '../../tui/keymap/binding.ts'
import { VERBS } from '../../tui/keymap/verbs.ts'
import type { ScreenDeclaration } from '../../tui/router/screen.ts'

const define = bindingsOf()

export const appKeys = define.app('app', 'Everywhere', {
  help: on('help', 'help', { hint: 'end' }),
  palette: on('palette', 'palette', {
    also: ['ctrl+p'],
    help: 'Find a place, a thing or an action by a few letters.',
    hint: 'spare',
  }),
  actions: on('actions', 'actions', { help: 'Everything that can be done with what is chosen here.', hint: 'later' }),
  back: { keys: ['escape'], label: 'up', help: 'One step up on the screen; at its top it stays.' },
  quit: on('quit', 'quit', { hint: 'end' }),
  interrupt: { keys: ['ctrl+c'], label: 'leave at once' },
  suspend: { keys: ['ctrl+z'], label: 'suspend', help: 'Back to the shell; `fg` returns.' },
  redraw: { keys: ['ctrl+l'], label: 'redraw' },
  refresh: on('refresh', 'refresh', { hint: 'later', help: 'Read again what is on screen.' }),
  screen: {
    keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9'],
    label: 'screen',
    byKey: true,
    help: 'Open the screen of that number.',
  },
  screens: { keys: [', ,'], label: 'all screens', help: 'Every screen with its letter and what it is.' },
  copyId: on('copy', 'copy id', { help: 'Copy the id of the chosen thing.' }),
  copyLink: on('copyPlace', 'copy link', { help: 'Copy a locator of this place, which `mcpdeck` opens.' }),
  browser: on('browser', 'open in browser', { help: 'Show this place in the hosted UI of the profile.' }),
  raw: on('raw', 'raw record', { help: 'Show the chosen thing as the service answered it.' }),
  followed: on('followed', 'followed runs', { help: 'Go to the next followed run, or wave in flight.' }),
  answer: on('answer', 'answer', { help: 'Answer what a server asks while its call waits.' }),
  agent: on('agent', 'ask the agent', {
    needs: 'agent.turn',
    help: 'Ask the agent about the project, or what is chosen.',
  }),
  agentTurns: on('agentTurns', 'asked before', { help: 'What the agent was asked in this project.' }),
  pin: on('pin', 'pin', { help: 'Keep what is chosen in the incident notebook.' }),
  stop: { keys: ['ctrl+x'], label: 'stop', help: 'Give up what is under way, where that can be done.' },
  messages: on('messages', 'messages', { help: 'Show the messages of this session again, the newest first.' }),
  budget: on('budget', 'budget', { help: 'Show what the requests of the last minute were for.' }),
  mouse: on('mouse', 'mouse on/off', { help: 'Mouse on or off; with it on, Shift and drag selects text.' }),
  theme: { keys: ['ctrl+t'], label: 'theme', help: 'Choose the colours; the list shows each as it is chosen.' },
  last: on('last', 'last place', { help: 'Swap with the place you left last.' }),
  projects: on('projects', 'projects', { help: 'Choose another project.' }),
})

/** A screen by its letter; the ids are the names of the screens' routes. */
export function goKeysOf<Name extends string>(declared: readonly ScreenDeclaration<Name>[]): Bindings<Name> {
  const bindings = declared.map(({ route, title, goKey, goLabel }) => [
    route.screen,
    { keys: [`, ${goKey}`], label: goLabel ?? title.toLowerCase() },
  ])
  return { name: 'go', scope: 'app', title: 'Go to', bindings: Object.fromEntries(bindings) }
}

export const budgetKeys = define.overlay('budget', 'Request budget', {
  share: on('toggle', 'more or less', { hint: true, help: 'Read this screen more or less often.' }),
  close: { verb: 'quit', keys: ['escape', VERBS.quit.key, 'enter'], label: 'close', hint: true },
})

/** At what the turns of a conversation did. */
export const agentRowsKeys = define.panel('agentRows', 'What the agent did', {
  open: {
    keys: ['enter'],
    label: 'open or decide',
    hint: 'first',
    help: 'Go to what was created or called, or decide about one proposed action.',
  },
  dismiss: on('putAway', 'dismiss', {
    hint: true,
    needs: 'agentProposals.discard',
    help: 'Dismiss the proposed action: nothing is sent, and the conversation keeps it.',
  }),
  raw: on('raw', 'raw record', { help: 'Show a call with its input and outcome, or what was created.' }),
})

/** While the questions to the agent are listed. */
export const agentTurnsKeys = define.overlay('agentTurns', 'Asked before', {
  open: { keys: ['enter'], label: 'open', hint: true },
  close: { verb: 'quit', keys: ['escape', VERBS.quit.key], label: 'close', hint: true },
})

/** While the terminal is too small to show anything else. */
export const tooSmallKeys = define.overlay('tooSmall', 'Terminal that is too small', {
  quit: on('quit', 'quit', { hint: 'end' }),
})

/** While the theme is chosen. */
export const themeKeys = define.overlay('theme', 'Themes', {
  accept: { keys: ['enter'], label: 'keep it', hint: true },
  cancel: { verb: 'quit', keys: ['escape', VERBS.quit.key], label: 'as before', hint: true },
})

export const helpKeys = define.overlay('help', 'Help', {
  filter: on('find', 'filter', { hint: true, help: 'Show only the lines that hold a text.' }),
  close: { verb: 'quit', keys: ['escape', VERBS.quit.key, '?'], label: 'close', hint: true },
})

export const paletteKeys = define.overlay('palette', 'Palette', {
  next: { keys: ['down', 'ctrl+n', 'tab'], label: 'next', hint: true, repeats: true },
  previous: { keys: ['up', 'ctrl+p', 'shift+tab'], label: 'previous', repeats: true },
  pageDown: { keys: ['pagedown'], label: 'page down', repeats: true },
  pageUp: { keys: ['pageup'], label: 'page up', repeats: true },
})
