import { type Bindings, defineBindings } from '../../tui/keymap/binding.ts'
import { on, VERBS } from '../../tui/keymap/verbs.ts'
import type { ScreenDeclaration } from '../../tui/router/screen.ts'

/** A screen by its letter; the ids are the names of the screens' routes. */
export function goKeysOf<Name extends string>(declared: readonly ScreenDeclaration<Name>[]): Bindings<Name> {
  const bindings = declared.map(({ route, title, goKey, goLabel }) => [
    route.screen,
    { keys: [`, ${goKey}`], label: goLabel ?? title.toLowerCase() },
  ])
  return { name: 'go', scope: 'app', title: 'Go to', bindings: Object.fromEntries(bindings) }
}

export const budgetKeys = defineBindings({
  name: 'budget',
  scope: 'overlay',
  title: 'Request budget',
  bindings: {
    share: { ...on('toggle'), label: 'more or less', hint: true, help: 'Read this screen more or less often.' },
    close: { verb: 'quit', keys: ['escape', VERBS.quit.key, 'enter'], label: 'close', hint: true },
  },
})

/** At what the turns of a conversation did. */
export const agentRowsKeys = defineBindings({
  name: 'agentRows',
  scope: 'panel',
  title: 'What the agent did',
  bindings: {
    open: {
      keys: ['enter'],
      label: 'open or decide',
      hint: 'first',
      help: 'Go to what was created or called, or decide about one proposed action.',
    },
    dismiss: {
      ...on('putAway'),
      label: 'dismiss',
      hint: true,
      needs: 'agentProposals.discard',
      help: 'Dismiss the proposed action: nothing is sent, and the conversation keeps it.',
    },
    raw: { ...on('raw'), label: 'raw record', help: 'Show a call with its input and outcome, or what was created.' },
  },
})

/** While the questions to the agent are listed. */
export const agentTurnsKeys = defineBindings({
  name: 'agentTurns',
  scope: 'overlay',
  title: 'Asked before',
  bindings: {
    open: { keys: ['enter'], label: 'open', hint: true },
    close: { verb: 'quit', keys: ['escape', VERBS.quit.key], label: 'close', hint: true },
  },
})

/** While the terminal is too small to show anything else. */
export const tooSmallKeys = defineBindings({
  name: 'tooSmall',
  scope: 'overlay',
  title: 'Terminal that is too small',
  bindings: { quit: { ...on('quit'), label: 'quit', hint: 'end' } },
})

/** While the theme is chosen. */
export const themeKeys = defineBindings({
  name: 'theme',
  scope: 'overlay',
  title: 'Themes',
  bindings: {
    accept: { keys: ['enter'], label: 'keep it', hint: true },
    cancel: { verb: 'quit', keys: ['escape', VERBS.quit.key], label: 'as before', hint: true },
  },
})

export const helpKeys = defineBindings({
  name: 'help',
  scope: 'overlay',
  title: 'Help',
  bindings: {
    filter: { ...on('find'), label: 'filter', hint: true, help: 'Show only the lines that hold a text.' },
    close: { verb: 'quit', keys: ['escape', VERBS.quit.key, '?'], label: 'close', hint: true },
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
