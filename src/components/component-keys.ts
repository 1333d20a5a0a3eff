import { bindingsOf, on } from '../tui/keymap/binding.ts'
import { VERBS } from '../tui/keymap/verbs.ts'

const define = bindingsOf()

export const panesKeys = define.screen('panes', 'Panes', {
  next: { verb: 'right', keys: ['tab', VERBS.right.key, 'right'], label: 'next pane', hint: 'later' },
  previous: { verb: 'left', keys: ['shift+tab', VERBS.left.key, 'left'], label: 'previous pane' },
  zoom: on('zoom', 'zoom', { hint: 'later', help: 'Show the focused pane alone, or all panes again.' }),
  jump: {
    keys: ['alt+1', 'alt+2', 'alt+3', 'alt+4', 'alt+5', 'alt+6', 'alt+7', 'alt+8', 'alt+9'],
    label: 'pane',
    byKey: true,
    help: 'Go to the pane of that number.',
  },
})

export const tabsKeys = define.screen('tabs', 'Detail', {
  next: on('nextTab', 'next tab', { hint: true }),
  previous: on('previousTab', 'previous tab'),
})

/** Active while the subject of a dialog is being read. */
export const openingKeys = define.overlay('opening', 'Dialog that opens', {
  cancel: { keys: ['escape', 'ctrl+x'], label: 'do not open', hint: true, help: 'Stay here; nothing is sent.' },
})

export const faultKeys = define.panel('fault', 'Pane that failed', {
  again: { keys: ['enter'], label: 'try again', hint: true, help: 'Try to show it again.' },
})

export const faultOverlayKeys = define.overlay('faultOverlay', 'Dialog that failed', {
  again: { keys: ['enter'], label: 'try again', hint: true, help: 'Try to show it again.' },
  close: { keys: ['escape'], label: 'close', hint: true },
})

/** Active if a project screen was opened without a project. */
export const projectChoiceKeys = define.panel('projectChoice', 'Choice of a project', {
  choose: { keys: ['enter'], label: 'choose', hint: true, help: 'Open this screen for the project.' },
})

export const viewerKeys = define.panel('viewer', 'Text', {
  down: on('down', 'scroll', { also: ['down'], hint: 'later', repeats: true }),
  up: on('up', 'up', { also: ['up'], repeats: true }),
  pageDown: { keys: ['ctrl+d', 'pagedown', 'space'], label: 'page down', repeats: true },
  pageUp: { keys: ['ctrl+u', 'pageup'], label: 'page up', repeats: true },
  first: on('top', 'top', { also: ['home'], repeats: true }),
  last: on('bottom', 'bottom', { also: ['end'], repeats: true }),
  search: on('find', 'search', { hint: 'later', help: 'Find a text, ignoring case.' }),
  select: on('select', 'select lines', { help: 'Choose lines by moving, then copy them.' }),
  copy: on('copyAll', 'copy all', { help: 'Copy the whole text.' }),
  wrap: on('wrap', 'wrap on/off', { help: 'Wrap or cut long lines.' }),
})

/** Active if parts of a text can be folded. */
export const foldKeys = define.panel('fold', 'Folding', {
  fold: { keys: ['enter'], label: 'fold', hint: true, help: 'Fold or unfold what is at the line.' },
  foldAll: on('foldAll', 'fold all', { hint: 'later' }),
  unfoldAll: on('unfoldAll', 'unfold all', { hint: 'later' }),
  copy: on('copy', 'copy this', { hint: true, help: 'Copy the block or the value at the line.' }),
})

/** Active if ids and empty fields are folded into one line at the end of a text. */
export const restKeys = define.panel('rest', 'Ids and other fields', {
  show: on('unfoldAll', 'ids and other fields', { hint: 'later', help: 'Show ids and fields without a value.' }),
  hide: on('foldAll', 'hide ids', { help: 'Hide ids and fields without a value again.' }),
})

