import { bindingsOf, on } from '../../tui/keymap/binding.ts'

const define = bindingsOf('projects')

export const projectsKeys = define.panel('projects', 'Projects', {
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
  add: on('new', 'new project', {
    hint: true,
    needs: 'projects.create',
    help: 'Create a project; it counts against the limit of the plan.',
  }),
  edit: on('edit', 'edit', {
    hint: true,
    needs: 'projects.update',
    help: 'Change its name, its description, its icon or who sees it.',
  }),
  remove: on('delete', 'delete', {
    needs: 'projects.delete',
    help: 'Delete it with everything inside, after typing its name.',
  }),
})
