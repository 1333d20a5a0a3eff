import { defineBindings } from '../keymap/binding.ts'

export const appKeys = defineBindings({
  name: 'app',
  scope: 'app',
  title: 'Everywhere',
  bindings: {
    help: { keys: ['?'], label: 'help', hint: 'end' },
    palette: {
      keys: [':', 'ctrl+p'],
      label: 'palette',
      help: 'Find a place, a thing or an action by a few letters.',
      hint: 'spare',
    },
    actions: {
      keys: ['.'],
      label: 'actions',
      help: 'Everything that can be done with what is chosen here.',
      hint: 'later',
    },
    back: { keys: ['escape'], label: 'up', help: 'One step up on the screen; at its top it stays.' },
    quit: { keys: ['q'], label: 'quit', hint: 'end' },
    interrupt: { keys: ['ctrl+c'], label: 'leave at once' },
    suspend: { keys: ['ctrl+z'], label: 'suspend', help: 'Back to the shell; `fg` returns.' },
    redraw: { keys: ['ctrl+l'], label: 'redraw' },
    refresh: { keys: ['r'], label: 'refresh', hint: 'later', help: 'Read again what is on screen.' },
    screen: {
      keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9'],
      label: 'screen',
      byKey: true,
      help: 'Open the screen of that number.',
    },
    copyId: { keys: ['y'], label: 'copy id', help: 'Copy the id of the chosen thing.' },
    copyLink: {
      keys: ['Y'],
      label: 'copy link',
      help: 'Copy a locator of this place, which `mcpdeck` opens.',
    },
    browser: {
      keys: ['o'],
      label: 'open in browser',
      help: 'Show this place in the hosted UI of the profile.',
    },
    raw: { keys: ['J'], label: 'raw record', help: 'Show the chosen thing as the service answered it.' },
    followed: {
      keys: ['F'],
      label: 'followed runs',
      help: 'Go to the next followed run.',
    },
    pin: {
      keys: ['P'],
      label: 'pin',
      help: 'Keep what is chosen in the incident notebook.',
    },
    stop: { keys: ['ctrl+x'], label: 'stop', help: 'Give up what is under way, where that can be done.' },
    messages: {
      keys: ['H'],
      label: 'messages',
      help: 'Show the messages of this session again, the newest first.',
    },
    mouse: {
      keys: ['M'],
      label: 'mouse on/off',
      help: 'Mouse on or off; with it on, Shift and drag selects text.',
    },
    last: { keys: ['-'], label: 'last place', help: 'Swap with the place you left last.' },
    projects: { keys: ['p'], label: 'projects', help: 'Choose another project.' },
  },
})

/** A screen by its letter; the ids are the names of the screens' routes. */
export const goKeys = defineBindings({
  name: 'go',
  scope: 'app',
  title: 'Go to',
  bindings: {
    now: { keys: [', n'], label: 'now' },
    projects: { keys: [', p'], label: 'projects' },
    servers: { keys: [', s'], label: 'servers' },
    runs: { keys: [', r'], label: 'runs' },
    findings: { keys: [', f'], label: 'findings' },
    scenarios: { keys: [', c'], label: 'scenarios' },
    notebook: { keys: [', i'], label: 'incident notebook' },
  },
})

export const helpKeys = defineBindings({
  name: 'help',
  scope: 'overlay',
  title: 'Help',
  bindings: {
    filter: { keys: ['/'], label: 'filter', hint: true, help: 'Show only the lines that hold a text.' },
    close: { keys: ['escape', 'q', '?'], label: 'close', hint: true },
  },
})

export const paletteKeys = defineBindings({
  name: 'palette',
  scope: 'overlay',
  title: 'Palette',
  bindings: {
    next: { keys: ['down', 'ctrl+n', 'tab'], label: 'next', hint: true, repeats: true },
    previous: { keys: ['up', 'ctrl+p', 'shift+tab'], label: 'previous', repeats: true },
    pageDown: { keys: ['pagedown'], label: 'page down', repeats: true },
    pageUp: { keys: ['pageup'], label: 'page up', repeats: true },
  },
})
