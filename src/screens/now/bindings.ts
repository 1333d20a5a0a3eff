import { bindingsOf, on } from '../../tui/keymap/binding.ts'
import { VERBS } from '../../tui/keymap/verbs.ts'

const define = bindingsOf('now')

export const nowKeys = define.panel('now', 'Now', {
  open: { keys: ['enter'], label: 'open', hint: 'first', help: 'Go to the subject of the line.' },
  acknowledge: on('putAway', 'acknowledge', {
    hint: true,
    help: 'Acknowledge the line, or the marked ones, until it changes; or undo that.',
  }),
  acknowledged: on('hidden', 'acknowledged', { hint: true, help: 'Show acknowledged lines too, or hide them.' }),
  stop: on('end', 'stop', { needs: 'journeyRuns.cancel', help: 'Stop the run or the wave of the line, after asking.' }),
  settle: on('again', 'decide about a write', {
    needs: 'service',
    help: 'Send a write again that did not happen, or dismiss it.',
  }),
  faults: on('filter', 'faults filter', {
    hint: true,
    help: 'Only faults, then only what is new or regressed, then everything.',
  }),
  report: on('report', 'shift report', {
    hint: 'later',
    help: 'Write what broke, what was done and what is open to a Markdown file, redacted, after showing it.',
  }),
  projects: on('projects', 'which projects', { hint: true, help: 'Choose the projects to show.' }),
})

/** Active while projects are being chosen. */
export const nowProjectsKeys = define.overlay('nowProjects', 'Projects to show', {
  accept: { keys: ['enter'], label: 'show the marked', hint: true },
  all: on('all', 'all of them', { hint: true, help: 'All projects of the key, including later ones.' }),
  cancel: { verb: 'quit', keys: ['escape', VERBS.quit.key], label: 'cancel', hint: true },
})
