import { defineBindings } from '../app/keymap/binding.ts'

export const panesKeys = defineBindings({
  name: 'panes',
  scope: 'screen',
  title: 'Panes',
  bindings: {
    next: { keys: ['tab', 'l', 'right'], label: 'next pane', hint: 'later' },
    previous: { keys: ['shift+tab', 'h', 'left'], label: 'previous pane' },
  },
})

export const tabsKeys = defineBindings({
  name: 'tabs',
  scope: 'screen',
  title: 'Detail',
  bindings: {
    next: { keys: [']'], label: 'next tab', hint: 'later' },
    previous: { keys: ['['], label: 'previous tab' },
  },
})

export const viewerKeys = defineBindings({
  name: 'viewer',
  scope: 'panel',
  title: 'Text',
  bindings: {
    down: { keys: ['j', 'down'], label: 'scroll', hint: 'later', repeats: true },
    up: { keys: ['k', 'up'], label: 'up', repeats: true },
    pageDown: { keys: ['ctrl+d', 'pagedown', 'space'], label: 'page down', repeats: true },
    pageUp: { keys: ['ctrl+u', 'pageup'], label: 'page up', repeats: true },
    first: { keys: ['g', 'home'], label: 'top', repeats: true },
    last: { keys: ['G', 'end'], label: 'bottom', repeats: true },
  },
})

export const fieldKeys = defineBindings({
  name: 'field',
  scope: 'field',
  title: 'Text field',
  bindings: {
    submit: { keys: ['enter'], label: 'accept', hint: true },
    cancel: { keys: ['escape'], label: 'cancel', hint: true },
    left: { keys: ['left'], label: 'caret left' },
    right: { keys: ['right'], label: 'caret right' },
    erase: { keys: ['backspace', 'delete'], label: 'erase' },
    clear: { keys: ['ctrl+u'], label: 'clear' },
  },
})

export const confirmKeys = defineBindings({
  name: 'confirm',
  scope: 'overlay',
  title: 'Question',
  bindings: {
    next: { keys: ['down', 'j', 'tab', 'right', 'l'], label: 'next answer' },
    previous: { keys: ['up', 'k', 'shift+tab', 'left', 'h'], label: 'previous answer' },
    choose: { keys: ['enter'], label: 'choose', hint: true },
    cancel: { keys: ['escape', 'q'], label: 'cancel', hint: true },
  },
})
