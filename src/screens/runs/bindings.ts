import { bindingsOf, on } from '../../tui/keymap/binding.ts'
import { VERBS } from '../../tui/keymap/verbs.ts'

const define = bindingsOf('runs')

export const runsKeys = define.screen('runs', 'Runs', {
  open: { keys: ['enter'], label: 'open', hint: 'first', help: 'Open the suite, the run or the trial.' },
  back: { keys: ['escape'], label: 'back', help: 'Leave the trial, the run, the suite.' },
  cancel: on('end', 'cancel run', { hint: true, needs: 'runs.cancel' }),
  rerun: on('again', 'rerun failed', {
    hint: true,
    needs: 'runs.rerun',
    help: 'Run the failed cases again, after a preview.',
  }),
  launch: on('launch', 'launch', {
    hint: true,
    needs: 'runs.create',
    help: 'Launch the suite as configured, or with changes made in a form.',
  }),
  watch: on('watch', 'watch files', {
    needs: 'runs.create',
    help: 'Run the suite now and whenever files change, failed cases first. Again: stop.',
  }),
  follow: on('follow', 'follow', {
    help: 'Pin the run to the header of every screen until it has ended and was opened, or unpin it.',
  }),
  compare: on('compare', 'compare', {
    help: 'Compare with a marked run, the run that it repeats, or the previous completed one.',
  }),
  date: on('date', 'go to a date', {
    help: 'Choose the latest run before a date or a time; older runs are read as needed.',
  }),
  doctor: on('tools', 'tools then and now', {
    hint: true,
    needs: 'service',
    help: 'What changed about the tools since the suite last passed, and what the servers offer now.',
  }),
})

/** Active only while the run of a date is being searched: Esc cancels that first. */
export const runDateKeys = define.first('runDate', 'Going to a date', {
  stop: { keys: ['escape'], label: 'stop looking', hint: true },
})

/** Active in the comparison of two runs. */
export const compareKeys = define.panel('compare', 'Comparison', {
  openNow: {
    keys: ['enter'],
    label: 'open trial',
    hint: true,
    help: 'Open the trial of the case in this run that decided.',
  },
  openBefore: {
    keys: ['alt+enter'],
    label: 'trial before',
    hint: true,
    help: 'Open the trial of the case in the base that decided.',
  },
  base: on('compare', 'other base', { hint: true, help: 'Choose the run to compare with.' }),
  figures: on('view', 'in full', { hint: 'later', help: 'Show every figure, scorer and case with its reasons.' }),
  unchanged: on('hidden', 'unchanged', { hint: 'later', help: 'Show what did not change, or hide it.' }),
})

/** Active while the base of a comparison is being chosen. */
export const baseKeys = define.overlay('base', 'Compare with', {
  choose: { keys: ['enter'], label: 'compare', hint: true },
  service: on('compare', 'the previous one', { hint: true, help: 'Leave the choice to the service.' }),
  close: { verb: 'quit', keys: ['escape', VERBS.quit.key], label: 'cancel', hint: true },
})

/** Active while the insights of a run are shown. */
export const insightsKeys = define.panel('insights', 'Insights', {
  insights: on('insights', 'request insights', {
    hint: true,
    needs: 'runs.requestInsights',
    help: 'Have a model look for causes, after asking; uses one of the day’s insights.',
  }),
  judge: on('model', 'request a judge', {
    hint: true,
    needs: 'runs.requestJudge',
    help: 'Have a model grade the final answers of an ended run, after asking; this has a cost.',
  }),
})