export const fileKeys = define.panel('file', 'Picture, sound or file', {
  save: on('write', 'save file', { hint: 'first', help: 'Write its bytes to a file; asks where.' }),
  open: on('browser', 'open file', { hint: true, help: 'Open it with the desktop’s program, after asking.' }),
})

/** Active if a text has a source it was laid out from, and addresses in it. */
export const sourceKeys = define.panel('source', 'Markdown', {
  source: on('source', 'rendered/source', { hint: true, help: 'Show Markdown formatted or as source.' }),
  copyAddress: on('copyAddress', 'copy address', {
    help: 'Copy the address of the link at the line; again for the next one there.',
  }),
})

/** Active only during a search: ending it comes before closing what contains the text. */
export const textSearchKeys = define.prompt('search', 'Search', {
  next: { keys: ['n'], label: 'next match', hint: true },
  previous: { keys: ['N'], label: 'previous match', hint: true },
  end: { keys: ['escape'], label: 'end search', hint: true },
})

/** Active only while lines are being selected: ending that comes before closing what contains them. */
export const selectionKeys = define.prompt('selection', 'Selected lines', {
  copy: on('copy', 'copy lines', { hint: true }),
  cancel: { keys: ['escape'], label: 'cancel', hint: true },
})

export const fieldKeys = define.field('field', 'Text field', {
  submit: { keys: ['enter', 'ctrl+s'], label: 'accept', hint: true },
  cancel: { keys: ['escape'], label: 'cancel', hint: true },
  left: { keys: ['left', 'ctrl+b'], label: 'character left' },
  right: { keys: ['right', 'ctrl+f'], label: 'character right' },
  wordLeft: { keys: ['alt+b', 'ctrl+left', 'alt+left'], label: 'word left' },
  wordRight: { keys: ['alt+f', 'ctrl+right', 'alt+right'], label: 'word right' },
  lineStart: { keys: ['ctrl+a', 'home'], label: 'start of the line' },
  lineEnd: { keys: ['ctrl+e', 'end'], label: 'end of the line' },
  erase: { keys: ['backspace'], label: 'erase', help: 'Erase the character before the cursor.' },
  delete: { keys: ['delete', 'ctrl+d'], label: 'delete', help: 'Delete the character at the cursor.' },
  clearWord: { keys: ['ctrl+w', 'alt+backspace'], label: 'cut the word before' },
  clearNextWord: { keys: ['alt+d'], label: 'cut the word after' },
  clear: { keys: ['ctrl+u'], label: 'cut to the start', help: 'Cut the line up to the cursor.' },
  clearToEnd: { keys: ['ctrl+k'], label: 'cut to the end', help: 'Cut the line from the cursor on.' },
  putBack: { keys: ['ctrl+y'], label: 'put back', help: 'Insert what was cut last.' },
  lineBreak: {
    keys: ['alt+enter'],
    label: 'line break',
    hint: true,
    help: 'Begin a new line, where a text may have several.',
  },
})

/** Active while a multi-line text takes more than one row. */
export const fieldRowsKeys = define.prompt('fieldRows', 'Text field', {
  up: { keys: ['up'], label: 'row up', help: 'To the row above, then to what is before the text.' },
  down: { keys: ['down'], label: 'row down', help: 'To the row below, then to what is behind the text.' },
})

/** A question inside a text or a list: answering or leaving it comes before everything around it. */
export const promptKeys = define.prompt('prompt', 'Text field', {
  accept: { keys: ['enter', 'ctrl+s'], label: 'accept', hint: true },
  leave: { keys: ['escape'], label: 'leave', hint: true },
})

export const confirmKeys = define.overlay('confirm', 'Question', {
  next: { verb: 'down', keys: ['down', VERBS.down.key, 'tab', 'right', 'l'], label: 'next answer' },
  previous: { verb: 'up', keys: ['up', VERBS.up.key, 'shift+tab', 'left', 'h'], label: 'previous answer' },
  choose: { keys: ['enter'], label: 'choose', hint: true },
  cancel: { verb: 'quit', keys: ['escape', VERBS.quit.key], label: 'cancel', hint: true },
})
