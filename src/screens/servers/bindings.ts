import { openAndBack } from '../../components/collection/plain-parts.ts'
import { bindingsOf, type Need, on } from '../../tui/keymap/binding.ts'
import { VERBS } from '../../tui/keymap/verbs.ts'

const define = bindingsOf('servers')

export const serversKeys = define.screen('servers', 'Servers', {
  open: { keys: ['enter'], label: 'open', hint: 'first', help: 'Open the server.' },
  back: { keys: ['escape'], label: 'back', help: 'Leave the server.' },
  doctor: on('doctor', 'doctor', {
    hint: true,
    needs: 'service',
    help: 'Check the server, or all marked ones, step by step from probe to listings.',
  }),
  add: on('new', 'new server', {
    hint: true,
    needs: 'servers.create',
    help: 'Save another server, by its address or its command.',
  }),
  connect: on('newSignedIn', 'connect with sign-in', {
    needs: 'connections.create',
    help: 'Connect a server by its address; Connections follows it, with its sign-in link.',
  }),
  importFiles: on('newOfFile', 'import from files', {
    needs: 'servers.create',
    help: 'Save servers that other programs on this machine have in mcp.json and files like it.',
  }),
  edit: on('edit', 'edit', {
    hint: true,
    needs: 'servers.update',
    help: 'Change its name, how it is reached, or what is stored with it.',
  }),
  enabled: on('toggle', 'on or off', {
    needs: 'servers.update',
    help: 'Switch the server off, after asking, or on again.',
  }),
  validate: on('check', 'validate', {
    hint: true,
    needs: 'service',
    help: 'Connect and initialize once, and say how long it took.',
  }),
  checkOAuth: on('checkOAuth', 'check OAuth', {
    needs: 'service',
    help: 'Check whether its settings require OAuth; nothing is connected.',
  }),
  restart: on('restart', 'restart', {
    needs: 'liveServers.restart',
    help: 'End its process, with the calls under way, restart it and read everything about it again.',
  }),
  end: on('end', 'end process', {
    needs: 'liveServers.end',
    help: 'End its process, or the connection to it, after asking; the next request starts it again.',
  }),
  watch: on('watch', 'restart on save', {
    needs: 'liveServers.restart',
    help: 'Restart its process whenever files change. Again: stop.',
  }),
  printed: on('printed', 'console', { help: 'Go to Console: what its program printed.' }),
  compare: on('compare', 'compare with a snapshot', {
    needs: 'service',
    help: 'Show what changed since a snapshot in a file, and what breaks callers.',
  }),
  roots: on('folders', 'roots', { needs: 'roots.set', help: 'Edit the folders that it gets as roots.' }),
  importTokens: on('import', 'import tokens', {
    needs: 'servers.importTokens',
    help: 'Hand over OAuth tokens that you obtained for it.',
  }),
  signIn: on('signIn', 'sign in', {
    needs: 'servers.importTokens',
    help: 'Sign in to it with OAuth in the browser, after saying where.',
  }),
  signOut: on('signOut', 'sign out', {
    needs: 'signIns.delete',
    help: 'Forget the tokens that are stored for it, after asking.',
  }),
  remove: on('delete', 'remove server', { needs: 'servers.delete', help: 'Delete the saved server, after asking.' }),
})

/** Active only in a workspace that ends with the program. */
export const unsavedKeys = define.first('unsaved', 'Nothing is saved', {
  save: {
    keys: ['s'],
    label: 'save server',
    hint: 'first',
    needs: 'servers.create',
    help: 'Save the server in a project of the local workspace, with its suites, calls and sign-in.',
  },
})

export const serverImportKeys = define.overlay('serverImport', 'Servers in files', {
  accept: {
    keys: ['enter'],
    label: 'import',
    hint: true,
    needs: 'servers.create',
    help: 'Import the marked ones, or the chosen one where none is marked; asks first.',
  },
  all: on('all', 'mark all or none', { hint: true, help: 'Mark every server that can be taken, or none.' }),
  cancel: { verb: 'quit', keys: ['escape', VERBS.quit.key], label: 'cancel', hint: true },
})

export const toolsKeys = define.panel('tools', 'Tools', {
  call: {
    verb: 'call',
    keys: ['enter', VERBS.call.key],
    label: 'call',
    hint: true,
    needs: 'servers.callTool',
    help: 'Fill in its arguments, then call it.',
  },
  inspect: on('view', 'inspect', { hint: true, help: 'Show its whole description and input schema.' }),
  raw: on('raw', 'raw JSON', { help: 'Its definition as the server gave it.' }),
})

const EMPTY = { keys: ['ctrl+o'], hint: true } as const

/** Active in a form that a server asks for. */
export const requestedKeys = define.overlay('requested', 'Form that a server asks for', {
  empty: {
    ...EMPTY,
    label: 'empty',
    help: 'Of an empty field: send an empty text or an empty list, as it may be, or take that back.',
  },
})

