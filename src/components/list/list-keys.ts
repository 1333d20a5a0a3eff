import { defineBindings } from '../../app/keymap/binding.ts'

export const listKeys = defineBindings({
  name: 'list',
  scope: 'panel',
  title: 'List',
  bindings: {
    down: { keys: ['j', 'down'], label: 'down', repeats: true },
    up: { keys: ['k', 'up'], label: 'up', repeats: true },
    pageDown: { keys: ['ctrl+d', 'pagedown'], label: 'page down', repeats: true },
    pageUp: { keys: ['ctrl+u', 'pageup'], label: 'page up', repeats: true },
    first: { keys: ['g', 'home'], label: 'first', repeats: true },
    last: { keys: ['G', 'end'], label: 'last', repeats: true },
    filter: { keys: ['/'], label: 'filter', hint: 'later' },
    sort: { keys: ['s'], label: 'sort', hint: 'later', help: 'Sort by the next column.' },
    reverse: { keys: ['S'], label: 'reverse sort' },
  },
})

/** Only while a filter hides rows: leaving it comes before leaving the pane. */
export const filterKeys = defineBindings({
  name: 'filter',
  scope: 'panel',
  title: 'List',
  bindings: { clear: { keys: ['escape'], label: 'clear filter', hint: true } },
})
