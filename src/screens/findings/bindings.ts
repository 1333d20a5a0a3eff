import { bindingsOf, on } from '../../tui/keymap/binding.ts'

const define = bindingsOf('findings')

export const findingsKeys = define.screen('findings', 'Findings', {
  open: {
    keys: ['enter'],
    label: 'open',
    hint: 'first',
    help: 'Open the finding, or the run or the session behind it.',
  },
  back: { keys: ['escape'], label: 'back', help: 'Leave the session, the run, the finding.' },
  dismiss: on('putAway', 'dismiss', {
    hint: true,
    needs: 'journeyFindings.dismiss',
    help: 'Hide the finding, or all marked ones, after asking; their status stays.',
  }),
  show: on('takeOut', 'show again', {
    hint: true,
    needs: 'journeyFindings.undismiss',
    help: 'Show the dismissed finding, or all marked ones, again.',
  }),
  undo: on('undo', 'take back', {
    needs: 'journeyFindings.undismiss',
    help: 'Undo the last dismissals, or showing again; changes by others since then stay.',
  }),
  status: on('filter', 'status filter', {
    hint: true,
    help: 'Only what is not resolved, new, regressed, recurring, resolved; then all again.',
  }),
  dismissed: on('hidden', 'dismissed filter', {
    hint: true,
    help: 'Only what is not dismissed, then only what is, then both again.',
  }),
  source: on('filterSource', 'source filter', {
    help: 'Only findings of swarms, only those of scenarios; then both again. Of one wave: of all waves again.',
  }),
  sources: on('view', 'sources', { help: 'Sources of the findings: how many, when they were read, and what failed.' }),
  insights: on('insights', 'request insights', {
    needs: 'waveInsights.request',
    help: 'Have a model look at the wave or the window behind the finding, after asking.',
  }),
  stopInsights: on('end', 'cancel insights', {
    needs: 'waveInsights.cancel',
    help: 'Cancel insights that are being generated.',
  }),
})
