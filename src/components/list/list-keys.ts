import { bindingsOf, on } from '../../tui/keymap/binding.ts'

const define = bindingsOf()

export const listKeys = define.panel('list', 'List', {
  down: on('down', 'down', { also: ['down'], repeats: true }),
  up: on('up', 'up', { also: ['up'], repeats: true }),
  pageDown: { keys: ['ctrl+d', 'pagedown'], label: 'page down', repeats: true },
  pageUp: { keys: ['ctrl+u', 'pageup'], label: 'page up', repeats: true },
  first: on('top', 'first', { also: ['home'], repeats: true }),
  last: on('bottom', 'last', { also: ['end'], repeats: true }),
  filter: on('find', 'filter', {
    hint: 'later',
    help: 'By letters; `!text` excludes, `column:text` looks in a column.',
  }),
  sort: on('sort', 'sort', { hint: 'later', help: 'Sort by the next column.' }),
  reverse: on('reverse', 'reverse sort'),
  mark: { keys: ['space'], label: 'mark', hint: 'later', help: 'Mark the row, or unmark it.' },
})

/** Active only while a list is not read to its end. */
export const readOnKeys = define.panel('readOn', 'Long list', {
  more: on('more', 'more', { hint: true, needs: 'service', help: 'Read more pages of the list.' }),
})

/** Active only while rows are marked: Esc removes the marks before it does anything else. */
export const marksKeys = define.panel('marks', 'List', {
  clear: { keys: ['escape'], label: 'clear marks', hint: true },
})

/** Active only while a filter hides rows: Esc ends the filter before it leaves the pane. */
export const filterKeys = define.panel('filter', 'List', {
  clear: { keys: ['escape'], label: 'clear filter', hint: true },
})

/** Active only in lists whose seen entries are stored. */
export const newsKeys = define.panel('news', 'Since your last visit', {
  only: on('news', 'what is new', { hint: 'later', help: 'Only what is new or changed since your last visit.' }),
  seen: on('seen', 'mark as seen', { help: 'The row, or what is marked, is no longer new until it changes.' }),
  allSeen: on('allSeen', 'mark all as seen', { help: 'Nothing here is new any more until it changes.' }),
})

/** Active only while the list is filtered to new rows. */
export const onlyNewsKeys = define.panel('onlyNews', 'List', {
  leave: { keys: ['escape'], label: 'show all', hint: true },
})
