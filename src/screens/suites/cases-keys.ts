import { bindingsOf, on } from '../../tui/keymap/binding.ts'
import { VERBS } from '../../tui/keymap/verbs.ts'

const define = bindingsOf('runs')

/** Active in the cases of a suite, and in the case beside them. */
export const casesKeys = define.panel('cases', 'Cases', {
  edit: on('edit', 'edit', {
    hint: true,
    needs: 'service',
    help: 'Edit the case in your editor; what changes shows before it is sent.',
  }),
  add: on('new', 'new case', {
    hint: true,
    needs: 'cases.createBatch',
    help: 'Write cases in your editor, up to a hundred with --- between them.',
  }),
  addOfTool: on('newOfTool', 'case of a tool', {
    needs: 'cases.createBatch',
    help: 'Start from the input schema of a tool.',
  }),
  duplicate: on('newOfCopy', 'duplicate', { needs: 'cases.createBatch', help: 'Start from a copy of the case.' }),
  remove: on('delete', 'delete', {
    hint: true,
    needs: 'cases.delete',
    help: 'Delete the case, or all marked ones, after asking.',
  }),
  generate: on('model', 'by a model', {
    needs: 'cases.generate',
    help: 'Have a model write cases from the live tools.',
  }),
})

/** Active in the list of suites. */
export const suitesKeys = define.panel('suites', 'Suites', {
  add: on('new', 'new suite', {
    hint: true,
    needs: 'suites.create',
    help: 'Write a suite with its cases in your editor.',
  }),
  edit: on('edit', 'edit settings', { needs: 'service', help: 'Edit the settings of the suite in your editor.' }),
  remove: on('delete', 'delete suite', { needs: 'suites.delete', help: 'Delete the suite with its cases.' }),
  exportFile: on('write', 'write file', { needs: 'service', help: 'Write the suite with its cases to a file.' }),
  importFile: on('import', 'import file', {
    needs: 'service',
    help: 'Import a suite file; a plan shows what it does before anything is sent.',
  }),
})

export const settingsKeys = define.panel('settings', 'Settings of a suite', {
  edit: on('edit', 'edit', {
    hint: true,
    needs: 'service',
    help: 'Edit all of them in your editor; what changes shows before it is sent.',
  }),
  schedule: on('toggle', 'schedule', {
    hint: true,
    needs: 'suites.schedule',
    help: 'Switch the recurring run on or off.',
  }),
  attach: on('bind', 'attach environment', { hint: true, needs: 'suites.attachEnvironment' }),
  detach: on('delete', 'detach environment', { needs: 'suites.update' }),
})

/** The tabs of the middle pane, active while it has the focus; elsewhere the same keys belong to the detail pane. */
export const middleKeys = define.panel('suiteTabs', 'Runs, cases and settings', {
  next: on('nextTab', 'cases, settings', { hint: true, help: 'Runs, cases, settings or heat map of the suite.' }),
  previous: on('previousTab', 'tab before'),
})

export const heatKeys = define.panel('heat', 'Heat map', {
  open: { keys: ['enter'], label: 'open trial', hint: 'first', help: 'Open the trial of the chosen cell.' },
  down: on('down', 'down', { also: ['down'], repeats: true }),
  up: on('up', 'up', { also: ['up'], repeats: true }),
  newer: { keys: ['right'], label: 'newer run', repeats: true },
  older: { keys: ['left'], label: 'older run', repeats: true },
  pageDown: { keys: ['ctrl+d', 'pagedown'], label: 'page down', repeats: true },
  pageUp: { keys: ['ctrl+u', 'pageup'], label: 'page up', repeats: true },
  top: on('top', 'first case'),
  bottom: on('bottom', 'last case'),
  oldest: { keys: ['home'], label: 'oldest run' },
  newest: { keys: ['end'], label: 'newest run' },
  more: on('more', 'more', { hint: true, needs: 'service', help: 'Read more runs, two with each request.' }),
})

/** Active while the outcomes of sent cases are shown. */
export const outcomesKeys = define.overlay('outcomes', 'Outcomes', {
  correct: on('edit', 'correct the failed', {
    hint: true,
    needs: 'cases.createBatch',
    help: 'Edit the cases that failed, by themselves, and send them again.',
  }),
  resend: on('again', 'send duplicates', {
    hint: true,
    needs: 'cases.createBatch',
    help: 'Send the failed cases again with another duplicate policy and a reason.',
  }),
  close: { verb: 'quit', keys: ['escape', VERBS.quit.key], label: 'close', hint: true },
})
