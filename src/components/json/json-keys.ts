import { defineBindings } from '../../app/keymap/binding.ts'

export const jsonKeys = defineBindings({
  name: 'json',
  scope: 'panel',
  title: 'JSON',
  bindings: {
    down: { keys: ['j', 'down'], label: 'down', repeats: true },
    up: { keys: ['k', 'up'], label: 'up', repeats: true },
    pageDown: { keys: ['ctrl+d', 'pagedown'], label: 'page down', repeats: true },
    pageUp: { keys: ['ctrl+u', 'pageup'], label: 'page up', repeats: true },
    first: { keys: ['g', 'home'], label: 'top', repeats: true },
    last: { keys: ['G', 'end'], label: 'bottom', repeats: true },
    fold: {
      keys: ['enter', 'space'],
      label: 'fold',
      hint: true,
      help: 'Fold what is at the line, or unfold it.',
    },
    foldAll: { keys: ['<'], label: 'fold all', hint: true },
    unfoldAll: { keys: ['>'], label: 'unfold all', hint: true },
    search: { keys: ['/'], label: 'search', hint: 'later', help: 'Find a text, also in what is folded.' },
    copy: { keys: ['c'], label: 'copy value', hint: true, help: 'Copy the value at the line as JSON.' },
    copyAll: { keys: ['C'], label: 'copy all', help: 'Copy the whole document as JSON.' },
  },
})

export const jsonOverlayKeys = defineBindings({
  name: 'jsonView',
  scope: 'overlay',
  title: 'JSON',
  bindings: { close: { keys: ['escape', 'q'], label: 'close', hint: true } },
})
