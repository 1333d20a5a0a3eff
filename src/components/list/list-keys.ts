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
    filter: {
      keys: ['/'],
      label: 'filter',
      hint: 'later',
      help: 'By letters; `!text` leaves out, `column:text` in a column.',
    },
    sort: { keys: ['s'], label: 'sort', hint: 'later', help: 'Sort by the next column.' },
    reverse: { keys: ['S'], label: 'reverse sort' },
    mark: { keys: ['space'], label: 'mark', hint: 'later', help: 'Mark the row, or take its mark away.' },
  },
})

/** Only while rows are marked: taking the marks away comes before anything else that Esc does. */
export const marksKeys = defineBindings({
  name: 'marks',
  scope: 'panel',
  title: 'List',
  bindings: { clear: { keys: ['escape'], label: 'clear marks', hint: true } },
})

/** Only while a filter hides rows: leaving it comes before leaving the pane. */
export const filterKeys = defineBindings({
  name: 'filter',
  scope: 'panel',
  title: 'List',
  bindings: { clear: { keys: ['escape'], label: 'clear filter', hint: true } },
})

/** Only in lists of which is kept what was seen. */
export const newsKeys = defineBindings({
  name: 'news',
  scope: 'panel',
  title: 'Since you last looked',
  bindings: {
    only: {
      keys: ['u'],
      label: 'what is new',
      hint: 'later',
      help: 'Only what is new or changed since you last looked.',
    },
    seen: {
      keys: ['U'],
      label: 'mark as seen',
      help: 'The row, or what is marked, is no news until it changes.',
    },
    allSeen: {
      keys: ['alt+u'],
      label: 'mark all as seen',
      help: 'All that is new here is no news until it changes.',
    },
  },
})

/** Only while nothing but what is new shows. */
export const onlyNewsKeys = defineBindings({
  name: 'onlyNews',
  scope: 'panel',
  title: 'List',
  bindings: { leave: { keys: ['escape'], label: 'show all', hint: true } },
})
