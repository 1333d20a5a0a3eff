import { bindingsOf, on } from '../../tui/keymap/binding.ts'

const define = bindingsOf('swarms')

const back = { keys: ['escape'], label: 'back', help: 'Go one step back.' }
const findings = { keys: ['alt+enter'], label: 'findings', help: 'Show the findings that its wave saw last.' }
const stop = on('end', 'stop', {
  hint: true,
  needs: 'journeyRuns.cancel',
  help: 'Stop what is in flight of it, after asking; also while the feature is switched off.',
})

export const swarmsKeys = define.screen('swarms', 'Swarms', {
  open: { keys: ['enter'], label: 'open', hint: 'first', help: 'Open the swarm, or the list of its tab.' },
  back,
  add: on('new', 'new swarm', {
    hint: true,
    needs: 'swarms.create',
    help: 'Save defaults for new journeys: where they run, how often and how long.',
  }),
  edit: on('edit', 'edit', { hint: true, needs: 'swarms.update', help: 'Change its name or its defaults.' }),
  launch: on('launch', 'launch wave', {
    hint: true,
    needs: 'journeyRuns.launch',
    help: 'Launch its journeys as one wave, after showing what that takes.',
  }),
  stop,
  remove: on('delete', 'delete', {
    needs: 'swarms.archive',
    help: 'Retire it, after asking; its journeys stay and can still be launched.',
  }),
})

export const journeysKeys = define.screen('journeys', 'Journeys', {
  open: { keys: ['enter'], label: 'open', hint: 'first', help: 'Open the journey, or its runs.' },
  back,
  add: on('new', 'new journey', {
    hint: true,
    needs: 'journeys.create',
    help: 'Save a task of a persona; the persona and the environments can be made on the spot.',
  }),
  edit: on('edit', 'edit', {
    hint: true,
    needs: 'journeys.update',
    help: 'Edit it; runs keep the version they began with.',
  }),
  launch: on('launch', 'launch', {
    hint: true,
    needs: 'journeyRuns.launch',
    help: 'Launch it, or all marked ones, as one wave, after showing what that takes.',
  }),
  stop,
  draft: on('model', 'draft', {
    hint: true,
    needs: 'journeys.generate',
    help: 'Have a model draft journeys; each draft is kept or dropped.',
  }),
  remove: on('delete', 'delete', {
    needs: 'journeys.archive',
    help: 'Retire it, after asking; its runs stay readable.',
  }),
})

export const personasKeys = define.screen('personas', 'Personas', {
  open: { keys: ['enter'], label: 'open', hint: 'first', help: 'Open the persona.' },
  back,
  add: on('new', 'new persona', { hint: true, needs: 'personas.create', help: 'Save a persona.' }),
  edit: on('edit', 'edit', { hint: true, needs: 'personas.update', help: 'Change it.' }),
  draft: on('model', 'draft', {
    hint: true,
    needs: 'personas.generate',
    help: 'Have a model draft personas with journeys; each draft is kept or dropped.',
  }),
  remove: on('delete', 'delete', {
    needs: 'personas.delete',
    help: 'Delete it, after asking; refused while a journey uses it.',
  }),
})

export const wavesKeys = define.screen('waves', 'Waves', {
  open: { keys: ['enter'], label: 'open', hint: 'first', help: 'Open the wave, or its runs.' },
  back,
  findings,
  stop,
})

export const waveRunsKeys = define.screen('waveRuns', 'Journey runs', {
  open: { keys: ['enter'], label: 'open', hint: 'first', help: 'Open the run, or its sessions.' },
  back,
  findings,
  stop,
})

export const runSessionsKeys = define.screen('runSessions', 'Sessions of a run', {
  open: { keys: ['enter'], label: 'open', hint: 'first', help: 'Open the session.' },
  back,
  stop,
})
