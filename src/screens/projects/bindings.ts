import { defineBindings } from '../../tui/keymap/binding.ts'

export const projectsKeys = defineBindings({
  name: 'projects',
  scope: 'panel',
  screen: 'projects',
  title: 'Projects',
  bindings: {
    open: {
      keys: ['enter'],
      label: 'open its servers',
      hint: 'first',
      help: 'Make it the current project and open its servers.',
    },
    runs: {
      keys: ['alt+enter'],
      label: 'eval runs',
      hint: true,
      help: 'Make it the current project and open its eval runs.',
    },
  },
})