/** Active in the form of a call. */
export const argumentKeys = define.overlay('arguments', 'Arguments of a call', {
  editText: on('editText', 'edit as text', {
    hint: true,
    help: 'Edit all arguments as commented YAML in your editor; errors are shown at their line.',
  }),
  empty: {
    ...EMPTY,
    label: 'empty or null',
    help: 'Of an empty field: send an empty text, an empty list or null, as it may be, or leave it out again.',
  },
})

export const promptsKeys = define.panel('prompts', 'Prompts', {
  render: {
    keys: ['enter'],
    label: 'render',
    hint: true,
    needs: 'service',
    help: 'Fill in its arguments, then render it.',
  },
  raw: on('raw', 'raw JSON', { help: 'Its definition as the server gave it.' }),
})

export const resourcesKeys = define.panel('resources', 'Resources', {
  read: { keys: ['enter'], label: 'read', hint: true, needs: 'service' },
  raw: on('raw', 'raw JSON', { help: 'Its descriptor as the server gave it.' }),
  subscribe: on('follow', 'subscribe', {
    hint: true,
    needs: 'liveServers.subscribe',
    help: 'Subscribe to its updates, or unsubscribe; what is open is then read again.',
  }),
})

export const skillsKeys = define.panel('skills', 'Skills', {
  read: {
    keys: ['enter'],
    label: 'read',
    hint: true,
    needs: 'service',
    help: 'Check it against its entry, and read it.',
  },
  raw: on('raw', 'raw JSON', { help: 'Its entry as the service gave it.' }),
})

const saveCase = on('newOfCall', 'eval case', {
  hint: true,
  needs: 'cases.create',
  help: 'Save the call as an eval case; once it is saved, go to the case.',
})

const stop = on('end', 'cancel', { hint: true, help: 'Cancel a running call; what it did until then is not known.' })

const resend = {
  again: on('again', 'call again', {
    hint: true,
    needs: 'servers.callTool',
    help: 'Call the tool with the same arguments, after asking.',
  }),
  edit: on('edit', 'edit and call', {
    hint: true,
    needs: 'servers.callTool',
    help: 'Open the form of the call, filled with what was sent.',
  }),
} as const

const copyAs = on('copyAs', 'copy as', { help: 'Copy the call as a command, as requests of curl, or as JSON.' })

export const callsKeys = define.panel('calls', 'Calls', {
  show: { keys: ['enter'], label: 'show result', hint: true },
  stop,
  ...resend,
  saveCase,
  copyAs,
  compare: on('compare', 'compare', {
    hint: true,
    help: 'Compare two marked calls, or one with the one before of the same arguments.',
  }),
  clear: on('delete', 'forget calls', { needs: 'calls.clear', help: 'Forget these calls, after asking.' }),
})

export const serverReadinessKeys = define.panel('serverReadiness', 'Readiness of a server', {
  open: { keys: ['enter'], label: 'open', hint: true, help: 'Go to the run, with its checks and its report.' },
  add: on('new', 'check for a directory', {
    hint: true,
    needs: 'readiness.startClaude',
    help: 'Check it against the rules of a publisher’s directory; shows the cost first.',
  }),
  cancel: on('end', 'cancel', { hint: true, needs: 'readiness.cancel', help: 'Stop the chosen run, after asking.' }),
})

export const serverConformanceKeys = define.panel('serverConformance', 'Conformance of a server', {
  copyAs: on('copyAs', 'copy command', {
    hint: true,
    help: 'Copy the command that tests the server by the official conformance suite.',
  }),
})

export const resultKeys = define.overlay('result', 'Result', {
  close: {
    verb: 'quit',
    keys: ['escape', VERBS.quit.key],
    label: 'close',
    hint: true,
    help: 'Close; a running call continues, and Calls lists it.',
  },
  stop,
  ...resend,
  saveCase,
  answer: on('answer', 'answer', { help: 'Answer what the server asks while the call waits.' }),
  signIn: on('signIn', 'sign in', {
    hint: true,
    needs: 'servers.importTokens',
    help: 'Sign in to the server in the browser, with the scopes that it wants for this call.',
  }),
  copyAs,
})

const recordedKeys = (noun: string, clears: Need) =>
  ({
    ...openAndBack(noun),
    pause: on('toggle', 'pause', { hint: true, help: 'Pause what is shown, or resume; recording continues.' }),
    clear: on('delete', 'clear', { hint: true, needs: clears, help: 'Clear what was recorded so far.' }),
  }) as const

export const trafficKeys = define.screen('traffic', 'Traffic', recordedKeys('message', 'traffic.clear'))

export const consoleKeys = define.screen('console', 'Console', {
  ...recordedKeys('line', 'console.clear'),
  level: on('logLevel', 'log level', {
    hint: true,
    needs: 'liveServers.setLogLevel',
    help: 'Choose which log messages the server sends, now and on later connections.',
  }),
})
