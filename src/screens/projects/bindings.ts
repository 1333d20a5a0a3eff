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

/** Active while the selected project has next steps. */
export const nextStepKeys = define.screen('nextSteps', 'What you can do now', {
  run: on('launch', 'run its suite', {
    hint: true,
    needs: 'runs.create',
    help: 'Go to a suite that has not run yet, and open the form that launches it.',
  }),
  examine: on('doctor', 'doctor', {
    hint: true,
    needs: 'service',
    help: 'Go to a server of the project and run the doctor on it.',
  }),
  call: on('call', 'call a tool', {
    hint: true,
    needs: 'servers.callTool',
    help: 'Go to the tools of a server, where the chosen one is called.',
  }),
  importServers: on('newOfFile', 'import servers', {
    hint: true,
    needs: 'servers.create',
    help: 'Save servers that other programs on this machine have in mcp.json and files like it.',
  }),
  addServer: on('newSignedIn', 'add a server', {
    hint: true,
    needs: 'servers.create',
    help: 'Go to the servers and connect one by its address.',
  }),
  dismiss: on('putAway', 'dismiss the steps', { help: 'Never show next steps of this project again.' }),
})
