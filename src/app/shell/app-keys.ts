import { type Bindings, bindingsOf, on } from '../../tui/keymap/binding.ts'
import { VERBS } from '../../tui/keymap/verbs.ts'
import type { ScreenDeclaration } from '../../tui/router/screen.ts'

const define = bindingsOf()

/** Opens a screen by its letter; the ids are the names of the screens' routes. */
export function goKeysOf<Name extends string>(declared: readonly ScreenDeclaration<Name>[]): Bindings<Name> {
  const bindings = declared.map(({ route, title, goKey, goLabel }) => [
    route.screen,
    { keys: [`, ${goKey}`], label: goLabel ?? title.toLowerCase() },
  ])
  return { name: 'go', scope: 'app', title: 'Go to', bindings: Object.fromEntries(bindings) }
}

export const budgetKeys = define.overlay('budget', 'Request budget', {
  older: {
    verb: 'left',
    keys: [VERBS.left.key, 'left'],
    label: 'older column',
    repeats: true,
    help: 'Say what was sent before.',
  },
  newer: {
    verb: 'right',
    keys: [VERBS.right.key, 'right'],
    label: 'newer column',
    repeats: true,
    help: 'Say what was sent after.',
  },
  share: on('toggle', 'more or less', { hint: true, help: 'Read this screen more or less often.' }),
  close: { verb: 'quit', keys: ['escape', VERBS.quit.key, 'enter'], label: 'close', hint: true },
})

/** Active on what the turns of a conversation did. */
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

/** Active while the questions to the agent are listed. */
export const agentTurnsKeys = define.overlay('agentTurns', 'Asked before', {
  open: { keys: ['enter'], label: 'open', hint: true },
  close: { verb: 'quit', keys: ['escape', VERBS.quit.key], label: 'close', hint: true },
})

/** Active while the terminal is too small to show anything else. */
export const tooSmallKeys = define.overlay('tooSmall', 'Terminal that is too small', {
  quit: on('quit', 'quit', { hint: 'end' }),
})

/** Active while a theme is being chosen. */
export const themeKeys = define.overlay('theme', 'Themes', {
  accept: { keys: ['enter'], label: 'keep it', hint: true },
  cancel: { verb: 'quit', keys: ['escape', VERBS.quit.key], label: 'as before', hint: true },
})

export const helpKeys = define.overlay('help', 'Help', {
  filter: on('find', 'filter', { hint: true, help: 'Show only the lines that contain a text.' }),
  close: { verb: 'quit', keys: ['escape', VERBS.quit.key, '?', 'f1'], label: 'close', hint: true },
})

export const paletteKeys = define.overlay('palette', 'Palette', {
  next: { keys: ['down', 'ctrl+n', 'tab'], label: 'next', hint: true, repeats: true },
  previous: { keys: ['up', 'ctrl+p', 'shift+tab'], label: 'previous', repeats: true },
  pageDown: { keys: ['pagedown'], label: 'page down', repeats: true },
  pageUp: { keys: ['pageup'], label: 'page up', repeats: true },
})
