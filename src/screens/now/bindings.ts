import { bindingsOf, on } from '../../tui/keymap/binding.ts'
import { VERBS } from '../../tui/keymap/verbs.ts'

const define = bindingsOf('now')

export const nowKeys = define.panel('now', 'Now', {
  open: { keys: ['enter'], label: 'open', hint: 'first', help: 'Go to what the line is about.' },
  acknowledge: on('putAway', 'acknowledge', {
    hint: true,
    help: 'Put the line, or what is marked, away until it changes; or take that back.',
  }),
  acknowledged: on('hidden', 'acknowledged', { hint: true, help: 'Show what was acknowledged too, or hide it again.' }),
  stop: on('end', 'stop', {
    needs: 'journeyRuns.cancel',
    help: 'Stop the run or the wave in flight that the line is about, after asking.',
  }),
  settle: on('again', 'decide about a write', {
    needs: 'service',
    help: 'Send a write again that did not happen, or dismiss it.',
  }),
  faults: on('filter', 'faults or new', {
    hint: true,
    help: 'Only what is wrong, then only what is new or regressed, then everything.',
  }),
  report: on('report', 'shift report', {
    hint: 'later',
    help: 'Write what broke, what was done and what is open to a Markdown file, redacted, after showing it.',
  }),
  projects: on('projects', 'which projects', { hint: true, help: 'Choose the projects to look at.' }),
})

/** While projects are being chosen. */
export const nowProjectsKeys = define.overlay('nowProjects', 'Projects to look at', {
  accept: { keys: ['enter'], label: 'look at the marked', hint: true },
  all: on('all', 'all of them', { hint: true, help: 'All projects of the key, also later ones.' }),
  cancel: { verb: 'quit', keys: ['escape', VERBS.quit.key], label: 'cancel', hint: true },
})
